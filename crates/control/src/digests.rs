//! Digests that wait for the control plane.

use std::collections::VecDeque;

use runtime::Bits;

use crate::{DigestNumber, Info};

/// Digests that wait, by their kind. A kind that nobody reads keeps only the latest ones.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct DigestQueue {
    waiting: Vec<VecDeque<Vec<Bits>>>,
    most: usize,
    lost: u64,
}

impl DigestQueue {
    /// Room for so many digests of each kind of a program.
    pub fn new(info: &Info, most: usize) -> Self {
        Self { waiting: vec![VecDeque::new(); info.digests.len()], most, lost: 0 }
    }

    /// Adds a digest: a value for each leaf of its type. The oldest is lost if there is no room.
    ///
    /// Panics if the program has no such kind.
    pub fn push(&mut self, digest: DigestNumber, values: Vec<Bits>) {
        let waiting = &mut self.waiting[digest.index()];
        waiting.push_back(values);
        if waiting.len() > self.most {
            waiting.pop_front();
            self.lost += 1;
        }
    }

    /// Takes all digests of a kind, oldest first. Panics if the program has no such kind.
    pub fn take(&mut self, digest: DigestNumber) -> Vec<Vec<Bits>> {
        std::mem::take(&mut self.waiting[digest.index()]).into()
    }

    /// How many digests were lost because nobody read them in time.
    pub fn lost(&self) -> u64 {
        self.lost
    }
}

basis::snapshot!(DigestQueue { values waiting, lost; });
