//! One run, from its plan to everything that is known of it.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use basis::{Duration, Instant};
use netsim::topology::Role;
use netsim::{Conservation, Ended, Simulation, Threading};

use super::arrivals::Arrivals;
use super::busiest::busiest;
use super::cabled_ports::CabledPorts;
use super::captures::Captures;
use super::checkpoint;
use super::counters::Counters;
use super::deadlock;
use super::drops::Drops;
use super::faults::Faults;
use super::flow_series::FlowSeries;
use super::flows::{self, Flow, Flows};
use super::jobs::{JobResults, UnfinishedTensors};
use super::links::{self, LinkUse};
use super::recorder::{Collector, Next, Stage};
use super::registers::RegisterSeries;
use super::series::Series;
use super::streams::Streams;
use super::summary::{Collected, Summary};
use super::trace;
use super::unfinished::Unfinished;
use super::windows::Windows;
use crate::build::build;
use crate::ideal::{Cut, Ideal};
use crate::need;
use crate::plan::NetworkPlan;
use diagnostics::Failure;
use report::Columns;

/// The outcome of a run.
pub struct Outcome {
    /// The plan that was run.
    pub plan: NetworkPlan,
    /// The summary.
    pub summary: Summary,
    /// The flows that have not finished.
    pub unfinished: Unfinished,
    /// The tensors of jobs that have not finished.
    pub unfinished_tensors: UnfinishedTensors,
    /// The tensors of jobs.
    pub jobs: JobResults,
    /// A sentence for each pause of flow control in a cycle of pauses that wait for each other at the end; empty if
    /// there is no such cycle.
    pub deadlock: Vec<String>,
    /// Every flow, in the order in which they started.
    pub flows: Vec<Flow>,
    /// The ideal completion time of each flow.
    pub ideal: Vec<Option<Duration>>,
    /// The packets and bytes that each link has carried, by station and port.
    pub links: Vec<LinkUse>,
    /// The samples of queues and links.
    pub series: Series,
    /// The samples of flows.
    pub flow_series: FlowSeries,
    /// The samples of registers.
    pub registers: RegisterSeries,
    /// What arrived of flows within windows of time.
    pub windows: Windows,
    /// The packets that arrived at chosen ports.
    pub arrivals: Arrivals,
    /// The simulated time of the end.
    pub end: Instant,
    /// The tables: flows, links, jobs and stragglers (if the plan has jobs), queues, rates (if links were sampled), flow-series (if flows were), registers, windows and
    /// arrivals (if the plan asks for them), counters, drops, faults (if there are any), and averages over windows of what is
    /// sampled.
    pub tables: Vec<Columns>,
    /// The trace for Perfetto, if the plan asks for one.
    pub trace: Option<String>,
    /// The complete captures. Their names end in `.partial` until they are renamed together with all other results.
    pub captures: Vec<PathBuf>,
    /// The names and contents of the files that were read.
    pub inputs: Vec<(String, String)>,
    /// The reason why packets were not conserved, which is a bug in Polyplane and not in the plan.
    pub defect: Option<String>,
}

/// The settings of a run, on which the results do not depend.
#[derive(Clone, Copy, Debug)]
pub struct Running<'r> {
    /// The greatest number of threads.
    pub threads: NonZeroUsize,
    /// The policy by which several threads are used.
    pub threading: Threading,
    /// The folder for captures, growing tables and checkpoints. If the path is empty, no tables grow.
    pub folder: &'r Path,
    /// The simulated time at which to write a checkpoint and stop, if there is one.
    pub pause_at: Option<Instant>,
    /// Whether to resume from the checkpoint in the folder.
    pub resumes: bool,
    /// The version of the program; checkpoints of other versions are refused.
    pub version: &'r str,
}

impl<'r> Running<'r> {
    /// Returns the settings of a run from start to end with at most so many threads.
    pub fn through(folder: &'r Path, threads: NonZeroUsize) -> Self {
        Self { threads, threading: Threading::WhereItHelps, folder, pause_at: None, resumes: false, version: "" }
    }
}

/// The result of running.
pub enum Ran {
    /// The run is over.
    ToTheEnd(Box<Outcome>),
    /// The run is paused at this time, and can resume from its checkpoint.
    Paused(Instant),
}

impl Ran {
    /// Returns the outcome if the run is over.
    pub fn outcome(self) -> Option<Outcome> {
        match self {
            Self::ToTheEnd(outcome) => Some(*outcome),
            Self::Paused(_) => None,
        }
    }
}

/// Runs a network to its end with at most so many threads, without progress or checkpoints. Captures that the plan asks
/// for are written into a folder.
///
/// # Errors
/// Fails as [`run`] does.
pub fn run_to_the_end(plan: NetworkPlan, folder: &Path, threads: NonZeroUsize) -> Result<Outcome, Failure> {
    match run(plan, &Running::through(folder, threads), &mut |_| Next::GoOn)? {
        Ran::ToTheEnd(outcome) => Ok(*outcome),
        Ran::Paused(_) => unreachable!("the run was not asked to pause"),
    }
}

/// Runs a network. `watch` is called from time to time with the progress of the run, and returns whether to write a
/// checkpoint.
///
/// # Errors
/// Fails if the network does not fit into memory, if a program of a switch cannot be read or does not fit, if files
/// cannot be written, or if the checkpoint to resume from is damaged or belongs to another plan or version.
pub fn run(plan: NetworkPlan, running: &Running<'_>, watch: &mut dyn FnMut(Stage) -> Next) -> Result<Ran, Failure> {
    let &Running { threads, threading, folder, resumes, version, .. } = running;
    need::check(&plan)?;
    let (mut simulation, mut inputs) = build(&plan, (threads, threading))?;
    inputs.splice(0..0, plan.inputs.iter().cloned());
    let ports = CabledPorts::new(&plan.topology);
    let mut series = Series::new(&ports, &simulation, &plan.probes.queues, &plan.probes.links);
    series.add_inner_queues(&plan, &simulation)?;
    let registers = RegisterSeries::new(&plan, Arc::clone(&ports.stations), &simulation)?;
    let captures = Captures::create(folder, &ports, &plan.probes.captures, &mut simulation, resumes)?;
    let ways = Ideal::new(&plan.topology);
    let cuts = cuts(&plan);
    let ideal_times = |flows: &[Flow]| ideal(&ways, &cuts, flows);
    let addresses = plan.topology.stations.iter().filter_map(|station| match station.role {
        Role::Host { address, .. } => Some(address),
        Role::Switch(_) => None,
    });
    let addresses: Vec<u32> = addresses.collect();
    let arrivals = Arrivals::watch(&ports, &plan.probes.arrivals, &addresses, &mut simulation);
    let windows = Windows::watch(&plan.probes.windows, &mut simulation);
    let mut collector = Collector {
        flows: Flows::new(&addresses),
        jobs: JobResults::default(),
        drops: Drops::default(),
        series,
        flow_series: FlowSeries::new(&plan.probes.flows, Arc::clone(&ports.stations)),
        registers,
        windows,
        arrivals,
        captures,
        streams: Streams::new(folder, Arc::clone(&ports.stations), &ideal_times, plan.probes.every),
        trouble: None,
        watch,
    };
    if resumes {
        checkpoint::read(folder, version, &plan, &mut simulation, &mut collector)?;
    }
    let Some(ended) = run_on(&plan, running, &mut simulation, &mut collector)? else {
        return Ok(Ran::Paused(simulation.now()));
    };
    let end = simulation.now();
    let Collector { mut flows, drops, mut series, mut flow_series, captures, streams, .. } = collector;
    let Collector { mut registers, mut windows, mut arrivals, jobs, .. } = collector;
    let captures = captures.finish(end)?;
    streams.remove();
    for station in 0..plan.topology.stations.len() {
        simulation.station(station).progress(&mut |progress| flows.has_arrived(progress));
    }
    flows.end();
    if plan.probes.every.is_some() {
        series.end(end, &simulation);
        flow_series.end(end, &simulation, &flows);
        registers.end(end);
    }
    let flows = flows.into_flows();
    windows.end(end, &flows);
    arrivals.end(end);
    let unfinished = Unfinished::of(&flows, &addresses, &ports.stations, &simulation, end);
    let unfinished_tensors = jobs.unfinished(&plan, &simulation, end);
    let ideal = ideal_times(&flows);
    let counters = Counters::of(&simulation, plan.topology.stations.len());
    let (conservation, defect) = match simulation.conservation() {
        Ok(conservation) => (conservation, None),
        Err(why) => (Conservation::default(), Some(why)),
    };
    let numbers: Vec<usize> = plan.line_faults().map(|(number, _)| number).collect();
    let faults = Faults::of(&ports, &simulation, &numbers);
    let links = links::uses(&ports, &simulation);
    let summary = Summary::new(&Collected {
        name: &plan.name,
        network: &plan.network,
        ended,
        end,
        flows: &flows,
        not_begun: unfinished.not_begun,
        traffic: simulation.traffic(),
        ideal: &ideal,
        drops: &drops,
        counters: &counters,
        hops: &simulation.hops(),
        packet_hops: simulation.packet_hops(),
        events: simulation.events(),
        conservation,
        faults: faults.summary(&plan.faults),
        busiest: busiest(&ports, &simulation, &flows),
        jobs: jobs.summary(&plan, &links),
    });
    let mut tables = vec![flows::table(&flows, &ports.stations, &ideal, end), links::table(&ports, &links)];
    tables.extend(jobs.table(&plan));
    tables.extend(jobs.stragglers_table(&plan));
    tables.push(series.queue_table(0));
    tables.extend(plan.probes.every.and_then(|every| series.link_table(every, 0)));
    tables.extend(flow_series.table(&flows, 0));
    tables
        .extend([registers.table(0), windows.table(&flows, &ports.stations), arrivals.table(0)].into_iter().flatten());
    tables.extend([counters.table(&ports.stations), drops.table(&ports.stations)]);
    if !plan.faults.is_empty() {
        tables.push(faults.table(&plan.faults, &ports.stations));
    }
    let deadlock = deadlock::sentences(&simulation.deadlock(end), &ports.stations);
    let trace = plan.probes.perfetto.then(|| trace::trace(&flows, &ports.stations, &series, end));
    let _ = std::fs::remove_file(checkpoint::checkpoint_file(folder));
    let mut outcome = Outcome {
        plan,
        summary,
        unfinished,
        unfinished_tensors,
        jobs,
        deadlock,
        flows,
        ideal,
        links,
        series,
        flow_series,
        registers,
        windows,
        arrivals,
        end,
        tables,
        trace,
        captures,
        inputs,
        defect,
    };
    let averages = outcome.average_tables();
    outcome.tables.extend(averages);
    Ok(Ran::ToTheEnd(Box::new(outcome)))
}

/// Runs until the end, writing checkpoints when asked to; `None` if the run was paused.
fn run_on(
    plan: &NetworkPlan,
    running: &Running<'_>,
    simulation: &mut Simulation,
    collector: &mut Collector<'_>,
) -> Result<Option<Ended>, Failure> {
    let pause = running.pause_at.filter(|pause| plan.end.at.is_none_or(|end| *pause < end));
    simulation.set_end(pause.or(plan.end.at));
    loop {
        let ended = simulation.run(collector);
        if let Some(trouble) = collector.trouble.take() {
            return Err(trouble);
        }
        let is_paused = ended == Ended::TimeLimit && pause.is_some();
        if ended != Ended::Stopped && !is_paused {
            return Ok(Some(ended));
        }
        checkpoint::write(running.folder, running.version, plan, simulation, collector)?;
        if is_paused {
            return Ok(None);
        }
    }
}

/// Returns how the messages of each host are cut into packets.
fn cuts(plan: &NetworkPlan) -> Vec<Cut> {
    let hosts = plan.topology.stations.iter().filter(|station| matches!(station.role, Role::Host { .. }));
    hosts.map(|host| Cut::of(plan.transport(&host.name))).collect()
}

fn ideal(ways: &Ideal, cuts: &[Cut], flows: &[Flow]) -> Vec<Option<Duration>> {
    let time = |flow: &Flow| {
        let cut = *cuts.get(flow.source as usize)?;
        ways.time(flow.source as usize, flow.destination as usize, flow.bytes, cut)
    };
    flows.iter().map(time).collect()
}

impl Outcome {
    /// Returns the exit status of a command that ran it: 1 if packets were not conserved or a sum of a job is wrong; 4 if
    /// flows or tensors have not finished or flow control has deadlocked, unless the plan accepts unfinished flows;
    /// otherwise 0.
    pub fn exit_status(&self) -> u8 {
        let is_unfinished = self.unfinished.count > 0 || self.unfinished_tensors.count > 0;
        if self.defect.is_some() || !self.jobs.wrong().is_empty() {
            1
        } else if (is_unfinished || !self.deadlock.is_empty()) && !self.plan.end.accepts_unfinished {
            4
        } else {
            0
        }
    }
}
