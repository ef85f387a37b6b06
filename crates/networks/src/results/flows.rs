//! The flows of a run.

use std::collections::HashMap;
use std::sync::Arc;

use basis::{Duration, Instant};
use node::MessageProgress;
use serde::{Deserialize, Serialize};
use transports::{FlowEvent, FlowId};

use report::{Column, Columns};

/// A message from one host to another, and its outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flow {
    /// The sending host, by its number.
    pub source: u32,
    /// The number of the message among those of the host.
    pub message: u32,
    /// The destination host, by its number; [`NOWHERE`] if no host has the address.
    pub destination: u32,
    /// The length in bytes, without headers.
    pub bytes: u64,
    /// The time at which the application handed it to the transport.
    pub started: Instant,
    /// The time at which the receiver had every byte.
    pub delivered: Option<Instant>,
    /// The time at which the sender knew of the delivery.
    pub completed: Option<Instant>,
    /// The time at which the sender abandoned it.
    pub abandoned: Option<Instant>,
    /// The number of bytes that are known to have arrived at the end of the run; `None` before.
    pub arrived: Option<u64>,
}

/// The number that stands for a destination address that no host has.
pub const NOWHERE: u32 = u32::MAX;

impl Flow {
    /// Returns the flow completion time, from the start to the delivery; `None` if it is not delivered.
    pub fn completion_time(&self) -> Option<Duration> {
        Some(self.delivered?.since(self.started))
    }

    /// Returns the goodput in bits per second over the completion time; `None` if it is not delivered.
    pub fn goodput(&self) -> Option<f64> {
        let time = self.completion_time()?;
        Some(self.bytes as f64 * 8.0 / time.seconds())
    }

    /// Returns whether the sender is done with the flow. A flow of which every byte has arrived may still be waiting for
    /// its acknowledgement.
    pub fn is_over(&self) -> bool {
        self.completed.is_some() || self.abandoned.is_some()
    }

    /// Returns the number of bytes that have arrived, if known.
    fn delivered_bytes(&self) -> Option<u64> {
        if self.delivered.is_some() { Some(self.bytes) } else { self.arrived }
    }

    /// Returns the goodput in bits per second. For a flow that is not delivered, it is that of the bytes that have
    /// arrived over the time until the flow was abandoned, or else until `end`.
    pub fn goodput_so_far(&self, end: Instant) -> Option<f64> {
        if self.delivered.is_some() {
            return self.goodput();
        }
        let time = self.abandoned.unwrap_or(end).since(self.started);
        Some(self.arrived? as f64 * 8.0 / time.seconds()).filter(|goodput| goodput.is_finite())
    }
}

/// Collects the flows from the events of hosts.
#[derive(Debug, Default)]
pub(super) struct Flows {
    /// The number of the host with each address. Never iterated over, since its order is not deterministic.
    hosts: HashMap<u32, u32>,
    /// The indices of flows, by host and message number.
    numbers: Vec<Vec<u32>>,
    flows: Vec<Flow>,
    delivered: usize,
}

const NONE: u32 = u32::MAX;

impl Flows {
    /// Makes an empty collection for hosts with these addresses.
    pub fn new(addresses: &[u32]) -> Self {
        let hosts = addresses.iter().zip(0..).map(|(&address, number)| (address, number)).collect();
        Self { hosts, numbers: vec![Vec::new(); addresses.len()], ..Self::default() }
    }

    /// Records an event of a flow.
    pub fn happened(&mut self, at: Instant, id: FlowId, event: FlowEvent) {
        if let FlowEvent::Started { destination, bytes } = event {
            return self.started(at, id, destination, bytes);
        }
        let Some(flow) = self.find(id) else { return };
        let flow = &mut self.flows[flow];
        match event {
            FlowEvent::Delivered if flow.delivered.is_none() => {
                flow.delivered = Some(at);
                self.delivered += 1;
            }
            FlowEvent::Completed => flow.completed = Some(at),
            FlowEvent::Abandoned => flow.abandoned = Some(at),
            _ => {}
        }
    }

    fn started(&mut self, at: Instant, id: FlowId, destination: u32, bytes: u64) {
        let Some(&source) = self.hosts.get(&id.source) else { return };
        let destination = self.hosts.get(&destination).copied().unwrap_or(NOWHERE);
        let numbers = &mut self.numbers[source as usize];
        let message = id.message as usize;
        if numbers.len() <= message {
            numbers.resize(message + 1, NONE);
        }
        numbers[message] = u32::try_from(self.flows.len()).expect("fewer than 2^32 flows");
        self.flows.push(Flow {
            source,
            message: id.message,
            destination,
            bytes,
            started: at,
            delivered: None,
            completed: None,
            abandoned: None,
            arrived: None,
        });
    }

    /// Returns the number of a flow in the order of starts.
    pub fn find(&self, id: FlowId) -> Option<usize> {
        let source = *self.hosts.get(&id.source)?;
        self.number(source, id.message).map(|number| number as usize)
    }

    /// Returns the number of a flow in the order of starts, given the number of its sending host and that of the message.
    pub fn number(&self, source: u32, message: u32) -> Option<u32> {
        let number = *self.numbers.get(source as usize)?.get(message as usize)?;
        (number != NONE).then_some(number)
    }

    /// Records how much of a flow has arrived, as reported by a station at the end.
    pub fn has_arrived(&mut self, progress: MessageProgress) {
        let id = FlowId { source: progress.source, message: progress.message };
        let Some(flow) = self.find(id) else { return };
        let flow = &mut self.flows[flow];
        flow.arrived = Some(flow.arrived.unwrap_or(0).max(progress.bytes).min(flow.bytes));
    }

    /// Ends the run: nothing has arrived of a flow about which no station reported anything.
    pub fn end(&mut self) {
        for flow in &mut self.flows {
            let known = if flow.delivered.is_some() { flow.bytes } else { 0 };
            flow.arrived = Some(flow.arrived.unwrap_or(0).max(known));
        }
    }

    /// Returns the number of flows that have started, and the number of them that are delivered.
    pub fn counts(&self) -> (usize, usize) {
        (self.flows.len(), self.delivered)
    }

    /// Returns all flows so far, in the order in which they started.
    pub fn flows(&self) -> &[Flow] {
        &self.flows
    }

    /// Returns all flows, in the order in which they started.
    pub fn into_flows(self) -> Vec<Flow> {
        self.flows
    }
}

/// Returns `flows.csv` as of a time: a row for each flow. `ideal` are the ideal completion times.
pub(super) fn table(flows: &[Flow], names: &Arc<[String]>, ideal: &[Option<Duration>], now: Instant) -> Columns {
    let counts = |of: fn(&Flow) -> u64| Column::Counts(flows.iter().map(of).collect());
    let optional = |of: fn(&Flow) -> Option<u64>| Column::Optional(flows.iter().map(of).collect());
    // An additional empty name stands for destinations that no host has.
    let with_none: Arc<[String]> = names.iter().cloned().chain([String::new()]).collect();
    let destination = |flow: &Flow| flow.destination.min(names.len() as u32);
    let sources = flows.iter().map(|flow| flow.source).collect();
    let picoseconds = |time: Option<Duration>| time.map(Duration::picoseconds);
    let slowdown = |(flow, ideal): (&Flow, &Option<Duration>)| match (flow.completion_time(), ideal) {
        (Some(time), Some(ideal)) => time.picoseconds() as f64 / ideal.picoseconds() as f64,
        _ => f64::NAN,
    };
    Columns {
        name: "flows",
        columns: vec![
            ("source", Column::Names { names: names.clone(), rows: sources }),
            ("message", counts(|flow| flow.message.into())),
            ("destination", Column::Names { names: with_none, rows: flows.iter().map(destination).collect() }),
            ("bytes", counts(|flow| flow.bytes)),
            ("started_ps", counts(|flow| flow.started.picoseconds())),
            ("delivered_ps", optional(|flow| flow.delivered.map(Instant::picoseconds))),
            ("completed_ps", optional(|flow| flow.completed.map(Instant::picoseconds))),
            ("abandoned_ps", optional(|flow| flow.abandoned.map(Instant::picoseconds))),
            (
                "completion_time_ps",
                Column::Optional(flows.iter().map(|flow| picoseconds(flow.completion_time())).collect()),
            ),
            (
                "goodput_bits_per_second",
                Column::Numbers(flows.iter().map(|flow| flow.goodput_so_far(now).unwrap_or(f64::NAN)).collect()),
            ),
            ("ideal_ps", Column::Optional(ideal.iter().copied().map(picoseconds).collect())),
            ("slowdown", Column::Numbers(flows.iter().zip(ideal).map(slowdown).collect())),
            ("delivered_bytes", optional(Flow::delivered_bytes)),
        ],
    }
}

basis::snapshot!(Flows { values numbers, flows, delivered; });
