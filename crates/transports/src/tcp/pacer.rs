//! Pacing, which spreads a window over the round-trip time instead of sending it as one burst.

use basis::{Duration, Instant};
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
        let gain = if is_slow_start { GAIN_IN_SLOW_START } else { GAIN };
        let time =
            u128::from(bytes) * u128::from(round_trip.picoseconds()) * 100 / (u128::from(window) * u128::from(gain));
        self.next = self.next.max(now) + Duration::from_picoseconds(time as u64);
    }
}
