//! How much of its time a node gives to those who ask it while packets wait.

use basis::{Duration, Instant};

/// The pause after work, as a multiple of its time: work takes at most one part in 25, so that packets lose less than 5% of
/// the node to whoever asks without pause, with what asking costs beside the work itself.
const PAUSE: u64 = 24;
/// The longest pause, which work of 10 ms deserves. What takes longer, such as putting another node into its place, happens
/// rarely, and whoever comes next is not to wait for seconds.
const LONGEST_PAUSE: Duration = Duration::from_microseconds(250_000);

/// The share of those who ask in the time of a node that has more packets than it can carry. While it keeps up with them,
/// nobody needs a share.
#[derive(Debug, Default)]
pub(crate) struct Share {
    /// The end of the pause.
    until: Instant,
}

impl Share {
    /// Returns whether it is time for work.
    pub(crate) fn permits(&self, now: Instant) -> bool {
        now >= self.until
    }

    /// Learns of work that has been done.
    pub(crate) fn has_worked(&mut self, began: Instant, ended: Instant) {
        self.until = ended + ended.since(began).times(PAUSE).min(LONGEST_PAUSE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_without_end_gets_a_twenty_fifth_of_the_time() {
        let mut share = Share::default();
        let (mut now, mut worked) = (Instant::ZERO, Duration::ZERO);
        for piece in 1..=100 {
            assert!(share.permits(now));
            let time = Duration::from_microseconds(piece);
            share.has_worked(now, now + time);
            worked = worked + time;
            now += time;
            assert!(!share.permits(now));
            now += time.times(PAUSE);
        }
        assert_eq!(now, Instant::ZERO + worked.times(25));
    }

    #[test]
    fn nobody_waits_long_because_of_others() {
        let mut share = Share::default();
        let ended = Instant::ZERO + Duration::from_microseconds(10_000_000);
        share.has_worked(Instant::ZERO, ended);
        assert!(share.permits(ended + LONGEST_PAUSE));
    }
}
