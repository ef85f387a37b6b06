//! The requests of a node for later: ports to be called, and packets to be sent.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use basis::Instant;
use node::{Outbox, Port, Transmission};

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

/// The requests that are due at known times.
#[derive(Default)]
pub struct Waits {
    readies: BinaryHeap<Reverse<(Instant, Port)>>,
    later: BinaryHeap<Reverse<Later>>,
    count: u64,
}

impl Waits {
    /// Takes the requests out of an outbox, except for the deadline, which stays there. Packets that are to be sent by
    /// now are passed to `send` at once, which most are, in order of their times behind those that waited.
    pub fn take(&mut self, now: Instant, out: &mut Outbox, mut send: impl FnMut(Transmission)) {
        self.readies.extend(out.readies.drain(..).map(|(port, at)| Reverse((at, port))));
        self.due(now, &mut send);
        for transmission in out.transmissions.drain(..) {
            if transmission.at <= now && self.later.is_empty() {
                send(transmission);
            } else {
                self.later.push(Reverse(Later { number: self.count, transmission }));
                self.count += 1;
            }
        }
        self.due(now, &mut send);
    }

    /// Passes on the packets that must be sent by now.
    fn due(&mut self, now: Instant, send: &mut impl FnMut(Transmission)) {
        while self.later.peek().is_some_and(|Reverse(later)| later.transmission.at <= now) {
            self.later.pop().into_iter().for_each(|Reverse(later)| send(later.transmission));
        }
    }

    /// Returns a port that must be told by now that it is ready.
    pub fn ready(&mut self, now: Instant) -> Option<Port> {
        let &Reverse((_, port)) = self.readies.peek().filter(|Reverse((at, _))| *at <= now)?;
        self.readies.pop();
        Some(port)
    }

    /// Returns the time of the next request.
    pub fn next(&self) -> Option<Instant> {
        let ready = self.readies.peek().map(|&Reverse((at, _))| at);
        let later = self.later.peek().map(|Reverse(later)| later.transmission.at);
        ready.into_iter().chain(later).min()
    }
}
