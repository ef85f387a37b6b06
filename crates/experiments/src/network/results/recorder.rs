//! Watches a run and collects what results are made of.

use basis::Instant;
use measure::Event;
use netsim::{LineId, Recorder, Simulation};
use node::Reason;
use wire::Packet;

use super::captures::Captures;
use super::drops::Drops;
use super::flows::Flows;
use super::series::Series;

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stage {
    /// Simulated time.
    pub now: Instant,
    /// Events that have happened.
    pub events: u64,
    /// Flows that have started.
    pub flows: usize,
    /// Those of them of which every byte has arrived.
    pub delivered: usize,
}

/// Collects everything.
pub(super) struct Collector<'w> {
    pub flows: Flows,
    pub drops: Drops,
    pub series: Series,
    pub captures: Captures,
    /// For each line that is captured: how long a packet takes on it.
    pub lines: Vec<(LineId, netsim::topology::LinePlan)>,
    /// Told now and then how far the run is; says whether it goes on.
    pub watch: &'w mut dyn FnMut(Stage) -> bool,
}

impl Recorder for Collector<'_> {
    fn event(&mut self, at: Instant, _station: usize, event: Event) {
        if let Event::Flow { flow, happened } = event {
            self.flows.happened(at, flow, happened);
        }
    }

    fn discarded(&mut self, _at: Instant, station: usize, packet: &Packet, reason: Reason) {
        self.drops.add(station, reason, packet.len());
    }

    fn carried(&mut self, at: Instant, line: LineId, packet: &Packet) {
        // In the order of their numbers.
        let Ok(found) = self.lines.binary_search_by_key(&line.0, |(line, _)| line.0) else { return };
        let plan = &self.lines[found].1;
        let arrival = at + plan.rate.time_of(packet.len() as u64 + u64::from(plan.framing)) + plan.delay;
        self.captures.carried(at, arrival, line, packet);
    }

    fn sample(&mut self, at: Instant, simulation: &Simulation) {
        self.series.sample(at, simulation);
    }

    fn progress(&mut self, at: Instant, simulation: &Simulation) -> bool {
        let (flows, delivered) = self.flows.counts();
        (self.watch)(Stage { now: at, events: simulation.events(), flows, delivered })
    }
}
