//! Traffic from every host to every other.

use basis::Instant;

use crate::draw::Others;
use crate::{Application, Extent, Making, Message, Unfit, Wanted, WorkloadPlan};

/// A plan in which every host sends one message to every other host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AllToAll {
    /// The length of each message in bytes.
    pub bytes: u64,
    /// The number of messages that each host has outstanding at a time; 0 sends all at once. Each host begins with the
    /// host after it, so that not all hosts send to the same one at the same time.
    pub outstanding: u32,
}

impl WorkloadPlan for AllToAll {
    fn applications(&self, making: &Making<'_>) -> Result<Vec<Box<dyn Application>>, Unfit> {
        Ok(making.each(|host| ToAll {
            others: making.others(host),
            message: making.message.with_length(self.bytes),
            outstanding: self.outstanding as usize,
            start: Some(making.start),
            asked: 0,
        }))
    }

    fn messages(&self, extent: &Extent<'_>) -> f64 {
        let hosts = extent.hosts();
        let messages = hosts * (hosts - 1.0).max(0.0);
        match self.outstanding {
            0 => messages,
            at_once => messages.min(hosts * f64::from(at_once) + extent.carried(extent.left(), self.bytes as f64)),
        }
    }

    fn longest_message(&self) -> u64 {
        self.bytes
    }
}

/// The application of one host.
#[derive(Debug)]
pub(crate) struct ToAll {
    pub(crate) others: Others,
    /// The message to send, except for its destination.
    pub(crate) message: Wanted,
    pub(crate) outstanding: usize,
    /// The time at which the host starts; `None` once it has started.
    pub(crate) start: Option<Instant>,
    /// The number of messages asked for so far.
    pub(crate) asked: usize,
}

impl ToAll {
    fn ask(&mut self, count: usize, wanted: &mut Vec<Wanted>) {
        let hosts = self.others.addresses.len();
        for _ in 0..count.min(hosts - 1 - self.asked) {
            self.asked += 1;
            let destination = self.others.addresses[(self.others.own + self.asked) % hosts];
            wanted.push(self.message.to(destination));
        }
    }
}

impl Application for ToAll {
    fn deadline(&self) -> Option<Instant> {
        self.start
    }

    fn wake(&mut self, now: Instant, wanted: &mut Vec<Wanted>) {
        if self.start.is_some_and(|start| start <= now) {
            self.start = None;
            let count = if self.outstanding == 0 { usize::MAX } else { self.outstanding };
            self.ask(count, wanted);
        }
    }

    fn finished(&mut self, _now: Instant, _message: Message, wanted: &mut Vec<Wanted>) {
        self.ask(1, wanted);
    }

    fn remaining(&self) -> Option<u64> {
        Some((self.others.addresses.len() - 1 - self.asked) as u64)
    }
}

basis::snapshot!(ToAll { values start, asked; });
