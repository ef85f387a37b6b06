//! Sets of samples.

/// A set of samples, with one bit per sample.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Bits(Vec<u64>);

impl Bits {
    /// Returns the samples of `0..count` for which `holds` is true.
    pub(super) fn where_(count: usize, mut holds: impl FnMut(usize) -> bool) -> Self {
        let mut words = Vec::with_capacity(count.div_ceil(64));
        let mut first = 0;
        while first < count {
            let most = (count - first).min(64);
            let mut word = 0;
            let mut place = 0;
            while place < most {
                word |= u64::from(holds(first + place)) << place;
                place += 1;
            }
            words.push(word);
            first += 64;
        }
        Self(words)
    }

    pub(super) fn contains(&self, sample: usize) -> bool {
        self.0[sample / 64] >> (sample % 64) & 1 == 1
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    /// Returns the number of samples in the set.
    pub(super) fn count(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// Returns true if `holds` is true for every sample. It is called in order, and not after it has returned false.
    pub(super) fn all(&self, mut holds: impl FnMut(usize) -> bool) -> bool {
        for (place, &word) in self.0.iter().enumerate() {
            let mut left = word;
            while left != 0 {
                if !holds(place * 64 + left.trailing_zeros() as usize) {
                    return false;
                }
                left &= left - 1;
            }
        }
        true
    }

    /// Returns true if every sample of this set is in `other`.
    pub(super) fn is_in(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).all(|(a, b)| a & !b == 0)
    }

    /// Returns the samples in both sets.
    pub(super) fn and(&self, other: &Self) -> Self {
        Self(self.0.iter().zip(&other.0).map(|(a, b)| a & b).collect())
    }

    /// Returns the samples of this set that are not in `other`.
    pub(super) fn without(&self, other: &Self) -> Self {
        Self(self.0.iter().zip(&other.0).map(|(a, b)| a & !b).collect())
    }
}
