//! Deficit round robin (Shreedhar and Varghese, "Efficient Fair Queuing Using Deficit Round-Robin", IEEE/ACM Transactions
//! on Networking 4(3), 1996) among the queues of each priority.
//!
//! When the turn of a queue begins, its deficit grows by its quantum. It sends packets while the deficit covers them, and
//! keeps the rest for its next turn, unless it has become empty. A queue that may not send now (it is paused, or shaped)
//! loses its turn, not its deficit. Queues take turns in the order of their numbers.

use serde::{Deserialize, Serialize};

use crate::plan::{MOST_QUEUES, PRIORITIES};

/// A set of queue numbers, each below 128.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct QueueSet(u128);

impl QueueSet {
    pub const EMPTY: Self = Self(0);

    /// Returns the set of the first `count` numbers, at most 128.
    pub fn first(count: usize) -> Self {
        Self(if count >= MOST_QUEUES { u128::MAX } else { (1 << count) - 1 })
    }

    pub fn insert(&mut self, number: usize) {
        self.0 |= 1 << number;
    }

    pub fn remove(&mut self, number: usize) {
        self.0 &= !(1 << number);
    }

    pub fn contains(self, number: usize) -> bool {
        self.0 >> number & 1 != 0
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the numbers in rising order.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let number = (rest != 0).then(|| rest.trailing_zeros() as usize);
            rest &= rest.wrapping_sub(1);
            number
        })
    }

    pub fn filter(self, keep: impl Fn(usize) -> bool) -> Self {
        let mut kept = Self::EMPTY;
        self.iter().filter(|&number| keep(number)).for_each(|number| kept.insert(number));
        kept
    }

    /// Returns the numbers that follow `last` in rising order, and then those up to `last`.
    fn after(self, last: usize) -> impl Iterator<Item = usize> {
        let beyond = Self(self.0 & !Self::first(last + 1).0);
        beyond.iter().chain(Self(self.0 & !beyond.0).iter())
    }
}

/// What a queue asks of its turn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Appetite {
    /// The bytes on the wire of its first packet.
    pub bytes: u32,
    pub weight: u32,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Turns {
    /// The bytes that a weight of 1 is worth in a round.
    quantum: u32,
    /// The queue whose turn was last, by priority.
    last: [u8; PRIORITIES as usize],
    /// What each queue may still send in its turn, in bytes; empty until the first turn.
    deficits: Vec<u64>,
}

impl Turns {
    /// Returns true if the value can have come from [`Turns::new`] and calls of it.
    pub fn is_sound(&self) -> bool {
        let has_all = self.deficits.is_empty() || self.deficits.len() == MOST_QUEUES;
        has_all && self.quantum > 0 && self.last.iter().all(|&last| usize::from(last) < MOST_QUEUES)
    }

    pub fn new(quantum: u32) -> Self {
        Self { quantum: quantum.max(1), last: [MOST_QUEUES as u8 - 1; PRIORITIES as usize], deficits: Vec::new() }
    }

    /// Returns the queue of a `priority` that sends next: one of the `members`, whose first packets are told by
    /// `appetite`. Returns `None` only if there are no members.
    pub fn choose(&mut self, priority: u8, members: QueueSet, appetite: impl Fn(usize) -> Appetite) -> Option<usize> {
        if self.deficits.is_empty() {
            self.deficits = vec![0; MOST_QUEUES];
        }
        let Self { quantum, last, deficits } = self;
        let last = &mut last[usize::from(priority % PRIORITIES)];
        let at = usize::from(*last);
        let need = |number: usize| u64::from(appetite(number).bytes);
        if members.contains(at) && deficits[at] >= need(at) {
            return Some(at);
        }
        let worth = |number: usize| u64::from(appetite(number).weight.max(1)) * u64::from(*quantum);
        loop {
            for number in members.after(at) {
                deficits[number] = deficits[number].saturating_add(worth(number));
                if deficits[number] >= need(number) {
                    *last = number as u8;
                    return Some(number);
                }
            }
            // Nobody can send after this round, so rounds in which the same would happen are taken at once.
            let rounds = |number: usize| (need(number) - deficits[number]).div_ceil(worth(number));
            let idle = members.iter().map(rounds).min()?.saturating_sub(1);
            members.iter().for_each(|number| deficits[number] += idle * worth(number));
        }
    }

    /// Takes the bytes of a packet that a queue has sent from its deficit.
    pub fn served(&mut self, number: usize, bytes: u32) {
        if let Some(deficit) = self.deficits.get_mut(number) {
            *deficit = deficit.saturating_sub(u64::from(bytes));
        }
    }

    /// Ends the turn of a queue that has become empty: it has no claim to what it did not send.
    pub fn rest(&mut self, number: usize) {
        if let Some(deficit) = self.deficits.get_mut(number) {
            *deficit = 0;
        }
    }
}
