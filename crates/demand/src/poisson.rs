//! Messages that come at random, at a load.

use std::fmt;
use std::sync::Arc;

use basis::{Duration, Instant, Random, Rate};

use crate::draw::{Others, exponential};
use crate::{Application, FlowSizeTable, FlowSizes, Wanted};

/// A plan: every host asks for messages to others, each equally likely, as a Poisson process.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Poisson {
    /// How long messages are.
    pub sizes: MessageSizes,
    /// How much of its line each host would need for the bytes of its messages alone, without headers: above 0, to 1.
    pub load: f64,
    /// When it ends.
    pub end: End,
}

/// How long messages are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageSizes {
    /// All alike, in bytes.
    Fixed(u64),
    /// As flows of a published distribution.
    Flows(FlowSizes),
}

/// When random arrivals end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// So long after the start.
    After(Duration),
    /// With so many messages, of all hosts together. Each host asks for as many as the others, or one more.
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

/// Sizes to draw from, shared by all hosts.
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

    /// The mean, in bytes.
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

/// One host of it. Arrivals are drawn as time goes on.
#[derive(Debug)]
pub(crate) struct Arrivals {
    others: Others,
    sizes: SizesToDraw,
    /// What each message is, but for its destination and size.
    message: Wanted,
    random: Random,
    /// The mean time between messages, in picoseconds.
    mean: f64,
    next: Instant,
    /// The first instant that is too late.
    until: Instant,
    /// How many may still come.
    left: u64,
}

impl Arrivals {
    /// `left` is how many messages this host may ask for, if the plan ends with a number.
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
        // What comes until some time is not drawn yet, but for the next one.
        Some(if is_counted { self.left } else { u64::from(self.deadline().is_some()) })
    }
}

basis::snapshot!(Arrivals { values random, next, left; });
