//! Digests that wait for the control plane.

use std::collections::VecDeque;

use runtime::Bits;

use crate::{DigestNumber, Info};

/// The queues of waiting digests, one for each kind of digest. If a queue is full, its oldest digests are lost.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct DigestQueue {
    waiting: Vec<VecDeque<Vec<Bits>>>,
    most: usize,
    lost: u64,
}

impl DigestQueue {
    /// Creates queues with room for `most` digests of each kind in the program.
    pub fn new(info: &Info, most: usize) -> Self {
        Self { waiting: vec![VecDeque::new(); info.digests.len()], most, lost: 0 }
    }

    /// Adds a digest, with a value for each leaf of its type. The oldest digest of this kind is lost if there is no
    /// room.
    ///
    /// # Panics
    /// Panics if the program has no such kind of digest.
    pub fn push(&mut self, digest: DigestNumber, values: Vec<Bits>) {
        let waiting = &mut self.waiting[digest.index()];
        waiting.push_back(values);
        if waiting.len() > self.most {
            waiting.pop_front();
            self.lost += 1;
        }
    }

    /// Removes and returns all digests of a kind, oldest first.
    ///
    /// # Panics
    /// Panics if the program has no such kind of digest.
    pub fn take(&mut self, digest: DigestNumber) -> Vec<Vec<Bits>> {
        std::mem::take(&mut self.waiting[digest.index()]).into()
    }

    /// Returns the number of digests that were lost because they were not read in time.
    pub fn lost(&self) -> u64 {
        self.lost
    }
}

basis::snapshot!(DigestQueue { values waiting, lost; });
