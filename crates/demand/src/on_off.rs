//! Hosts that send at full rate for a while, and then not at all.

use basis::{Duration, Instant, Random, Rate};

use crate::draw::{Others, exponential};
use crate::{Application, Wanted};

/// A plan: every host is off, then on, and so on, for times that are exponentially distributed. While it is on it asks
/// for a message to one other host, drawn anew each time, as often as its line can carry the bytes of one: at least
/// once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OnOff {
    /// How many bytes each message has.
    pub bytes: u64,
    /// How long it is on, on average.
    pub on: Duration,
    /// How long it is off, on average.
    pub off: Duration,
    /// How long after the start the last message may come.
    pub until: Duration,
}

/// One host of it.
#[derive(Debug)]
pub(crate) struct Bursts {
    others: Others,
    /// What each message is; its destination is that of the burst.
    message: Wanted,
    random: Random,
    /// The mean times on and off, in picoseconds.
    means: [f64; 2],
    /// How long a message takes on the line.
    gap: Duration,
    next: Instant,
    /// When the burst ends.
    on_until: Instant,
    until: Instant,
}

impl Bursts {
    pub(crate) fn new(
        (others, message, rate): (Others, Wanted, Rate),
        plan: &OnOff,
        start: Instant,
        random: Random,
    ) -> Self {
        let means = [plan.on, plan.off].map(|mean| mean.picoseconds() as f64);
        let gap = rate.time_of(plan.bytes).max(Duration::from_picoseconds(1));
        let message = message.with_length(plan.bytes);
        let until = start + plan.until;
        let mut bursts = Self { others, message, random, means, gap, next: start, on_until: start, until };
        bursts.begin(start);
        bursts
    }

    /// Draws the next burst, when the last one ends.
    fn begin(&mut self, end: Instant) {
        self.next = end + exponential(self.means[1], &mut self.random);
        self.on_until = self.next + exponential(self.means[0], &mut self.random);
        let destination = self.others.draw(self.others.addresses.len(), &mut self.random);
        self.message.destinations = destination.into();
    }
}

impl Application for Bursts {
    fn deadline(&self) -> Option<Instant> {
        (self.next < self.until).then_some(self.next)
    }

    fn wake(&mut self, now: Instant, wanted: &mut Vec<Wanted>) {
        while self.deadline().is_some_and(|next| next <= now) {
            wanted.push(self.message.clone());
            self.next += self.gap;
            if self.next >= self.on_until {
                self.begin(self.on_until);
            }
        }
    }

    fn remaining(&self) -> Option<u64> {
        Some(u64::from(self.deadline().is_some()))
    }
}

basis::snapshot!(Bursts { values message, random, next, on_until; });
