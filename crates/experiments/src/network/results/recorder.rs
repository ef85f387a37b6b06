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
        self.captures.carried(at, line, packet);
    }

    fn coming(&mut self, at: Instant, line: LineId, packet: &Packet) {
        self.captures.coming(at, line, packet);
    }

    fn sample(&mut self, at: Instant, simulation: &Simulation) {
        self.series.sample(at, simulation);
    }

    fn progress(&mut self, at: Instant, simulation: &Simulation) -> bool {
        let (flows, delivered) = self.flows.counts();
        (self.watch)(Stage { now: at, events: simulation.events(), flows, delivered })
    }
}
