//! Start-time fair queueing (Goyal, Vin and Cheng, "Start-Time Fair Queueing", SIGCOMM 1996) among a few classes.
//!
//! Each class has a tag: the virtual time at which its first packet may start. The class with the least tag is served;
//! its tag then advances by the cost of the packet, which is its length divided by the weight of the class. Virtual
//! time is the tag of the packet that was taken last. A class that becomes active starts no earlier than the current
//! virtual time, so it cannot claim bandwidth that it did not use.
//!
//! Unlike deficit round robin and self-clocked fair queueing, this algorithm needs the length of a packet only once
//! the packet has been taken. Any discipline can therefore be used inside a class, including trimming, where the next
//! packet is not known in advance; and a class waits for at most one packet of each other class rather than for its
//! quantum.

use serde::{Deserialize, Serialize};

/// The largest scale of virtual time, in steps for a weight of 1. Costs are whole numbers for all weights that divide
/// the scale.
const LARGEST_SCALE: u64 = 1 << 20;

/// The virtual time shared by the classes of one port.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct VirtualTime(u64);

/// The virtual time at which the first packet of a class may start.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Tag(u64);

impl Tag {
    /// Returns the virtual time at which a packet of this `cost` would finish.
    #[inline]
    pub fn after(self, cost: u64) -> Self {
        Self(self.0.wrapping_add(cost))
    }

    /// Returns true if this tag is not after `other`. Virtual time may wrap around; tags are always close to each
    /// other.
    #[inline]
    pub fn is_not_after(self, other: Self) -> bool {
        other.0.wrapping_sub(self.0) as i64 >= 0
    }
}

impl VirtualTime {
    /// Raises the tag of a class that becomes active, or that is still paused, to the current virtual time: it has no
    /// claim to the bandwidth that others have used in the meantime.
    #[inline]
    pub fn begin(self, tag: &mut Tag) {
        if tag.is_not_after(Tag(self.0)) {
            tag.0 = self.0;
        }
    }

    /// Records that a packet of this `cost` was taken from the class with this `tag`.
    #[inline]
    pub fn take(&mut self, tag: &mut Tag, cost: u64) {
        if !tag.is_not_after(Tag(self.0)) {
            self.0 = tag.0;
        }
        *tag = tag.after(cost);
    }

    /// Resets the schedule when nothing is waiting any more: virtual time advances to the latest tag, so no class is
    /// ahead or behind when the next packet arrives.
    #[inline]
    pub fn rest(&mut self, tags: impl Iterator<Item = Tag>) {
        for tag in tags {
            if !tag.is_not_after(Tag(self.0)) {
                self.0 = tag.0;
            }
        }
    }
}

/// Returns the cost per unit for each weight. Costs are exactly inversely proportional to the weights if the weights
/// have a common multiple of up to 2^20, and otherwise accurate to within weight parts in 2^20.
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
    fn costs_are_inversely_proportional_to_weights() {
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
    fn tags_compare_across_wraparound() {
        assert!(Tag(u64::MAX - 5).is_not_after(Tag(3)));
        assert!(!Tag(3).is_not_after(Tag(u64::MAX - 5)));
    }
}
