//! The requests of a node for later, and the driver's own.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use basis::Instant;
use node::{Outbox, Port, Transmission};

use crate::Lateness;

/// A packet to be sent later. Packets for the same time are sent in the order in which they were requested.
struct Later {
    number: u64,
    transmission: Transmission,
}

impl Later {
    fn key(&self) -> (Instant, u64) {
        (self.transmission.at, self.number)
    }
}

impl Ord for Later {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl PartialOrd for Later {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Later {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Later {}

/// Something to be done at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Due {
    /// The node is to be told that a port is ready.
    Ready(Port),
    /// An interface that had no room is tried again, by its position.
    Retry(usize),
    /// An interface from which nothing was to be fetched until now may have frames, by its position.
    Fetch(usize),
}

/// The requests that are due at known times.
#[derive(Default)]
pub struct Waits {
    dues: BinaryHeap<Reverse<(Instant, Due)>>,
    later: BinaryHeap<Reverse<Later>>,
    count: u64,
}

impl Waits {
    /// Takes the requests out of an outbox, except for the deadline, which stays there. Packets that are to be sent by
    /// now are passed to `send` at once, which most are, in order of their times behind those that waited. Counts in
    /// `lateness` how late those were.
    pub fn take(
        &mut self,
        now: Instant,
        out: &mut Outbox,
        lateness: &mut Lateness,
        mut send: impl FnMut(Transmission),
    ) {
        self.dues.extend(out.readies.drain(..).map(|(port, at)| Reverse((at, Due::Ready(port)))));
        self.send_due(now, lateness, &mut send);
        for transmission in out.transmissions.drain(..) {
            if transmission.at <= now && self.later.is_empty() {
                send(transmission);
            } else {
                self.later.push(Reverse(Later { number: self.count, transmission }));
                self.count += 1;
            }
        }
        self.send_due(now, lateness, &mut send);
    }

    /// Returns true if a packet must be sent by now.
    pub fn must_send(&self, now: Instant) -> bool {
        self.later.peek().is_some_and(|Reverse(later)| later.transmission.at <= now)
    }

    /// Passes on the packets that must be sent by now.
    fn send_due(&mut self, now: Instant, lateness: &mut Lateness, send: &mut impl FnMut(Transmission)) {
        while self.must_send(now) {
            if let Some(Reverse(Later { transmission, .. })) = self.later.pop() {
                lateness.add(now.since(transmission.at));
                send(transmission);
            }
        }
    }

    /// Returns the number of packets that are to be sent later. A packet that is to be cut counts as its segments.
    pub fn held(&self) -> u64 {
        self.later.iter().map(|Reverse(later)| later.transmission.packet.segments().count).sum()
    }

    /// Returns the number of packets that are to be sent later. A packet that is to be cut counts once.
    pub fn frames(&self) -> u64 {
        self.later.len() as u64
    }

    /// Adds something to be done at a time.
    pub fn add(&mut self, at: Instant, due: Due) {
        self.dues.push(Reverse((at, due)));
    }

    /// Returns something that must be done by now, and the time at which it was to be done.
    pub fn due(&mut self, now: Instant) -> Option<(Instant, Due)> {
        let &Reverse(due) = self.dues.peek().filter(|Reverse((at, _))| *at <= now)?;
        self.dues.pop();
        Some(due)
    }

    /// Gives positions of interfaces other numbers; what is due for one without a number is forgotten.
    pub fn rename(&mut self, renamed: impl Fn(usize) -> Option<usize>) {
        let dues = std::mem::take(&mut self.dues).into_iter();
        self.dues = dues
            .filter_map(|Reverse((at, due))| match due {
                Due::Retry(position) => Some(Reverse((at, Due::Retry(renamed(position)?)))),
                Due::Fetch(position) => Some(Reverse((at, Due::Fetch(renamed(position)?)))),
                Due::Ready(_) => Some(Reverse((at, due))),
            })
            .collect();
    }

    /// Forgets which ports the node wanted to hear of.
    pub fn forget_readies(&mut self) {
        self.dues.retain(|Reverse((_, due))| !matches!(due, Due::Ready(_)));
    }

    /// Returns the time of the next request.
    pub fn next(&self) -> Option<Instant> {
        let due = self.dues.peek().map(|&Reverse((at, _))| at);
        let later = self.later.peek().map(|Reverse(later)| later.transmission.at);
        due.into_iter().chain(later).min()
    }
}
