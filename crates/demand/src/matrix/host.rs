//! The application of one host of a connection matrix.

use std::sync::Arc;

use basis::Instant;
use node::NotBegun;

use super::{Matrix, Start};
use crate::workload::count_of;
use crate::{Application, Arrived, Extent, Making, Message, Unfit, Wanted, WorkloadPlan, would_begin};

impl WorkloadPlan for Arc<Matrix> {
    fn applications(&self, making: &Making<'_>) -> Result<Vec<Box<dyn Application>>, Unfit> {
        if self.nodes() as usize > making.hosts.len() {
            let (nodes, hosts) = (self.nodes(), count_of(making.hosts.len()));
            return Err(Unfit(format!("the connection matrix needs {nodes} hosts, but there are {hosts}")));
        }
        let host = |host| MatrixHost::new(self, host, &making.addresses, making.message.clone(), making.start);
        Ok(making.each(host))
    }

    fn messages(&self, _extent: &Extent<'_>) -> f64 {
        self.len() as f64
    }

    fn longest_message(&self) -> u64 {
        (**self).longest_message()
    }
}

/// The part of a matrix that concerns one host. A message's tag is the number of its connection.
#[derive(Debug)]
pub(crate) struct MatrixHost {
    matrix: Arc<Matrix>,
    addresses: Arc<[u32]>,
    /// The node that this host is.
    own: u32,
    /// The properties that all messages share.
    message: Wanted,
    /// The connections with a start time that have not started, with the next one at the end.
    to_come: Vec<(Instant, u32)>,
    /// The connections to this host that fire a trigger on arrival and have not arrived yet.
    awaited: Vec<u32>,
    /// The triggers that have fired here, each with the number of times.
    fired: Vec<(u32, u32)>,
    /// The number of connections of this host that have not started.
    left: u64,
}

impl MatrixHost {
    pub(crate) fn new(
        matrix: &Arc<Matrix>,
        own: usize,
        addresses: &Arc<[u32]>,
        message: Wanted,
        start: Instant,
    ) -> Self {
        let of_host = |lists: &[Vec<u32>]| lists.get(own).cloned().unwrap_or_default();
        let connections = of_host(&matrix.by_source);
        let timed = |&number: &u32| match matrix.connections[number as usize].start {
            Start::At(time) => Some((start + time, number)),
            Start::Triggered => None,
        };
        let mut to_come: Vec<(Instant, u32)> = connections.iter().filter_map(timed).collect();
        to_come.sort_unstable();
        to_come.reverse();
        Self {
            matrix: Arc::clone(matrix),
            addresses: Arc::clone(addresses),
            own: own as u32,
            message,
            to_come,
            awaited: of_host(&matrix.awaited),
            fired: Vec::new(),
            left: connections.len() as u64,
        }
    }

    fn start(&mut self, number: u32, wanted: &mut Vec<Wanted>) {
        let connection = &self.matrix.connections[number as usize];
        let destination = self.addresses[connection.destination as usize];
        let priority = connection.priority.unwrap_or(self.message.priority);
        let message = self.message.to(destination).with_length(connection.bytes);
        wanted.push(Wanted { priority, tag: number, ..message });
        self.left -= 1;
    }

    fn fire(&mut self, trigger: u32, wanted: &mut Vec<Wanted>) {
        let place = self.fired.iter().position(|&(fired, _)| fired == trigger).unwrap_or_else(|| {
            self.fired.push((trigger, 0));
            self.fired.len() - 1
        });
        self.fired[place].1 += 1;
        let (times, matrix) = (self.fired[place].1, Arc::clone(&self.matrix));
        let plan = &matrix.triggers[trigger as usize];
        let before = plan.started(times - 1).len();
        for &number in &plan.started(times)[before..] {
            self.start(number, wanted);
        }
    }
}

impl Application for MatrixHost {
    fn deadline(&self) -> Option<Instant> {
        self.to_come.last().map(|&(at, _)| at)
    }

    fn wake(&mut self, now: Instant, wanted: &mut Vec<Wanted>) {
        while let Some((_, number)) = self.to_come.pop_if(|(at, _)| *at <= now) {
            self.start(number, wanted);
        }
    }

    fn arrived(&mut self, _now: Instant, message: Arrived, wanted: &mut Vec<Wanted>) {
        let (matrix, addresses) = (&self.matrix, &self.addresses);
        // A message does not say which connection it belongs to. Of awaited connections with the same source and
        // length, the first one of the file is taken to have arrived.
        let place = self.awaited.iter().position(|&number| {
            let connection = &matrix.connections[number as usize];
            addresses[connection.source as usize] == message.source && connection.bytes == message.bytes()
        });
        if let Some(place) = place {
            let number = self.awaited.remove(place);
            if let Some(trigger) = self.matrix.connections[number as usize].received {
                self.fire(trigger, wanted);
            }
        }
    }

    fn finished(&mut self, _now: Instant, message: Message, wanted: &mut Vec<Wanted>) {
        if let Some(trigger) = self.matrix.connections.get(message.tag as usize).and_then(|connection| connection.sent)
        {
            self.fire(trigger, wanted);
        }
    }

    fn remaining(&self) -> Option<u64> {
        Some(self.left)
    }

    fn not_begun(&self, tell: &mut dyn FnMut(NotBegun)) {
        let mut tell = |number: u32, why: String| {
            let connection = &self.matrix.connections[number as usize];
            let destination = self.addresses[connection.destination as usize];
            tell(NotBegun { count: 1, destination: Some(destination), bytes: Some(connection.bytes), why });
        };
        self.to_come.iter().rev().for_each(|&(at, number)| tell(number, would_begin(at)));
        if self.left == self.to_come.len() as u64 {
            return;
        }
        // A trigger works within one host, so the count here is complete.
        for (trigger, plan) in (0..).zip(&self.matrix.triggers) {
            let times = self.fired.iter().find(|&&(fired, _)| fired == trigger).map_or(0, |&(_, times)| times);
            for &number in &plan.targets[plan.started(times).len()..] {
                if self.matrix.connections[number as usize].source == self.own {
                    tell(number, plan.why(times));
                }
            }
        }
    }
}

basis::snapshot!(MatrixHost { values to_come, awaited, fired, left; });
