//! Every host sends to every other.

use basis::Instant;

use crate::draw::Others;
use crate::{Application, Message, Wanted};

/// A plan: every host sends one message to every other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AllToAll {
    /// How many bytes each message has.
    pub bytes: u64,
    /// How many messages of a host are under way at a time; 0 is all at once. Each host begins with its neighbour by
    /// number, so that no host is sent to by all at once.
    pub outstanding: u32,
}

/// One host of it.
#[derive(Debug)]
pub(crate) struct ToAll {
    pub(crate) others: Others,
    /// What each message is, but for its destination.
    pub(crate) message: Wanted,
    pub(crate) outstanding: usize,
    /// When it starts; `None` when it has.
    pub(crate) start: Option<Instant>,
    /// How many messages were asked for.
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
