//! When a packet without an answer is taken to be lost: timeouts that follow the round trip, and double.

use basis::{Duration, Instant};
use node::Line;
use serde::{Deserialize, Serialize};

use crate::round_trip::RoundTrip;
use crate::window::Window;

/// A packet is given the time of so many full packets on the host's line beside the measured round trip: five hops (a
/// fat-tree has so many between two hosts) with full queues of a dozen packets each, on lines of the same rate.
const MARGIN_PACKETS: u64 = 64;

/// How long after `timeouts` of them without a sign the next one comes: it doubles from the first to the longest.
pub fn doubled(first: Duration, longest: Duration, timeouts: u8) -> Duration {
    first.times(1 << timeouts.min(32)).min(longest.max(first))
}

/// How long a packet of a message may be without an answer.
///
/// It is the first timeout until a round trip was measured. From then on it is that round trip and a margin: four times
/// its variation (RFC 6298), twice the round trip, for an answer may wait for that of a packet behind it, or the time of
/// [`MARGIN_PACKETS`], whichever is most; and never more than the first timeout.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Patience {
    round_trip: RoundTrip,
    /// How often both sendings of a packet were answered: each lengthens the margin, for then packets are late and not lost
    /// (as DSACK tells RACK, RFC 8985, section 7.1).
    in_vain: u16,
}

impl Patience {
    /// A packet is answered, of which it may be known how long ago it was sent.
    pub fn answered(&mut self, now: Instant, sequence: u32, window: &Window) {
        if let Some(round_trip) = window.round_trip(now, sequence) {
            self.round_trip.measured(round_trip);
        }
    }

    /// A packet was sent again though it was there: its first sending was answered, too, and not only the second, whose
    /// answer alone would tell of a lost answer.
    pub fn was_in_vain(&mut self) {
        self.in_vain = self.in_vain.saturating_add(1);
    }

    /// How long a packet may be without an answer, on a line that takes full packets of so many bytes.
    pub fn timeout(&self, first: Duration, line: Line, packet_bytes: u32) -> Duration {
        let queues = line.time_of(packet_bytes as usize).times(MARGIN_PACKETS);
        let late = self.round_trip.mean().unwrap_or_default().times(2);
        let margin = queues.max(late).times(u64::from(self.in_vain) + 1);
        self.round_trip.timeout(margin).map_or(first, |timeout| timeout.min(first))
    }
}

#[cfg(test)]
mod tests {
    use basis::Rate;

    use super::*;

    #[test]
    fn patience_follows_the_round_trip_and_grows_with_what_was_sent_in_vain() {
        let first = Duration::from_microseconds(1000);
        let line = Line::new(Rate::from_gigabits_per_second(100), 0);
        let mut patience = Patience::default();
        // 1250 bytes take 100 ns: the margin is 6.4 us.
        let timeout = |patience: &Patience| patience.timeout(first, line, 1250);
        assert_eq!(timeout(&patience), first, "nothing was measured");
        let mut window = Window::new(200);
        for sequence in 0..200 {
            let at = Instant::from_microseconds(u64::from(sequence));
            window.sent(at, sequence, 0);
            patience.answered(at + Duration::from_microseconds(2), sequence, &window);
            window.acknowledge(sequence);
        }
        let settled = timeout(&patience);
        let microseconds = |count| Duration::from_microseconds(count);
        assert!(settled > microseconds(8) && settled < microseconds(9), "2 us and 6.4 us: {settled:?}");
        patience.was_in_vain();
        assert!(timeout(&patience) > microseconds(14), "twice the margin");
        (0..1000).for_each(|_| patience.was_in_vain());
        assert_eq!(timeout(&patience), first, "never more than the first");
    }
}
