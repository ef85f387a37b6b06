//! What applications draw.

use std::sync::Arc;

use basis::{Duration, Instant, Random};

/// The other hosts of a network, from one of them.
#[derive(Clone, Debug)]
pub(crate) struct Others {
    /// The addresses of all hosts.
    pub(crate) addresses: Arc<[u32]>,
    /// Which of them is this one.
    pub(crate) own: usize,
}

impl Others {
    /// The address of another host; each of the first `among` is equally likely, but for this one.
    pub(crate) fn draw(&self, among: usize, random: &mut Random) -> u32 {
        if self.own >= among {
            return self.addresses[random.below(among as u64) as usize];
        }
        let other = random.below(among as u64 - 1) as usize;
        self.addresses[other + usize::from(other >= self.own)]
    }
}

/// A length of time that is exponentially distributed, by its mean in picoseconds; at least one picosecond.
pub(crate) fn exponential(mean: f64, random: &mut Random) -> Duration {
    // `unit` is never 1, so that there is a logarithm.
    let time = -libm::log(1.0 - random.unit()) * mean;
    Duration::from_picoseconds((time as u64).max(1))
}

/// An instant that is uniform in a length of time from `start`.
pub(crate) fn within(start: Instant, length: Duration, random: &mut Random) -> Instant {
    start + Duration::from_picoseconds(random.below(length.picoseconds().max(1)))
}

/// To whom each of `hosts` hosts sends: a random cycle through all of them (Sattolo 1986), so that none sends to
/// itself and none is sent to twice.
pub(crate) fn cycle(hosts: usize, random: &mut Random) -> Vec<usize> {
    let mut to: Vec<usize> = (0..hosts).collect();
    for last in (1..hosts).rev() {
        to.swap(last, random.below(last as u64) as usize);
    }
    to
}
