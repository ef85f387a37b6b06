//! Messages that arrive at random times, at a given load.

use std::fmt;
use std::sync::Arc;

use basis::{Duration, Instant, Random, Rate};

use crate::draw::{Others, exponential};
use crate::{Application, Extent, FlowSizeTable, FlowSizes, Making, Unfit, Wanted, WorkloadPlan};

/// A plan in which every host asks for messages as a Poisson process, each to another host drawn uniformly at random.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Poisson {
    /// The lengths of messages.
    pub sizes: MessageSizes,
    /// The share of each host's link rate that the payload of its messages needs, without headers: greater than 0 and
    /// at most 1.
    pub load: f64,
    /// The end of the plan.
    pub end: End,
}

/// The lengths of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageSizes {
    /// All messages have this length in bytes.
    Fixed(u64),
    /// The lengths follow a published distribution of flow sizes.
    Flows(FlowSizes),
}

/// The end of random arrivals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The arrivals end at this time after the start of the plan.
    After(Duration),
    /// The arrivals end after this number of messages of all hosts together, shared evenly: some hosts ask for one more
    /// than the others if it does not divide.
    Messages(u64),
}

impl fmt::Display for MessageSizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed(bytes) => write!(f, "{bytes}B"),
            Self::Flows(sizes) => sizes.fmt(f),
        }
    }
}

/// A source of message lengths, shared by all hosts.
#[derive(Clone, Debug)]
pub(crate) enum SizesToDraw {
    Fixed(u64),
    Flows(Arc<FlowSizeTable>),
}

impl SizesToDraw {
    pub(crate) fn new(sizes: MessageSizes) -> Self {
        match sizes {
            MessageSizes::Fixed(bytes) => Self::Fixed(bytes),
            MessageSizes::Flows(sizes) => Self::Flows(Arc::new(sizes.table())),
        }
    }

    /// The mean length in bytes.
    pub(crate) fn mean(&self) -> f64 {
        match self {
            Self::Fixed(bytes) => *bytes as f64,
            Self::Flows(table) => table.mean(),
        }
    }

    fn draw(&self, random: &mut Random) -> u64 {
        match self {
            Self::Fixed(bytes) => *bytes,
            Self::Flows(table) => table.draw(random),
        }
    }
}

impl WorkloadPlan for Poisson {
    fn applications(&self, making: &Making<'_>) -> Result<Vec<Box<dyn Application>>, Unfit> {
        let (sizes, hosts) = (SizesToDraw::new(self.sizes), making.hosts.len() as u64);
        Ok(making.each(|host| {
            let (until, left) = match self.end {
                End::After(time) => (making.start + time, u64::MAX),
                End::Messages(count) => (Instant::MAX, count / hosts + u64::from((host as u64) < count % hosts)),
            };
            let place = (making.others(host), making.message.clone(), making.hosts[host].rate);
            Arrivals::new(place, (sizes.clone(), self.load), (making.start, until, left), making.random(host))
        }))
    }

    fn messages(&self, extent: &Extent<'_>) -> f64 {
        let mean = SizesToDraw::new(self.sizes).mean();
        let offered = |seconds: f64| extent.carried(seconds, mean) * self.load;
        match self.end {
            End::Messages(messages) => (messages as f64).min(offered(extent.left())),
            End::After(until) => offered(extent.seconds(until)),
        }
    }

    fn longest_message(&self) -> u64 {
        match self.sizes {
            MessageSizes::Fixed(bytes) => bytes,
            MessageSizes::Flows(sizes) => sizes.table().longest(),
        }
    }
}

/// The application of one host. It draws each arrival when the previous one happens.
#[derive(Debug)]
pub(crate) struct Arrivals {
    others: Others,
    sizes: SizesToDraw,
    /// The message to send, except for its destination and length.
    message: Wanted,
    random: Random,
    /// The mean time between messages, in picoseconds.
    mean: f64,
    next: Instant,
    /// The end of arrivals, exclusive.
    until: Instant,
    /// The number of messages that may still be asked for.
    left: u64,
}

impl Arrivals {
    /// `left` is the number of messages that this host may ask for; it is `u64::MAX` if the plan ends at a time.
    pub(crate) fn new(
        (others, message, rate): (Others, Wanted, Rate),
        (sizes, load): (SizesToDraw, f64),
        (start, until, left): (Instant, Instant, u64),
        mut random: Random,
    ) -> Self {
        let mean = sizes.mean() * 8e12 / (load * rate.bits_per_second() as f64);
        let next = start + exponential(mean, &mut random);
        Self { others, sizes, message, random, mean, next, until, left }
    }
}

impl Application for Arrivals {
    fn deadline(&self) -> Option<Instant> {
        (self.left > 0 && self.next < self.until).then_some(self.next)
    }

    fn wake(&mut self, now: Instant, wanted: &mut Vec<Wanted>) {
        while self.deadline().is_some_and(|next| next <= now) {
            let destination = self.others.draw(self.others.addresses.len(), &mut self.random);
            let bytes = self.sizes.draw(&mut self.random);
            wanted.push(self.message.to(destination).with_length(bytes));
            self.left -= 1;
            self.next += exponential(self.mean, &mut self.random);
        }
    }

    fn remaining(&self) -> Option<u64> {
        let is_counted = self.until == Instant::MAX;
        // Arrivals until a given time are not drawn yet, except for the next one.
        Some(if is_counted { self.left } else { u64::from(self.deadline().is_some()) })
    }
}

basis::snapshot!(Arrivals { values random, next, left; });
