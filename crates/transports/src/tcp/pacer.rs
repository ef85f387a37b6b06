//! Pacing: a window is spread over the round trip instead of sent as one burst.

use basis::{Duration, Instant};
use serde::{Deserialize, Serialize};

/// In slow start twice the window a round trip, so that it can double; else a fifth more than the window, so that
/// pacing is not what limits (as Linux does; RFC 9002, section 7.7 has the reasons).
const GAIN_IN_SLOW_START: u64 = 200;
const GAIN: u64 = 120;

/// When the next segment may go.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Pacer {
    next: Instant,
}

impl Pacer {
    pub fn next(&self) -> Instant {
        self.next
    }

    /// A segment of so many bytes goes out.
    pub fn sent(&mut self, now: Instant, bytes: u64, window: u64, round_trip: Duration, is_slow_start: bool) {
        let gain = if is_slow_start { GAIN_IN_SLOW_START } else { GAIN };
        let time =
            u128::from(bytes) * u128::from(round_trip.picoseconds()) * 100 / (u128::from(window) * u128::from(gain));
        self.next = self.next.max(now) + Duration::from_picoseconds(time as u64);
    }
}
