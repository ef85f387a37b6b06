//! The time at which a packet was captured.

use serde::{Deserialize, Serialize};

/// The time since the Unix epoch, to the picosecond. Finer resolutions are rounded down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Timestamp {
    /// Whole seconds.
    pub seconds: i64,
    /// Picoseconds of the second, below 10^12.
    pub picoseconds: u64,
}

const PICOSECONDS: u64 = 1_000_000_000_000;

impl Timestamp {
    /// Returns the time of `seconds` and `picoseconds`; picoseconds beyond a second are carried over.
    pub const fn new(seconds: i64, picoseconds: u64) -> Self {
        let carried = seconds.saturating_add((picoseconds / PICOSECONDS) as i64);
        Self { seconds: carried, picoseconds: picoseconds % PICOSECONDS }
    }

    /// Returns the time of this many nanoseconds.
    pub const fn from_nanoseconds(nanoseconds: u64) -> Self {
        Self::new((nanoseconds / 1_000_000_000) as i64, nanoseconds % 1_000_000_000 * 1000)
    }

    /// Returns the picoseconds from `earlier` to this time, which may be negative.
    pub const fn picoseconds_since(self, earlier: Self) -> i128 {
        (self.seconds as i128 - earlier.seconds as i128) * PICOSECONDS as i128 + self.picoseconds as i128
            - earlier.picoseconds as i128
    }

    /// Returns the time of `ticks` of a pcapng interface. Its `resolution` byte (option if_tsresol) is a negative
    /// power of 10, or of 2 if the top bit is set, and its clock starts at `offset` seconds (option if_tsoffset).
    pub(super) fn from_ticks(ticks: u64, resolution: u8, offset: i64) -> Self {
        let exponent = u32::from(resolution & 0x7F);
        let base = if resolution & 0x80 == 0 { 10u128 } else { 2 };
        // If a second has more than 2^64 ticks, 64 bits of ticks never reach a second.
        let (seconds, picoseconds) = match base.checked_pow(exponent).filter(|&second| second <= u64::MAX.into()) {
            Some(second) => {
                let rest = u128::from(ticks) % second * u128::from(PICOSECONDS) / second;
                ((u128::from(ticks) / second) as u64, rest as u64)
            }
            None => match base.checked_pow(exponent) {
                Some(second) => (0, (u128::from(ticks) * u128::from(PICOSECONDS) / second) as u64),
                None => (0, 0),
            },
        };
        Self::new(offset.saturating_add_unsigned(seconds), picoseconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_convert_exactly_to_picoseconds() {
        assert_eq!(Timestamp::from_ticks(1_500_000, 6, 0), Timestamp::new(1, PICOSECONDS / 2));
        assert_eq!(Timestamp::from_ticks(1_000_000_001, 9, 10), Timestamp::new(11, 1000));
        assert_eq!(Timestamp::from_ticks(3, 0x81, -1), Timestamp::new(0, PICOSECONDS / 2));
        assert_eq!(Timestamp::from_ticks(u64::MAX, 0, 0).seconds, i64::MAX);
        assert_eq!(Timestamp::from_ticks(10_u64.pow(19), 20, 0), Timestamp::new(0, PICOSECONDS / 10));
        for resolution in 0..=255 {
            Timestamp::from_ticks(u64::MAX, resolution, i64::MAX);
        }
    }
}
