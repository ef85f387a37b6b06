//! What became of every flow.

use std::collections::HashMap;
use std::sync::Arc;

use basis::{Duration, Instant};
use node::Progress;
use serde::{Deserialize, Serialize};
use transports::{FlowEvent, FlowId};

use report::{Column, Columns};

/// A message from one host to another, and what became of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flow {
    /// The host that sends it, by its number.
    pub source: u32,
    /// Its number among the messages of that host.
    pub message: u32,
    /// The host to which it goes, by its number; [`NOWHERE`] if no host has its address.
    pub destination: u32,
    /// How many bytes, headers not counted.
    pub bytes: u64,
    /// When its application handed it over.
    pub started: Instant,
    /// When its receiver had every byte.
    pub delivered: Option<Instant>,
    /// When its sender knew.
    pub completed: Option<Instant>,
    /// When its sender gave it up.
    pub abandoned: Option<Instant>,
    /// How many of its bytes have arrived at least, as is known at the end of the run; `None` before.
    pub arrived: Option<u64>,
}

/// Stands for a destination that no host has.
pub const NOWHERE: u32 = u32::MAX;

impl Flow {
    /// How long it took until its receiver had every byte.
    pub fn completion_time(&self) -> Option<Duration> {
        Some(self.delivered?.since(self.started))
    }

    /// Its bytes over that time, in bits per second.
    pub fn goodput(&self) -> Option<f64> {
        let time = self.completion_time()?;
        Some(self.bytes as f64 * 8.0 / time.seconds())
    }

    /// How many of its bytes have arrived, as far as is known.
    fn delivered_bytes(&self) -> Option<u64> {
        if self.delivered.is_some() { Some(self.bytes) } else { self.arrived }
    }

    /// The same of a flow that is not delivered: its bytes so far over the time until it was given up, or else `end`.
    pub fn goodput_so_far(&self, end: Instant) -> Option<f64> {
        if self.delivered.is_some() {
            return self.goodput();
        }
        let time = self.abandoned.unwrap_or(end).since(self.started);
        Some(self.arrived? as f64 * 8.0 / time.seconds()).filter(|goodput| goodput.is_finite())
    }
}

/// Collects what hosts tell of flows.
#[derive(Debug, Default)]
pub(super) struct Flows {
    /// The number of the host with each address. Only asked, never gone through.
    hosts: HashMap<u32, u32>,
    /// By host and message number: which flow.
    numbers: Vec<Vec<u32>>,
    flows: Vec<Flow>,
    delivered: usize,
}

const NONE: u32 = u32::MAX;

impl Flows {
    /// No flows yet, among hosts of these addresses.
    pub fn new(addresses: &[u32]) -> Self {
        let hosts = addresses.iter().zip(0..).map(|(&address, number)| (address, number)).collect();
        Self { hosts, numbers: vec![Vec::new(); addresses.len()], ..Self::default() }
    }

    /// Something happened to a flow.
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

    fn find(&self, id: FlowId) -> Option<usize> {
        let source = *self.hosts.get(&id.source)?;
        let number = *self.numbers[source as usize].get(id.message as usize)?;
        (number != NONE).then_some(number as usize)
    }

    /// So much of a flow has arrived, as a station knows at the end.
    pub fn has_arrived(&mut self, progress: Progress) {
        let id = FlowId { source: progress.source, message: progress.message };
        let Some(flow) = self.find(id) else { return };
        let flow = &mut self.flows[flow];
        flow.arrived = Some(flow.arrived.unwrap_or(0).max(progress.bytes).min(flow.bytes));
    }

    /// The run is over: of a flow of which nobody knows anything nothing has arrived.
    pub fn end(&mut self) {
        for flow in &mut self.flows {
            let known = if flow.delivered.is_some() { flow.bytes } else { 0 };
            flow.arrived = Some(flow.arrived.unwrap_or(0).max(known));
        }
    }

    /// How many have started, and how many of them are delivered.
    pub fn counts(&self) -> (usize, usize) {
        (self.flows.len(), self.delivered)
    }

    /// All flows so far, in the order in which they started.
    pub fn flows(&self) -> &[Flow] {
        &self.flows
    }

    /// All flows, in the order in which they started.
    pub fn into_flows(self) -> Vec<Flow> {
        self.flows
    }
}

/// `flows.csv`: a row for each flow, at a time. `ideal` says how long each would take alone.
pub(super) fn table(flows: &[Flow], names: &Arc<[String]>, ideal: &[Option<Duration>], now: Instant) -> Columns {
    let counts = |of: fn(&Flow) -> u64| Column::Counts(flows.iter().map(of).collect());
    let optional = |of: fn(&Flow) -> Option<u64>| Column::Optional(flows.iter().map(of).collect());
    // One more name, for destinations that no host has.
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
