//! The recorder of a run, which collects the data for the results.

use basis::Instant;
use basis::snapshot::{Loader, Saver, Snapshot, Unfit};
use measure::Event;
use netsim::{LinkId, Recorder, Simulation};
use node::Reason;
use transports::Flow;
use wire::Packet;

use super::arrivals::Arrivals;
use super::captures::Captures;
use super::drops::Drops;
use super::flow_series::FlowSeries;
use super::flows::Flows;
use super::jobs::JobResults;
use super::registers::RegisterSeries;
use super::series::Series;
use super::streams::{Streams, Tables};
use super::windows::Windows;
use diagnostics::Failure;

/// The progress of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stage {
    /// The simulated time.
    pub now: Instant,
    /// The number of events so far.
    pub events: u64,
    /// The number of flows that have started.
    pub flows: usize,
    /// The number of flows of which every byte has arrived.
    pub delivered: usize,
}

/// The next step of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Continue.
    GoOn,
    /// Write a checkpoint, then continue.
    Checkpoint,
}

/// Collects the data of a run.
pub(super) struct Collector<'w> {
    pub flows: Flows,
    pub jobs: JobResults,
    pub drops: Drops,
    pub series: Series,
    pub flow_series: FlowSeries,
    pub registers: RegisterSeries,
    pub windows: Windows,
    pub arrivals: Arrivals,
    pub captures: Captures,
    pub streams: Streams<'w>,
    /// The error of a table that could not be written.
    pub trouble: Option<Failure>,
    /// Called from time to time with the progress of the run.
    pub watch: &'w mut dyn FnMut(Stage) -> Next,
}

impl Recorder for Collector<'_> {
    fn event(&mut self, at: Instant, _station: usize, event: Event) {
        match event.read() {
            Ok(Flow { flow, happened }) => self.flows.happened(at, flow, happened),
            Err(event) => {
                if let Ok(event) = event.read() {
                    self.jobs.happened(at, event);
                }
            }
        }
    }

    fn discarded(&mut self, _at: Instant, station: usize, packet: &Packet, reason: Reason) {
        self.drops.add(station, reason, packet.len());
    }

    fn carried(&mut self, at: Instant, link: LinkId, packet: &Packet) {
        self.captures.carried(at, link, packet);
    }

    fn coming(&mut self, at: Instant, link: LinkId, packet: &Packet) {
        self.arrivals.coming(at, link, packet);
        self.captures.coming(at, link, packet);
    }

    fn sample(&mut self, at: Instant, simulation: &Simulation) {
        self.series.sample(at, simulation);
        self.flow_series.sample(at, simulation, &self.flows);
        self.registers.sample(at, simulation);
    }

    fn look(&mut self, at: Instant, simulation: &Simulation) {
        self.windows.look(at, simulation, &self.flows);
    }

    fn progress(&mut self, at: Instant, simulation: &Simulation) -> bool {
        self.arrivals.settle(at);
        let tables = Tables {
            flows: &self.flows,
            series: &self.series,
            flow_series: &self.flow_series,
            registers: &self.registers,
            arrivals: &self.arrivals,
        };
        if let Err(failure) = self.streams.extend(&tables) {
            self.trouble = Some(failure);
            return false;
        }
        let (flows, delivered) = self.flows.counts();
        (self.watch)(Stage { now: at, events: simulation.events(), flows, delivered }) == Next::GoOn
    }
}

impl Snapshot for Collector<'_> {
    fn save(&self, into: &mut Saver) -> Result<(), Unfit> {
        self.flows.save(into)?;
        self.jobs.save(into)?;
        self.drops.save(into)?;
        self.series.save(into)?;
        self.flow_series.save(into)?;
        self.registers.save(into)?;
        self.windows.save(into)?;
        self.arrivals.save(into)?;
        self.captures.save(into)
    }

    fn restore(&mut self, from: &mut Loader<'_>) -> Result<(), Unfit> {
        self.flows.restore(from)?;
        self.jobs.restore(from)?;
        self.drops.restore(from)?;
        self.series.restore(from)?;
        self.flow_series.restore(from)?;
        self.registers.restore(from)?;
        self.windows.restore(from)?;
        self.arrivals.restore(from)?;
        self.captures.restore(from)
    }
}
