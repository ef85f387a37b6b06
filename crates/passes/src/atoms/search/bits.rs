//! Sets of samples.

/// One bit a sample.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Bits(Vec<u64>);

impl Bits {
    /// The samples of `0..count` for which something holds.
    pub(super) fn where_(count: usize, mut holds: impl FnMut(usize) -> bool) -> Self {
        let mut words = vec![0; count.div_ceil(64)];
        for sample in 0..count {
            words[sample / 64] |= u64::from(holds(sample)) << (sample % 64);
        }
        Self(words)
    }

    pub(super) fn contains(&self, sample: usize) -> bool {
        self.0[sample / 64] >> (sample % 64) & 1 == 1
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    /// How many samples there are.
    pub(super) fn count(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// True if every sample of this set is in `other`.
    pub(super) fn is_in(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).all(|(a, b)| a & !b == 0)
    }

    /// True if no sample is in both.
    pub(super) fn is_apart(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).all(|(a, b)| a & b == 0)
    }

    /// Samples in both.
    pub(super) fn and(&self, other: &Self) -> Self {
        Self(self.0.iter().zip(&other.0).map(|(a, b)| a & b).collect())
    }

    /// Samples in this one only.
    pub(super) fn without(&self, other: &Self) -> Self {
        Self(self.0.iter().zip(&other.0).map(|(a, b)| a & !b).collect())
    }
}
