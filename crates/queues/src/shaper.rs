//! Token buckets in exact integers: the rates of a queue and of a port.

use basis::{Instant, Rate};
use serde::{Deserialize, Serialize};

use crate::ShaperPlan;

/// The level of one byte. A bucket fills by one such unit in a picosecond at one bit per second, so that its level is
/// exact at every rate and time.
const BYTE: i128 = 8_000_000_000_000;

/// A token bucket from which packets are taken after they have gone: see [`ShaperPlan`].
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct TokenBucket {
    rate: Rate,
    /// The level of the full bucket.
    full: i128,
    /// The level at the time `since`; negative if the bucket is overdrawn.
    level: i128,
    since: Instant,
}

impl TokenBucket {
    /// Returns a bucket that is full at the start.
    pub fn new(plan: ShaperPlan) -> Self {
        let level = i128::from(plan.burst) * BYTE;
        // A packet may go up to a picosecond late, since times are whole. The next one must not be late by that too.
        let full = level + i128::from(plan.rate.bits_per_second() - 1);
        Self { rate: plan.rate, full, level, since: Instant::ZERO }
    }

    /// Replaces the plan at the time `now`. The bucket keeps its level, up to the new burst; what is overdrawn stays so.
    pub fn replace(bucket: &mut Option<Self>, plan: Option<ShaperPlan>, now: Instant) {
        let changed = |plan| {
            let new = Self::new(plan);
            match *bucket {
                Some(old) => Self { level: old.level_at(now).min(new.full), since: now, ..new },
                None => Self { since: now, ..new },
            }
        };
        *bucket = plan.map(changed);
    }

    /// Returns true if a packet may go.
    #[inline]
    pub fn is_open(&self, now: Instant) -> bool {
        self.level >= 0 || self.level_at(now) >= 0
    }

    /// Takes the bytes of a packet that goes.
    #[inline]
    pub fn take(&mut self, now: Instant, bytes: u32) {
        self.level = self.level_at(now).saturating_sub(i128::from(bytes) * BYTE);
        self.since = self.since.max(now);
    }

    /// Returns the first picosecond from which on a packet may go.
    pub fn opens_at(&self) -> Instant {
        if self.level >= 0 {
            return self.since;
        }
        let rate = u128::from(self.rate.bits_per_second()).max(1);
        let wait = u64::try_from(self.level.unsigned_abs().div_ceil(rate)).unwrap_or(u64::MAX);
        Instant::from_picoseconds(self.since.picoseconds().saturating_add(wait))
    }

    #[inline]
    fn level_at(&self, now: Instant) -> i128 {
        let elapsed = now.picoseconds().saturating_sub(self.since.picoseconds());
        // At most 2^64 picoseconds times 2^64 bits per second, which a saturating sum keeps in range.
        let gained = u128::from(elapsed) * u128::from(self.rate.bits_per_second());
        self.level.saturating_add_unsigned(gained).min(self.full)
    }
}

/// Returns true if there is no bucket, or if it lets a packet go.
#[inline]
pub(crate) fn is_open(bucket: &Option<TokenBucket>, now: Instant) -> bool {
    bucket.as_ref().is_none_or(|bucket| bucket.is_open(now))
}

/// Returns the time from which on a packet may go: the start, if there is no bucket.
pub(crate) fn opens_at(bucket: &Option<TokenBucket>) -> Instant {
    bucket.as_ref().map_or(Instant::ZERO, TokenBucket::opens_at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_opens_at_the_picosecond_at_which_it_is_no_longer_overdrawn() {
        // Seven bits a second: a byte takes 8/7 s, which is no whole number of picoseconds.
        let mut bucket = TokenBucket::new(ShaperPlan { rate: Rate::from_bits_per_second(7), burst: 1 });
        bucket.take(Instant::ZERO, 2);
        let opens = bucket.opens_at();
        assert_eq!(opens.picoseconds(), 8_000_000_000_000u64.div_ceil(7));
        assert!(bucket.is_open(opens));
        assert!(!bucket.is_open(Instant::from_picoseconds(opens.picoseconds() - 1)));
    }

    #[test]
    fn rounding_does_not_add_up() {
        let mut bucket = TokenBucket::new(ShaperPlan { rate: Rate::from_bits_per_second(7), burst: 0 });
        let mut now = Instant::ZERO;
        for _ in 0..7000 {
            bucket.take(now, 1);
            now = bucket.opens_at();
        }
        // 7000 bytes at 7 b/s take 8000 s exactly; time_of would have rounded each one up.
        assert_eq!(now.picoseconds(), 8_000 * 1_000_000_000_000);
    }

    #[test]
    fn a_new_rate_counts_from_the_change() {
        let plan = |rate| Some(ShaperPlan { rate: Rate::from_bits_per_second(rate), burst: 0 });
        let mut bucket = None;
        TokenBucket::replace(&mut bucket, plan(8), Instant::ZERO);
        bucket.as_mut().unwrap().take(Instant::ZERO, 10);
        // Ten bytes take 10 s; half of them at the old rate, half at twice the rate.
        TokenBucket::replace(&mut bucket, plan(16), Instant::from_microseconds(5_000_000));
        assert_eq!(opens_at(&bucket), Instant::from_microseconds(7_500_000));
        TokenBucket::replace(&mut bucket, None, Instant::from_microseconds(6_000_000));
        assert!(is_open(&bucket, Instant::from_microseconds(6_000_000)));
    }
}
