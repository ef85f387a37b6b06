//! Integer time: instants and durations in picoseconds, and clocks whose edges are exact.

use std::fmt;
use std::ops::{Add, AddAssign, Sub};

use serde::{Deserialize, Serialize};

/// A point in time, in picoseconds since the start of the run. Anyone can construct one; 2^64 ps are 213 days.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Instant(u64);

/// A length of time in picoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Duration(u64);

impl Instant {
    /// The start of the run.
    pub const ZERO: Self = Self(0);
    /// Later than everything that happens.
    pub const MAX: Self = Self(u64::MAX);

    /// The instant `picoseconds` after the start.
    pub const fn from_picoseconds(picoseconds: u64) -> Self {
        Self(picoseconds)
    }

    /// The instant `microseconds` after the start; saturates.
    pub const fn from_microseconds(microseconds: u64) -> Self {
        Self(microseconds.saturating_mul(1_000_000))
    }

    /// Picoseconds since the start.
    pub const fn picoseconds(self) -> u64 {
        self.0
    }

    /// Whole microseconds since the start.
    pub const fn microseconds(self) -> u64 {
        self.0 / 1_000_000
    }

    /// The time since `earlier`, or zero if that is later.
    pub const fn since(self, earlier: Self) -> Duration {
        Duration(self.0.saturating_sub(earlier.0))
    }
}

impl Duration {
    /// No time at all.
    pub const ZERO: Self = Self(0);

    /// A length of `picoseconds`.
    pub const fn from_picoseconds(picoseconds: u64) -> Self {
        Self(picoseconds)
    }

    /// A length of `nanoseconds`; saturates.
    pub const fn from_nanoseconds(nanoseconds: u64) -> Self {
        Self(nanoseconds.saturating_mul(1000))
    }

    /// A length of `microseconds`; saturates.
    pub const fn from_microseconds(microseconds: u64) -> Self {
        Self(microseconds.saturating_mul(1_000_000))
    }

    /// The length in picoseconds.
    pub const fn picoseconds(self) -> u64 {
        self.0
    }

    /// This long, `times` times; saturates.
    pub const fn times(self, times: u64) -> Self {
        Self(self.0.saturating_mul(times))
    }

    /// The length in seconds, rounded to the nearest `f64`.
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
/// A rational period keeps a clock that is k times as fast as another one in step with it for ever, also where
/// k does not divide the period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    numerator: u64,
    denominator: u64,
}

impl Clock {
    /// A clock of the given period, sped up `speedup` times. Panics if either is zero.
    pub fn new(period: Duration, speedup: u64) -> Self {
        assert!(period.0 > 0 && speedup > 0, "a clock needs a period");
        Self { numerator: period.0, denominator: speedup }
    }

    /// When edge `cycle` comes.
    pub fn edge(self, cycle: u64) -> Instant {
        if self.denominator == 1 {
            // A whole number of picoseconds: no division in 128 bits, which simulators would do for every cycle.
            return Instant(cycle.saturating_mul(self.numerator));
        }
        let picoseconds = u128::from(cycle) * u128::from(self.numerator) / u128::from(self.denominator);
        Instant(u64::try_from(picoseconds).unwrap_or(u64::MAX))
    }

    /// The first edge that is not before `instant`.
    pub fn first_edge_at_or_after(self, instant: Instant) -> u64 {
        // floor(n * p / q) >= t  <=>  n * p >= t * q  <=>  n >= ceil(t * q / p)
        if self.denominator == 1 {
            return instant.0.div_ceil(self.numerator);
        }
        let scaled = u128::from(instant.0) * u128::from(self.denominator);
        u64::try_from(scaled.div_ceil(u128::from(self.numerator))).unwrap_or(u64::MAX)
    }

    /// The last edge that is not after `instant`.
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
    fn edges_and_their_inverses_agree_for_periods_that_do_not_divide() {
        let clock = Clock::new(Duration::from_picoseconds(1000), 12);
        for cycle in 0..1000 {
            let edge = clock.edge(cycle);
            assert_eq!(clock.first_edge_at_or_after(edge), cycle);
            assert_eq!(clock.last_edge_at_or_before(edge), cycle);
        }
        assert_eq!(clock.edge(12), Instant::from_picoseconds(1000));
    }
}
