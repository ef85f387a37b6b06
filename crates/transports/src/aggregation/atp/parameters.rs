//! The parameters of ATP. All hosts of a job have the same.

use basis::Duration;
use serde::{Deserialize, Serialize};
use wire::atp;

use crate::aggregation::FixedPoint;

/// The numbers that a job sums.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Arithmetic {
    /// Integers of 32 bits. Sums are clamped.
    Integers,
    /// Floating-point numbers, which are sent as integers.
    Floats(FixedPoint),
}

/// How a fragment gets its aggregator, among those that the job may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Index {
    /// By the hash of job and sequence number, modulo the largest window, and by that of the index where the server saw a
    /// collision (section 3.6).
    Hash,
    /// By the sequence number (section 5.4.2). With a range of aggregators for each job, this is the static partition of
    /// section 5.4.1.
    Linear,
}

/// The parameters of workers and servers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AtpParameters {
    /// What the job sums.
    pub arithmetic: Arithmetic,
    /// The number of values in a packet: [`atp::VALUES`], or [`atp::VALUES_OF_ONE_PASS`] for switches that process a packet
    /// in a single pass.
    pub values: usize,
    /// How a fragment gets its aggregator.
    pub index: Index,
    /// Whether the window follows congestion (section 3.7); otherwise it stays what it is at first.
    pub congestion_control: bool,
    /// The window at first, in packets.
    pub initial_window: u32,
    /// The largest window, in packets, at most 8192. A worker is never further ahead of its oldest fragment without an
    /// answer, and servers keep answers for as long as this allows somebody to need them.
    pub largest_window: u32,
    /// The time after which a packet without an answer is lost, if later answers do not tell so before. It doubles with
    /// each timeout in a row.
    pub timeout: Duration,
    /// Whether packets with values whose sum could overflow go straight to the server (appendix B.2).
    pub proactive: bool,
    /// Whether the scale of floating-point numbers follows the sums (appendix B.3).
    pub dynamic_scale: bool,
}

impl Default for AtpParameters {
    fn default() -> Self {
        Self {
            arithmetic: Arithmetic::Integers,
            values: atp::VALUES,
            index: Index::Hash,
            congestion_control: true,
            initial_window: 200,
            largest_window: 1024,
            timeout: Duration::from_microseconds(1000),
            proactive: false,
            dynamic_scale: false,
        }
    }
}

impl AtpParameters {
    /// Checks that the parameters are in range.
    pub(super) fn check(&self) {
        assert!([atp::VALUES, atp::VALUES_OF_ONE_PASS].contains(&self.values), "packets have 62 or 31 values");
        assert!((1..=8192).contains(&self.largest_window), "the largest window is 1 to 8192 packets");
        assert!((1..=self.largest_window).contains(&self.initial_window), "the window begins within its limit");
        assert!(self.timeout > Duration::ZERO, "a timeout is a time");
    }

    /// Returns the scale with which floating-point numbers begin; 1 for integers.
    pub(super) fn scale(&self) -> f64 {
        match self.arithmetic {
            Arithmetic::Integers => 1.0,
            Arithmetic::Floats(FixedPoint { scale }) => scale,
        }
    }

    /// Returns a part of the timeout. Whoever has sent something for a fragment does not do it again within this time, so
    /// that the same loss, noticed by several, is not repaired several times.
    pub(super) fn pause(&self) -> Duration {
        Duration::from_picoseconds(self.timeout.picoseconds() / 8)
    }
}
