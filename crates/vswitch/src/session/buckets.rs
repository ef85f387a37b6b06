//! Sessions by the time at which they are looked at again.

use basis::{Duration, Instant};

use super::list::{Links, List};

/// The number of buckets.
const BUCKETS: u64 = 512;
/// The time that a bucket stands for.
const TICK: Duration = Duration::from_microseconds(1_000_000);

/// Slots in lists by the time at which they are looked at again: a wheel of buckets of one second each. A slot that is to be
/// looked at later than the wheel reaches waits in the last bucket.
#[derive(Debug)]
pub struct Buckets {
    lists: Vec<List>,
    /// One bit for each bucket that holds a slot.
    occupied: [u64; BUCKETS as usize / 64],
    /// The number of the next tick whose bucket is looked at.
    tick: u64,
}

impl Default for Buckets {
    fn default() -> Self {
        Self { lists: vec![List::default(); BUCKETS as usize], occupied: [0; _], tick: 0 }
    }
}

impl Buckets {
    /// Begins at a time, when nothing waits.
    pub fn begin(&mut self, now: Instant) {
        self.tick = self.tick.max(tick_of(now));
    }

    /// Adds a slot that is to be looked at when a time has passed, and returns the number of its bucket. `links` gives the
    /// links of a slot for these lists.
    pub fn push<S>(&mut self, slots: &mut [S], slot: u32, at: Instant, links: impl Fn(&mut S) -> &mut Links) -> u32 {
        let tick = (tick_of(at) + 1).clamp(self.tick, self.tick + BUCKETS - 1);
        let bucket = (tick % BUCKETS) as usize;
        self.lists[bucket].push(slots, slot, links);
        self.occupied[bucket / 64] |= 1 << (bucket % 64);
        bucket as u32
    }

    /// Removes a slot from the bucket that it is in.
    pub fn remove<S>(&mut self, slots: &mut [S], slot: u32, bucket: u32, links: impl Fn(&mut S) -> &mut Links) {
        let bucket = bucket as usize;
        self.lists[bucket].remove(slots, slot, links);
        if self.lists[bucket].first().is_none() {
            self.occupied[bucket / 64] &= !(1 << (bucket % 64));
        }
    }

    /// Takes the slots of the next bucket whose time has come; `None` if there is no other one.
    pub fn take_due(&mut self, now: Instant) -> Option<List> {
        // After a long silence, going once over all buckets is enough.
        self.tick = self.tick.max((tick_of(now) + 1).saturating_sub(BUCKETS));
        if self.tick > tick_of(now) {
            return None;
        }
        let bucket = (self.tick % BUCKETS) as usize;
        self.tick += 1;
        self.occupied[bucket / 64] &= !(1 << (bucket % 64));
        Some(std::mem::take(&mut self.lists[bucket]))
    }

    /// Returns the time at which the next bucket that holds a slot is due.
    pub fn next(&self) -> Option<Instant> {
        let first = self.tick % BUCKETS;
        // One more word than there are, for the first one has bits before the present tick too.
        let ahead = (0..=self.occupied.len() as u64).find_map(|word| {
            let word = first / 64 + word;
            let bits = self.occupied[(word % self.occupied.len() as u64) as usize];
            let from = word * 64;
            let bits = if from < first { bits & (u64::MAX << (first - from)) } else { bits };
            let bucket = from + u64::from(bits.trailing_zeros());
            (bits != 0 && bucket < first + BUCKETS).then(|| bucket - first)
        })?;
        Some(Instant::ZERO + TICK.times(self.tick + ahead))
    }
}

fn tick_of(at: Instant) -> u64 {
    at.since(Instant::ZERO).picoseconds() / TICK.picoseconds()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn seconds(seconds: u64) -> Instant {
        Instant::ZERO + TICK.times(seconds)
    }

    proptest! {
        /// The next time is that of the first bucket with a slot, as a search over all of them finds it.
        #[test]
        fn the_next_bucket_is_found(begin in 0..2000u64, waits in prop::collection::vec(0..600u64, 0..5)) {
            let mut slots = [Links::default(); 5];
            let mut buckets = Buckets::default();
            buckets.begin(seconds(begin));
            for (slot, wait) in waits.iter().enumerate() {
                buckets.push(&mut slots, slot as u32, seconds(begin + wait), |links| links);
            }
            let expected = waits.iter().min().map(|wait| seconds(begin + (wait + 1).min(BUCKETS - 1)));
            prop_assert_eq!(buckets.next(), expected);
            let mut due = 0;
            let last = seconds(begin + BUCKETS);
            while let Some(mut list) = buckets.take_due(last) {
                while let Some(slot) = list.first() {
                    list.remove(&mut slots, slot, |links| links);
                    due += 1;
                }
            }
            prop_assert_eq!((due, buckets.next()), (waits.len(), None));
        }
    }
}
