//! The lists of one level of the timing wheel.

use super::slab::List;

/// The lists of one level, with a bitmap of those that are not empty.
#[derive(Clone, Debug)]
pub(super) struct Buckets {
    /// The lists, one per bucket.
    lists: Vec<List>,
    /// One bit for each list that is not empty.
    filled: Vec<u64>,
    /// One bit for each word of `filled` that is not zero.
    summary: [u64; 16],
}

impl Buckets {
    pub(super) fn new(count: usize) -> Self {
        Self { lists: vec![List::EMPTY; count], filled: vec![0; count.div_ceil(64)], summary: [0; 16] }
    }

    /// Grows to `count` buckets, at most 2^16; all buckets must be empty.
    pub(super) fn reserve(&mut self, count: usize) {
        if count > self.lists.len() {
            self.lists.resize(count, List::EMPTY);
            self.filled.resize(count.div_ceil(64), 0);
        }
    }

    /// Returns the list of a bucket, to which the caller adds an event.
    #[inline]
    pub(super) fn fill(&mut self, bucket: usize) -> &mut List {
        let word = bucket / 64;
        self.filled[word] |= 1 << (bucket % 64);
        self.summary[word / 64] |= 1 << (word % 64);
        &mut self.lists[bucket]
    }

    /// Returns the first bucket that is not empty.
    #[inline]
    pub(super) fn first(&self) -> Option<usize> {
        let group = self.summary.iter().position(|&word| word != 0)?;
        let word = group * 64 + self.summary[group].trailing_zeros() as usize;
        Some(word * 64 + self.filled[word].trailing_zeros() as usize)
    }

    /// Takes the list of `bucket`, which must be the first that is not empty; see [`Buckets::first`].
    #[inline]
    pub(super) fn take(&mut self, bucket: usize) -> List {
        let (group, word) = (bucket / 4096, bucket / 64);
        self.filled[word] &= self.filled[word] - 1;
        if self.filled[word] == 0 {
            self.summary[group] &= self.summary[group] - 1;
        }
        std::mem::replace(&mut self.lists[bucket], List::EMPTY)
    }
}
