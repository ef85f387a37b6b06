//! Hosts that alternate between sending at full rate and sending nothing.

use basis::{Duration, Instant, Random, Rate};

use crate::draw::{Others, exponential};
use crate::{Application, Extent, Making, Unfit, Wanted, WorkloadPlan};

/// A plan in which every host alternates between being off and on, for exponentially distributed times. While it is on,
/// a host asks for messages to one other host, drawn at random for each burst, as often as its link can carry their
/// payload, and at least for one message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OnOff {
    /// The length of each message in bytes.
    pub bytes: u64,
    /// The mean length of the on periods.
    pub on: Duration,
    /// The mean length of the off periods.
    pub off: Duration,
    /// The time after the start of the plan at which hosts stop sending.
    pub until: Duration,
}

impl WorkloadPlan for OnOff {
    fn applications(&self, making: &Making<'_>) -> Result<Vec<Box<dyn Application>>, Unfit> {
        Ok(making.each(|host| {
            let place = (making.others(host), making.message.clone(), making.hosts[host].rate);
            Bursts::new(place, self, making.start, making.random(host))
        }))
    }

    fn messages(&self, extent: &Extent<'_>) -> f64 {
        // During a burst a host asks for messages at its full link rate.
        let share = self.on.seconds() / (self.on.seconds() + self.off.seconds());
        extent.carried(extent.seconds(self.until), self.bytes as f64) * share
    }

    fn longest_message(&self) -> u64 {
        self.bytes
    }
}

/// The application of one host.
#[derive(Debug)]
pub(crate) struct Bursts {
    others: Others,
    /// The message to send; its destination is that of the current burst.
    message: Wanted,
    random: Random,
    /// The mean on and off times, in picoseconds.
    means: [f64; 2],
    /// The time between two messages of a burst: that of one message's payload on the link.
    gap: Duration,
    next: Instant,
    /// The time at which the current burst ends.
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

    /// Draws the next burst, given the time at which the previous one ends.
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
