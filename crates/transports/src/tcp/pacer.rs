//! Pacing, which spreads a window over the round-trip time instead of sending it as one burst.

use basis::{Duration, Instant, Rate};
use serde::{Deserialize, Serialize};

/// The pacing gain in percent: two windows per round trip in slow start, so that the window can double, and 1.2 windows
/// otherwise, so that pacing is not the bottleneck (as in Linux; RFC 9002, section 7.7, gives the reasons).
const GAIN_IN_SLOW_START: u64 = 200;
const GAIN: u64 = 120;

/// The time at which the next segment may be sent.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Pacer {
    next: Instant,
}

impl Pacer {
    pub fn next(&self) -> Instant {
        self.next
    }

    /// Records that a segment of `bytes` bytes is sent.
    pub fn sent(&mut self, now: Instant, bytes: u64, window: u64, round_trip: Duration, is_slow_start: bool) {
        let time = u128::from(bytes) * u128::from(round_trip.picoseconds()) * 100
            / (u128::from(window) * u128::from(gain(is_slow_start)));
        self.next = self.next.max(now) + Duration::from_picoseconds(time as u64);
    }
}

/// Returns the rate at which segments are sent.
pub fn rate(window: u64, round_trip: Duration, is_slow_start: bool) -> Rate {
    // A window in percent of bytes over a time in picoseconds, as bits per second.
    let bits = u128::from(window) * u128::from(gain(is_slow_start)) * (8 * 1_000_000_000_000 / 100);
    let per_second = bits / u128::from(round_trip.picoseconds().max(1));
    Rate::from_bits_per_second(u64::try_from(per_second).unwrap_or(u64::MAX).max(1))
}

/// Returns the pacing gain in percent.
fn gain(is_slow_start: bool) -> u64 {
    if is_slow_start { GAIN_IN_SLOW_START } else { GAIN }
}
