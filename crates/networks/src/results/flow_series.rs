//! What senders knew of chosen flows over time.

use std::sync::Arc;

use basis::Instant;
use netsim::Simulation;
use node::SenderState;
use serde::{Deserialize, Serialize};

use super::flows::{Flow, Flows};
use crate::plan::FlowPattern;
use report::{Column, Columns};

/// Periodic samples of chosen flows: for each flow one at every sampling time from its start on, until its sender knows
/// that it has arrived or has abandoned it, and one behind that.
#[derive(Debug)]
pub struct FlowSeries {
    patterns: Vec<FlowPattern>,
    /// The names of all stations, of which hosts are the first.
    names: Arc<[String]>,
    samples: Vec<FlowSample>,
    /// The flows that are sampled next time, in the order of their numbers.
    watched: Vec<Watched>,
    /// The number of flows that have been held against the patterns.
    seen: u32,
}

/// What the sender of a flow knew of it at one time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FlowSample {
    /// The time of the sample.
    pub at: Instant,
    /// The time of the previous sample of the flow; the start of the flow for the first one.
    pub since: Instant,
    /// The number of the flow in the order in which flows started.
    pub flow: u32,
    /// The number of bytes that were acknowledged at the time of the previous sample.
    pub before: u64,
    /// What the sender knew. After the end of the flow, this is only how much was acknowledged.
    pub state: SenderState,
}

/// A flow that is sampled next time, with the time of its last sample and the bytes that were acknowledged then.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Watched {
    flow: u32,
    since: Instant,
    before: u64,
}

impl FlowSample {
    /// Returns the rate in bits per second at which bytes were acknowledged since the previous sample; no number if no time
    /// has passed.
    pub fn bits_per_second(&self) -> f64 {
        let bits = 8 * (self.state.acknowledged - self.before);
        bits as f64 * 1e12 / self.at.since(self.since).picoseconds() as f64
    }
}

impl FlowSeries {
    /// Makes a series of the flows that one of the patterns matches.
    pub(super) fn new(patterns: &[FlowPattern], names: Arc<[String]>) -> Self {
        Self { patterns: patterns.to_vec(), names, samples: Vec::new(), watched: Vec::new(), seen: 0 }
    }

    /// Takes a sample of every flow that is under way or has ended since the last one.
    pub(super) fn sample(&mut self, at: Instant, simulation: &Simulation, flows: &Flows) {
        if self.patterns.is_empty() {
            return;
        }
        let all = flows.flows();
        for flow in self.seen..all.len() as u32 {
            let Flow { source, message, destination, started, .. } = all[flow as usize];
            let [source, destination] = [source, destination].map(|host| self.names.get(host as usize));
            let destination = destination.map(String::as_str);
            let source = source.map_or("", String::as_str);
            if self.patterns.iter().any(|pattern| pattern.matches(source, message, destination)) {
                self.watched.push(Watched { flow, since: started, before: 0 });
            }
        }
        self.seen = all.len() as u32;
        let states = self.states(at, simulation, flows);
        for (watched, state) in self.watched.iter_mut().zip(states) {
            let Flow { message, bytes, completed, .. } = all[watched.flow as usize];
            let acknowledged = if completed.is_some() { bytes } else { watched.before };
            let mut state = state.unwrap_or(SenderState { message, acknowledged, ..SenderState::default() });
            state.acknowledged = state.acknowledged.max(acknowledged);
            let Watched { flow, since, before } = *watched;
            self.samples.push(FlowSample { at, since, flow, before, state });
            (watched.since, watched.before) = (at, state.acknowledged);
        }
        self.watched.retain(|watched| !all[watched.flow as usize].is_over());
    }

    /// Asks the senders of all watched flows, each sender once.
    fn states(&self, at: Instant, simulation: &Simulation, flows: &Flows) -> Vec<Option<SenderState>> {
        let mut states = vec![None; self.watched.len()];
        let mut sources: Vec<u32> =
            self.watched.iter().map(|watched| flows.flows()[watched.flow as usize].source).collect();
        sources.sort_unstable();
        sources.dedup();
        for source in sources {
            simulation.station(source as usize).senders(at, &mut |state| {
                let number = flows.number(source, state.message);
                let place = number.map(|number| self.watched.binary_search_by_key(&number, |watched| watched.flow));
                if let Some(Ok(place)) = place {
                    states[place] = Some(state);
                }
            });
        }
        states
    }

    /// Takes the last sample at the end of the run, in place of those that were taken then, before the last packets, and
    /// afterwards, while timers ran.
    pub(super) fn end(&mut self, end: Instant, simulation: &Simulation, flows: &Flows) {
        let behind = self.samples.partition_point(|sample| sample.at < end);
        // The first of a flow's samples that are taken back says from where it goes on, so it is the last that counts here.
        for FlowSample { flow, since, before, .. } in self.samples.drain(behind..).rev() {
            let again = Watched { flow, since, before };
            match self.watched.binary_search_by_key(&flow, |watched| watched.flow) {
                Ok(place) => self.watched[place] = again,
                Err(place) => self.watched.insert(place, again),
            }
        }
        self.sample(end, simulation, flows);
    }

    /// Returns all samples, in the order of their times, those of one time in the order of their flows.
    pub fn samples(&self) -> &[FlowSample] {
        &self.samples
    }

    /// Returns `flow-series.csv` from a row on: a row for each sample; `None` if no flows are sampled.
    pub(super) fn table(&self, flows: &[Flow], from: usize) -> Option<Columns> {
        if self.patterns.is_empty() {
            return None;
        }
        let samples = &self.samples[from..];
        let hosts = |host: fn(&Flow) -> u32| {
            // An additional empty name stands for destinations that no host has.
            let names: Arc<[String]> = self.names.iter().cloned().chain([String::new()]).collect();
            let nowhere = self.names.len() as u32;
            let row = |sample: &FlowSample| host(&flows[sample.flow as usize]).min(nowhere);
            Column::Names { names, rows: samples.iter().map(row).collect() }
        };
        let counts = |of: fn(&FlowSample) -> u64| Column::Counts(samples.iter().map(of).collect());
        let optional = |of: fn(&SenderState) -> Option<u64>| {
            Column::Optional(samples.iter().map(|sample| of(&sample.state)).collect())
        };
        Some(Columns {
            name: "flow-series",
            columns: vec![
                ("time_ps", counts(|sample| sample.at.picoseconds())),
                ("source", hosts(|flow| flow.source)),
                ("message", counts(|sample| sample.state.message.into())),
                ("destination", hosts(|flow| flow.destination)),
                ("acknowledged_bytes", counts(|sample| sample.state.acknowledged)),
                ("bits_per_second", Column::Numbers(samples.iter().map(FlowSample::bits_per_second).collect())),
                ("window_bytes", optional(|state| state.window)),
                ("sending_bits_per_second", optional(|state| state.rate.map(|rate| rate.bits_per_second()))),
                ("round_trip_ps", optional(|state| state.round_trip.map(|time| time.picoseconds()))),
            ],
        })
    }
}

basis::snapshot!(FlowSeries { values samples, watched, seen; });
