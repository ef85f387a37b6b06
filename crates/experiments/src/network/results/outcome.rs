//! One run, from its plan to everything that is known of it.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use basis::{Duration, Instant};
use netsim::topology::Role;
use netsim::{Conservation, Simulation};

use super::captures::Captures;
use super::counters::Counters;
use super::drops::Drops;
use super::flows::{self, Flow, Flows};
use super::lines;
use super::places::Places;
use super::recorder::{Collector, Stage};
use super::series::Series;
use super::summary::{Collected, Summary};
use super::trace;
use super::unfinished::Unfinished;
use crate::failure::Failure;
use crate::network::build::build;
use crate::network::ideal::{Cut, Ideal};
use crate::network::plan::NetworkPlan;
use crate::results::Columns;

/// Everything that is known of a run.
pub struct Outcome {
    /// What was run.
    pub plan: NetworkPlan,
    /// In a few numbers.
    pub summary: Summary,
    /// What has not finished.
    pub unfinished: Unfinished,
    /// Every flow, in the order in which they started.
    pub flows: Vec<Flow>,
    /// How long each would have taken alone.
    pub ideal: Vec<Option<Duration>>,
    /// What probes saw.
    pub series: Series,
    /// When it ended.
    pub end: Instant,
    /// The tables: flows, links, queues, rates if lines were looked at, counters, drops.
    pub tables: Vec<Columns>,
    /// The trace for Perfetto, if the plan asks for one.
    pub trace: Option<String>,
    /// Captures that were written.
    pub captures: Vec<PathBuf>,
    /// Files that were read: what they are called, and what stood in them.
    pub inputs: Vec<(String, String)>,
    /// Why packets were not conserved, which is a defect of Polyplane and none of the plan.
    pub defect: Option<String>,
}

/// Runs a network in so many threads, on which nothing that comes out depends. Captures go into `folder`; `watch` is
/// told now and then how far the run is, and says whether it goes on.
///
/// # Errors
/// Programs of switches that cannot be read or do not fit; captures that cannot be written.
pub fn run(
    plan: NetworkPlan,
    threads: NonZeroUsize,
    folder: &Path,
    watch: &mut dyn FnMut(Stage) -> bool,
) -> Result<Outcome, Failure> {
    let (mut simulation, mut inputs) = build(&plan, threads)?;
    inputs.splice(0..0, plan.inputs.iter().cloned());
    let places = Places::new(&plan.topology);
    let series = Series::new(&places, &simulation, &plan.probes.queues, &plan.probes.links);
    let captures = Captures::create(folder, &places, &plan.probes.captures, &mut simulation)?;
    let addresses = plan.topology.stations.iter().filter_map(|station| match station.role {
        Role::Host { address, .. } => Some(address),
        Role::Switch(_) => None,
    });
    let mut collector = Collector {
        flows: Flows::new(&addresses.collect::<Vec<_>>()),
        drops: Drops::default(),
        series,
        captures,
        watch,
    };
    let ended = simulation.run(&mut collector);
    let end = simulation.now();
    let Collector { flows, drops, series, captures, .. } = collector;
    let captures = captures.finish(end)?;
    let flows = flows.into_flows();
    let ideal = ideal(&plan, &flows);
    let counters = Counters::of(&simulation, plan.topology.stations.len());
    let (conservation, defect) = match simulation.conservation() {
        Ok(conservation) => (conservation, None),
        Err(why) => (Conservation::default(), Some(why)),
    };
    let summary = Summary::new(&Collected {
        name: &plan.name,
        network: &plan.network,
        ended,
        end,
        flows: &flows,
        ideal: &ideal,
        drops: &drops,
        counters: &counters,
        hops: &simulation.hops(),
        packet_hops: simulation.packet_hops(),
        events: simulation.events(),
        conservation,
    });
    let tables = tables(&plan, &places, &simulation, (&flows, &ideal), &series, &counters, &drops);
    let trace = plan.probes.perfetto.then(|| trace::trace(&flows, &places.stations, &series, end));
    let unfinished = Unfinished::of(&flows, &places.stations, &simulation, end);
    Ok(Outcome { plan, summary, unfinished, flows, ideal, series, end, tables, trace, captures, inputs, defect })
}

fn ideal(plan: &NetworkPlan, flows: &[Flow]) -> Vec<Option<Duration>> {
    let ways = Ideal::new(&plan.topology);
    // By host, as their senders cut messages.
    let hosts = plan.topology.stations.iter().filter(|station| matches!(station.role, Role::Host { .. }));
    let cuts: Vec<Cut> = hosts.map(|host| Cut::of(plan.transport(&host.name))).collect();
    let time = |flow: &Flow| {
        let cut = *cuts.get(flow.source as usize)?;
        ways.time(flow.source as usize, flow.destination as usize, flow.bytes, cut)
    };
    flows.iter().map(time).collect()
}

fn tables(
    plan: &NetworkPlan,
    places: &Places,
    simulation: &Simulation,
    (flows, ideal): (&[Flow], &[Option<Duration>]),
    series: &Series,
    counters: &Counters,
    drops: &Drops,
) -> Vec<Columns> {
    let carried = lines::carried(places, simulation);
    let mut tables = vec![
        flows::table(flows, &places.stations, ideal),
        lines::table(places, &carried, simulation.now()),
        series.queue_table(),
    ];
    tables.extend(plan.probes.every.and_then(|every| series.line_table(every)));
    tables.push(counters.table(&places.stations));
    tables.push(drops.table(&places.stations));
    tables
}

impl Outcome {
    /// The exit status of a command that ran it: 4 if flows have not finished and the plan does not accept that, 1 if
    /// packets were not conserved.
    pub fn exit_status(&self) -> u8 {
        if self.defect.is_some() {
            1
        } else if self.unfinished.count > 0 && !self.plan.end.accepts_unfinished {
            4
        } else {
            0
        }
    }
}
