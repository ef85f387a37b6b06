//! Retransmission timeouts that follow the round-trip time, and double.

use basis::{Duration, Instant};
use node::Link;
use serde::{Deserialize, Serialize};

use crate::round_trip::RoundTrip;
use crate::window::Window;

/// The least margin beyond the measured round-trip time, in transmission times of full packets on the host's link: five
/// hops, as between two hosts of a fat-tree, with full queues of about a dozen packets each, on links of the same rate.
const MARGIN_PACKETS: u64 = 64;

/// Returns the time to the next timeout after `timeouts` consecutive ones without an answer: it doubles from `first` up
/// to `longest`.
pub fn doubled(first: Duration, longest: Duration, timeouts: u8) -> Duration {
    first.times(1 << timeouts.min(32)).min(longest.max(first))
}

/// The estimate of how long a packet of a message may remain unanswered.
///
/// Until a round trip is measured, it is the first timeout. From then on it is the smoothed round-trip time plus a
/// margin, but at most the first timeout. The margin is the largest of four times the variation (RFC 6298), twice the
/// round-trip time (an answer may wait for that of a later packet), and the time of [`MARGIN_PACKETS`].
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Patience {
    round_trip: RoundTrip,
    /// The number of spurious retransmissions, in which both transmissions of a packet were answered. Each one
    /// lengthens the margin, because packets are then late rather than lost (as RACK learns from DSACK, RFC 8985,
    /// section 7.1).
    in_vain: u16,
}

impl Patience {
    /// Records the answer to a packet, and measures its round trip if possible.
    pub fn answered(&mut self, now: Instant, sequence: u32, window: &Window) {
        if let Some(round_trip) = window.round_trip(now, sequence) {
            self.round_trip.measured(round_trip);
        }
    }

    /// Records a spurious retransmission: the first transmission was answered as well. An answer to the second one
    /// alone would only mean that the first answer was lost.
    pub fn was_in_vain(&mut self) {
        self.in_vain = self.in_vain.saturating_add(1);
    }

    /// Returns the smoothed round-trip time; `None` before the first measurement.
    pub fn round_trip(&self) -> Option<Duration> {
        self.round_trip.mean()
    }

    /// Returns the time that a packet may remain unanswered, given the first timeout, the host's link and the length of
    /// a full packet.
    pub fn timeout(&self, first: Duration, link: Link, packet_bytes: u32) -> Duration {
        let queues = link.time_of(packet_bytes as usize).times(MARGIN_PACKETS);
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
    fn timeouts_follow_rtt_and_spurious_retransmissions() {
        let first = Duration::from_microseconds(1000);
        let link = Link::new(Rate::from_gigabits_per_second(100), 0);
        let mut patience = Patience::default();
        // 1250 bytes take 100 ns, so the margin is 6.4 us.
        let timeout = |patience: &Patience| patience.timeout(first, link, 1250);
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
