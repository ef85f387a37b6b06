//! Link rates, and the time that bytes take at a rate, in exact integers.

use std::fmt;

use crate::Duration;
use serde::{Deserialize, Serialize};

/// The time that one byte takes at one bit per second, in picoseconds.
const PICOSECONDS_PER_BYTE: u64 = 8_000_000_000_000;

/// A rate in bits per second, never zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Rate {
    bits_per_second: u64,
    /// The picoseconds per byte where that is a whole number, as it is for all common rates, otherwise 0.
    picoseconds_per_byte: u64,
}

impl Rate {
    /// Returns the rate of `bits_per_second` bits per second.
    ///
    /// # Panics
    /// Panics if `bits_per_second` is zero.
    pub const fn from_bits_per_second(bits_per_second: u64) -> Self {
        assert!(bits_per_second > 0, "a rate is not zero");
        let is_whole = PICOSECONDS_PER_BYTE.is_multiple_of(bits_per_second);
        let picoseconds_per_byte = if is_whole { PICOSECONDS_PER_BYTE / bits_per_second } else { 0 };
        Self { bits_per_second, picoseconds_per_byte }
    }

    /// Returns the rate of `gigabits` times 10^9 bits per second.
    ///
    /// # Panics
    /// Panics if `gigabits` is zero.
    pub const fn from_gigabits_per_second(gigabits: u64) -> Self {
        Self::from_bits_per_second(gigabits * 1_000_000_000)
    }

    /// Returns the rate in bits per second.
    pub const fn bits_per_second(self) -> u64 {
        self.bits_per_second
    }

    /// Returns the time that `bytes` bytes take, rounded up to a picosecond because the last bit has not arrived
    /// before.
    #[inline]
    pub fn time_of(self, bytes: u64) -> Duration {
        if self.picoseconds_per_byte != 0 {
            // This spares simulators a 128-bit division per packet.
            return Duration::from_picoseconds(bytes.saturating_mul(self.picoseconds_per_byte));
        }
        let time = (u128::from(bytes) * u128::from(PICOSECONDS_PER_BYTE)).div_ceil(u128::from(self.bits_per_second));
        Duration::from_picoseconds(u64::try_from(time).unwrap_or(u64::MAX))
    }

    /// Returns the number of whole bytes that can be sent within `duration`.
    pub fn bytes_in(self, duration: Duration) -> u64 {
        let bytes =
            u128::from(duration.picoseconds()) * u128::from(self.bits_per_second) / u128::from(PICOSECONDS_PER_BYTE);
        u64::try_from(bytes).unwrap_or(u64::MAX)
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bits = self.bits_per_second;
        for (unit, name) in [(1_000_000_000, "Gb/s"), (1_000_000, "Mb/s"), (1000, "kb/s")] {
            if bits.is_multiple_of(unit) {
                return write!(f, "{} {name}", bits / unit);
            }
        }
        write!(f, "{bits} b/s")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_exact_or_rounded_up_to_a_picosecond() {
        assert_eq!(Rate::from_gigabits_per_second(100).time_of(1500), Duration::from_nanoseconds(120));
        assert_eq!(Rate::from_bits_per_second(3).time_of(3), Duration::from_picoseconds(PICOSECONDS_PER_BYTE));
        assert_eq!(Rate::from_bits_per_second(3).time_of(1), Duration::from_picoseconds(2_666_666_666_667));
        let odd = Rate::from_bits_per_second(99_999_999_999);
        for bytes in 1..2000 {
            assert_eq!(odd.bytes_in(odd.time_of(bytes)), bytes);
        }
    }
}
