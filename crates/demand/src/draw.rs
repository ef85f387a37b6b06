//! Random draws that applications share.

use std::sync::Arc;

use basis::{Duration, Instant, Random};

/// The other hosts of a network, as seen from one of them.
#[derive(Clone, Debug)]
pub(crate) struct Others {
    /// The addresses of all hosts.
    pub(crate) addresses: Arc<[u32]>,
    /// The index of this host in `addresses`.
    pub(crate) own: usize,
}

impl Others {
    /// Draws the address of another host, uniformly from the first `among` hosts without this one.
    pub(crate) fn draw(&self, among: usize, random: &mut Random) -> u32 {
        if self.own >= among {
            return self.addresses[random.below(among as u64) as usize];
        }
        let other = random.below(among as u64 - 1) as usize;
        self.addresses[other + usize::from(other >= self.own)]
    }
}

/// Draws an exponentially distributed time, given its mean in picoseconds; the result is at least one picosecond.
pub(crate) fn exponential(mean: f64, random: &mut Random) -> Duration {
    // `unit` is always less than 1, so that the argument of the logarithm is positive.
    let time = -libm::log(1.0 - random.unit()) * mean;
    Duration::from_picoseconds((time as u64).max(1))
}

/// Draws an instant uniformly from the interval of the given length that begins at `start`.
pub(crate) fn within(start: Instant, length: Duration, random: &mut Random) -> Instant {
    start + Duration::from_picoseconds(random.below(length.picoseconds().max(1)))
}

/// Draws a random cycle through `hosts` hosts (Sattolo 1986) and returns the destination of each, so that no host sends
/// to itself and each receives exactly once.
pub(crate) fn cycle(hosts: usize, random: &mut Random) -> Vec<usize> {
    let mut to: Vec<usize> = (0..hosts).collect();
    for last in (1..hosts).rev() {
        to.swap(last, random.below(last as u64) as usize);
    }
    to
}
