//! What a node waits for: its deadline, its ports, and packets that it wants sent later.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use basis::Instant;
use node::{Outbox, Port, Transmission};

/// A packet to be sent later. Those of one time go in the order in which they were asked for.
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

/// What is to happen at known times.
#[derive(Default)]
pub struct Waits {
    readies: BinaryHeap<Reverse<(Instant, Port)>>,
    later: BinaryHeap<Reverse<Later>>,
    count: u64,
}

impl Waits {
    /// Takes what an outbox wants at times; the deadline stays in there.
    pub fn take(&mut self, out: &mut Outbox) {
        self.readies.extend(out.readies.drain(..).map(|(port, at)| Reverse((at, port))));
        for transmission in out.transmissions.drain(..) {
            self.later.push(Reverse(Later { number: self.count, transmission }));
            self.count += 1;
        }
    }

    /// A port that was to hear by now that it is ready.
    pub fn ready(&mut self, now: Instant) -> Option<Port> {
        let &Reverse((_, port)) = self.readies.peek().filter(|Reverse((at, _))| *at <= now)?;
        self.readies.pop();
        Some(port)
    }

    /// A packet that is to be sent by now.
    pub fn transmission(&mut self, now: Instant) -> Option<Transmission> {
        self.later.peek().filter(|Reverse(later)| later.transmission.at <= now)?;
        self.later.pop().map(|Reverse(later)| later.transmission)
    }

    /// When there is something next.
    pub fn next(&self) -> Option<Instant> {
        let ready = self.readies.peek().map(|&Reverse((at, _))| at);
        let later = self.later.peek().map(|Reverse(later)| later.transmission.at);
        ready.into_iter().chain(later).min()
    }
}
