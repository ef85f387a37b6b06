//! One run, from its plan to everything that is known of it.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use basis::{Duration, Instant};
use netsim::topology::Role;
use netsim::{Conservation, Ended, Simulation, Threading};

use super::busiest::busiest;
use super::captures::Captures;
use super::checkpoint;
use super::counters::Counters;
use super::deadlock;
use super::drops::Drops;
use super::faults::Faults;
use super::flows::{self, Flow, Flows};
use super::lines::{self, LineUse};
use super::places::Places;
use super::recorder::{Collector, Next, Stage};
use super::series::Series;
use super::streams::Streams;
use super::summary::{Collected, Summary};
use super::trace;
use super::unfinished::Unfinished;
use crate::build::build;
use crate::ideal::{Cut, Ideal};
use crate::need;
use crate::plan::NetworkPlan;
use diagnostics::Failure;
use report::Columns;

/// Everything that is known of a run.
pub struct Outcome {
    /// What was run.
    pub plan: NetworkPlan,
    /// In a few numbers.
    pub summary: Summary,
    /// What has not finished.
    pub unfinished: Unfinished,
    /// The pauses of flow control that wait for each other in a circle at the end, each in a sentence; none if there is no
    /// such circle.
    pub deadlock: Vec<String>,
    /// Every flow, in the order in which they started.
    pub flows: Vec<Flow>,
    /// How long each would have taken alone.
    pub ideal: Vec<Option<Duration>>,
    /// What each line carried, by station and port.
    pub lines: Vec<LineUse>,
    /// What probes saw.
    pub series: Series,
    /// When it ended.
    pub end: Instant,
    /// The tables: flows, links, queues, rates if lines were looked at, counters, drops, faults if
    /// there are any.
    pub tables: Vec<Columns>,
    /// The trace for Perfetto, if the plan asks for one.
    pub trace: Option<String>,
    /// Captures that are whole, under their names and `.partial`: they get their names with all other results.
    pub captures: Vec<PathBuf>,
    /// Files that were read: what they are called, and what stood in them.
    pub inputs: Vec<(String, String)>,
    /// Why packets were not conserved, which is a defect of Polyplane and none of the plan.
    pub defect: Option<String>,
}

/// How a run is run: nothing that comes out depends on it.
#[derive(Clone, Copy, Debug)]
pub struct Running<'r> {
    /// In how many threads at most.
    pub threads: NonZeroUsize,
    /// When in so many.
    pub threading: Threading,
    /// Where captures, tables that grow and checkpoints go.
    pub folder: &'r Path,
    /// When it is written down and left: a simulated time.
    pub pause_at: Option<Instant>,
    /// Whether it goes on from a checkpoint in the folder.
    pub resumes: bool,
    /// The program that runs it; checkpoints of others are refused.
    pub version: &'r str,
}

impl<'r> Running<'r> {
    /// From the start to the end, in so many threads.
    pub fn through(folder: &'r Path, threads: NonZeroUsize) -> Self {
        Self { threads, threading: Threading::WhereItHelps, folder, pause_at: None, resumes: false, version: "" }
    }
}

/// What came of running.
pub enum Ran {
    /// The run is over.
    ToTheEnd(Box<Outcome>),
    /// It is written down, and can go on from this time.
    Paused(Instant),
}

impl Ran {
    /// What is known of a run that is over.
    pub fn outcome(self) -> Option<Outcome> {
        match self {
            Self::ToTheEnd(outcome) => Some(*outcome),
            Self::Paused(_) => None,
        }
    }
}

/// Runs a network. `watch` is told now and then how far the run is, and says whether its state is to be written down.
///
/// # Errors
/// Programs of switches that cannot be read or do not fit; files that cannot be written; a checkpoint to go on from that
/// is none of this plan and program.
pub fn run(plan: NetworkPlan, running: &Running<'_>, watch: &mut dyn FnMut(Stage) -> Next) -> Result<Ran, Failure> {
    let &Running { threads, threading, folder, resumes, version, .. } = running;
    need::check(&plan)?;
    let (mut simulation, mut inputs) = build(&plan, (threads, threading))?;
    inputs.splice(0..0, plan.inputs.iter().cloned());
    let places = Places::new(&plan.topology);
    let series = Series::new(&places, &simulation, &plan.probes.queues, &plan.probes.links);
    let captures = Captures::create(folder, &places, &plan.probes.captures, &mut simulation, resumes)?;
    let ways = Ideal::new(&plan.topology);
    let cuts = cuts(&plan);
    let ideal_times = |flows: &[Flow]| ideal(&ways, &cuts, flows);
    let addresses = plan.topology.stations.iter().filter_map(|station| match station.role {
        Role::Host { address, .. } => Some(address),
        Role::Switch(_) => None,
    });
    let addresses: Vec<u32> = addresses.collect();
    let mut collector = Collector {
        flows: Flows::new(&addresses),
        drops: Drops::default(),
        series,
        captures,
        streams: Streams::new(folder, Arc::clone(&places.stations), &ideal_times, plan.probes.every),
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
    let Collector { mut flows, drops, mut series, captures, streams, .. } = collector;
    let captures = captures.finish(end)?;
    streams.remove();
    for station in 0..plan.topology.stations.len() {
        simulation.station(station).progress(&mut |progress| flows.has_arrived(progress));
    }
    flows.end();
    if plan.probes.every.is_some() {
        series.end(end, &simulation);
    }
    let flows = flows.into_flows();
    let unfinished = Unfinished::of(&flows, &addresses, &places.stations, &simulation, end);
    let ideal = ideal_times(&flows);
    let counters = Counters::of(&simulation, plan.topology.stations.len());
    let (conservation, defect) = match simulation.conservation() {
        Ok(conservation) => (conservation, None),
        Err(why) => (Conservation::default(), Some(why)),
    };
    let numbers: Vec<usize> = plan.line_faults().map(|(number, _)| number).collect();
    let faults = Faults::of(&places, &simulation, &numbers);
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
        busiest: busiest(&places, &simulation, &flows),
    });
    let lines = lines::uses(&places, &simulation);
    let mut tables = vec![flows::table(&flows, &places.stations, &ideal, end), lines::table(&places, &lines)];
    tables.push(series.queue_table(0));
    tables.extend(plan.probes.every.and_then(|every| series.line_table(every, 0)));
    tables.extend([counters.table(&places.stations), drops.table(&places.stations)]);
    if !plan.faults.is_empty() {
        tables.push(faults.table(&plan.faults, &places.stations));
    }
    let deadlock = deadlock::sentences(&simulation.deadlock(end), &places.stations);
    let trace = plan.probes.perfetto.then(|| trace::trace(&flows, &places.stations, &series, end));
    let _ = std::fs::remove_file(checkpoint::checkpoint_file(folder));
    let outcome = Outcome {
        plan,
        summary,
        unfinished,
        deadlock,
        flows,
        ideal,
        lines,
        series,
        end,
        tables,
        trace,
        captures,
        inputs,
        defect,
    };
    Ok(Ran::ToTheEnd(Box::new(outcome)))
}

/// Runs until the end, with checkpoints on the way; `None` if the run is paused, and written down.
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

/// By host, how its messages are cut into packets.
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
    /// The exit status of a command that ran it: 4 if flows have not finished, or pauses wait for each other for ever, and
    /// the plan does not accept that; 1 if packets were not conserved.
    pub fn exit_status(&self) -> u8 {
        if self.defect.is_some() {
            1
        } else if (self.unfinished.count > 0 || !self.deadlock.is_empty()) && !self.plan.end.accepts_unfinished {
            4
        } else {
            0
        }
    }
}
