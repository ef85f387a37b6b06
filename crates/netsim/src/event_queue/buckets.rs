//! The lists of one level of the wheel, and which of them hold something.

use super::slab::List;

/// The lists of one level, and which of them hold something.
#[derive(Clone, Debug)]
pub(super) struct Buckets {
    /// All lists.
    lists: Vec<List>,
    /// A bit for each list that holds something.
    filled: Vec<u64>,
    /// A bit for each word of `filled` that is not zero.
    summary: [u64; 16],
}

impl Buckets {
    pub(super) fn new(count: usize) -> Self {
        Self { lists: vec![List::EMPTY; count], filled: vec![0; count.div_ceil(64)], summary: [0; 16] }
    }

    /// Makes room for so many buckets, at most 2^16; all are empty.
    pub(super) fn reserve(&mut self, count: usize) {
        if count > self.lists.len() {
            self.lists.resize(count, List::EMPTY);
            self.filled.resize(count.div_ceil(64), 0);
        }
    }

    /// The list of a bucket, to which an event is added.
    #[inline]
    pub(super) fn fill(&mut self, bucket: usize) -> &mut List {
        let word = bucket / 64;
        self.filled[word] |= 1 << (bucket % 64);
        self.summary[word / 64] |= 1 << (word % 64);
        &mut self.lists[bucket]
    }

    /// The first bucket that holds something.
    #[inline]
    pub(super) fn first(&self) -> Option<usize> {
        let group = self.summary.iter().position(|&word| word != 0)?;
        let word = group * 64 + self.summary[group].trailing_zeros() as usize;
        Some(word * 64 + self.filled[word].trailing_zeros() as usize)
    }

    /// Takes the list of the first bucket that holds something, which [`Buckets::first`] named.
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
