//! Start-time fair queueing (Goyal, Vin and Cheng, "Start-Time Fair Queueing", SIGCOMM 1996) among a few classes.
//!
//! Each class has a tag: the virtual time at which its first packet may start. The least tag goes; the class's next
//! packet starts later by what this one cost, its bytes over the class's weight. Virtual time is the tag of what was
//! taken last, and a class that begins to wait starts no earlier than that: it has no claim to what it did not use.
//!
//! This one and not deficit round robin or self-clocked fair queueing, because the length of a packet is needed only
//! once it has been taken. So any discipline can stand inside a class, trimming too, which does not know before what
//! it gives; and a class waits for at most one packet of each other class, not for their quanta.

use serde::{Deserialize, Serialize};

/// One step of virtual time for a weight of 1, so that costs are whole numbers for all weights that divide it.
const LARGEST_SCALE: u64 = 1 << 20;

/// The virtual time of one port's classes.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct VirtualTime(u64);

/// When the first packet of a class may start, in virtual time.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Tag(u64);

impl Tag {
    /// When a packet that costs so much would be done.
    #[inline]
    pub fn after(self, cost: u64) -> Self {
        Self(self.0.wrapping_add(cost))
    }

    /// True if it is not after another. Virtual time may wrap; tags are never far from each other.
    #[inline]
    pub fn is_not_after(self, other: Self) -> bool {
        other.0.wrapping_sub(self.0) as i64 >= 0
    }
}

impl VirtualTime {
    /// A class begins to wait, or still cannot go: it has no claim to what others have sent meanwhile.
    #[inline]
    pub fn begin(self, tag: &mut Tag) {
        if tag.is_not_after(Tag(self.0)) {
            tag.0 = self.0;
        }
    }

    /// A packet that costs so much was taken from a class.
    #[inline]
    pub fn take(&mut self, tag: &mut Tag, cost: u64) {
        if !tag.is_not_after(Tag(self.0)) {
            self.0 = tag.0;
        }
        *tag = tag.after(cost);
    }

    /// Nothing waits any more: whoever comes next starts after all that was, and nobody owes anything.
    #[inline]
    pub fn rest(&mut self, tags: impl Iterator<Item = Tag>) {
        for tag in tags {
            if !tag.is_not_after(Tag(self.0)) {
                self.0 = tag.0;
            }
        }
    }
}

/// What a unit costs each class, for their weights: exactly in inverse proportion where they have a common multiple
/// of up to 2^20, and within 1 part in 2^20 / weight where not.
pub(crate) fn costs(weights: &[u32]) -> Vec<u64> {
    let weights = || weights.iter().map(|&weight| u64::from(weight.max(1)));
    let multiple = weights().fold(1, |multiple, weight| {
        if multiple > LARGEST_SCALE { multiple } else { multiple / common_divisor(multiple, weight) * weight }
    });
    let scale = if multiple > LARGEST_SCALE { LARGEST_SCALE.max(weights().max().unwrap_or(1) << 10) } else { multiple };
    weights().map(|weight| (scale + weight / 2) / weight).collect()
}

fn common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { common_divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_are_in_inverse_proportion_to_weights() {
        assert_eq!(costs(&[10, 1]), [1, 10]);
        assert_eq!(costs(&[1, 2, 3]), [6, 3, 2]);
        let primes = [104_729, 99_991, 1];
        let costs = costs(&primes);
        for (weight, cost) in primes.iter().zip(&costs) {
            let exact = costs[2] as f64 / f64::from(*weight);
            assert!((*cost as f64 / exact - 1.0).abs() < 0.001, "{costs:?}");
        }
    }

    #[test]
    fn tags_are_compared_across_the_end_of_virtual_time() {
        assert!(Tag(u64::MAX - 5).is_not_after(Tag(3)));
        assert!(!Tag(3).is_not_after(Tag(u64::MAX - 5)));
    }
}
