//! Integer time: instants and durations in picoseconds, and clocks whose edges are exact.

use std::fmt;
use std::ops::{Add, AddAssign, Sub};

use serde::{Deserialize, Serialize};

/// A point in time, in picoseconds since the start of the run. The range of 2^64 ps is 213 days.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Instant(u64);

/// A length of time in picoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Duration(u64);

impl Instant {
    /// The start of the run.
    pub const ZERO: Self = Self(0);
    /// The latest instant that can be represented, used as "never".
    pub const MAX: Self = Self(u64::MAX);

    /// Returns the instant `picoseconds` after the start.
    pub const fn from_picoseconds(picoseconds: u64) -> Self {
        Self(picoseconds)
    }

    /// Returns the instant `microseconds` after the start, or [`Instant::MAX`] if that is out of range.
    pub const fn from_microseconds(microseconds: u64) -> Self {
        Self(microseconds.saturating_mul(1_000_000))
    }

    /// Returns the picoseconds since the start.
    pub const fn picoseconds(self) -> u64 {
        self.0
    }

    /// Returns the whole microseconds since the start, rounded down.
    pub const fn microseconds(self) -> u64 {
        self.0 / 1_000_000
    }

    /// Returns the time since `earlier`, or zero if `earlier` is later than this instant.
    pub const fn since(self, earlier: Self) -> Duration {
        Duration(self.0.saturating_sub(earlier.0))
    }
}

impl Duration {
    /// The duration of zero picoseconds.
    pub const ZERO: Self = Self(0);

    /// Returns a duration of `picoseconds`.
    pub const fn from_picoseconds(picoseconds: u64) -> Self {
        Self(picoseconds)
    }

    /// Returns a duration of `nanoseconds`; saturates.
    pub const fn from_nanoseconds(nanoseconds: u64) -> Self {
        Self(nanoseconds.saturating_mul(1000))
    }

    /// Returns a duration of `microseconds`; saturates.
    pub const fn from_microseconds(microseconds: u64) -> Self {
        Self(microseconds.saturating_mul(1_000_000))
    }

    /// Returns the duration in picoseconds.
    pub const fn picoseconds(self) -> u64 {
        self.0
    }

    /// Returns this duration multiplied by `times`; saturates.
    pub const fn times(self, times: u64) -> Self {
        Self(self.0.saturating_mul(times))
    }

    /// Returns the duration in seconds as the nearest `f64`.
    pub fn seconds(self) -> f64 {
        self.0 as f64 * 1e-12
    }
}

impl Add<Duration> for Instant {
    type Output = Self;
    /// Saturates at [`Instant::MAX`].
    fn add(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(duration.0))
    }
}

impl Add for Duration {
    type Output = Self;
    /// Saturates.
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign<Duration> for Instant {
    fn add_assign(&mut self, duration: Duration) {
        *self = *self + duration;
    }
}

impl Sub for Instant {
    type Output = Duration;
    fn sub(self, earlier: Self) -> Duration {
        self.since(earlier)
    }
}

impl fmt::Display for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:06} us", self.0 / 1_000_000, self.0 % 1_000_000)
    }
}

/// A clock whose edge `n` lies at `n * numerator / denominator` picoseconds, rounded down.
///
/// The period is rational so that a clock that is k times as fast as another one stays in step with it forever, even
/// where k does not divide the period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    numerator: u64,
    denominator: u64,
}

impl Clock {
    /// Creates a clock that ticks `speedup` times per `period`.
    ///
    /// # Panics
    /// Panics if `period` or `speedup` is zero.
    pub fn new(period: Duration, speedup: u64) -> Self {
        assert!(period.0 > 0 && speedup > 0, "a clock needs a period");
        Self { numerator: period.0, denominator: speedup }
    }

    /// Returns the time of edge `cycle`; saturates at [`Instant::MAX`].
    pub fn edge(self, cycle: u64) -> Instant {
        if self.denominator == 1 {
            // The period is a whole number of picoseconds; this spares simulators a 128-bit division per cycle.
            return Instant(cycle.saturating_mul(self.numerator));
        }
        let picoseconds = u128::from(cycle) * u128::from(self.numerator) / u128::from(self.denominator);
        Instant(u64::try_from(picoseconds).unwrap_or(u64::MAX))
    }

    /// Returns the number of the first edge that is not before `instant`.
    pub fn first_edge_at_or_after(self, instant: Instant) -> u64 {
        // floor(n * p / q) >= t  <=>  n * p >= t * q  <=>  n >= ceil(t * q / p)
        if self.denominator == 1 {
            return instant.0.div_ceil(self.numerator);
        }
        let scaled = u128::from(instant.0) * u128::from(self.denominator);
        u64::try_from(scaled.div_ceil(u128::from(self.numerator))).unwrap_or(u64::MAX)
    }

    /// Returns the number of the last edge that is not after `instant`.
    pub fn last_edge_at_or_before(self, instant: Instant) -> u64 {
        let next = Instant(instant.0.saturating_add(1));
        // Edge 0 lies at 0, so the first edge after any instant is at least 1.
        self.first_edge_at_or_after(next) - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edge_lookups_invert_edge_for_uneven_periods() {
        let clock = Clock::new(Duration::from_picoseconds(1000), 12);
        for cycle in 0..1000 {
            let edge = clock.edge(cycle);
            assert_eq!(clock.first_edge_at_or_after(edge), cycle);
            assert_eq!(clock.last_edge_at_or_before(edge), cycle);
        }
        assert_eq!(clock.edge(12), Instant::from_picoseconds(1000));
    }
}
