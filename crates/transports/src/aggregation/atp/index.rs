//! Which aggregator a fragment gets.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use wire::atp;

use super::parameters::Index;

/// How many indices are replaced one after the other at most; indices can replace each other in a circle.
const LONGEST_CHAIN: usize = 8;

/// Returns the index that replaces one with collisions: HASH(index) mod aggregators (section 3.6). All within the range of
/// the job.
pub(super) fn rehashed(index: u16, range: &Range<u32>) -> u16 {
    hashed(u32::from(index), range)
}

fn hashed(word: u32, range: &Range<u32>) -> u16 {
    // Indices have 16 bits.
    (range.start + atp::hash(word) % range.len().max(1) as u32) as u16
}

/// The indices of a worker, and those that replace them.
///
/// A worker learns of a replacement from the answer to a fragment, and all workers must use it from the same fragment on:
/// packets of a fragment with different indices never meet. So it counts for the first fragment that no worker can have
/// sent when it does not know the answer, which is a largest window later.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Indices {
    /// For an index the one that replaces it, and the first fragment for which it does.
    replaced: BTreeMap<u16, (u16, u64)>,
}

impl Indices {
    /// Returns the index for a fragment, given its job and sequence number.
    pub fn of(&self, index: Index, range: &Range<u32>, word: u32, fragment: u64) -> u16 {
        match index {
            Index::Linear => {
                let sequence = word & ((1 << atp::SEQUENCE_BITS) - 1);
                (range.start + sequence % range.len().max(1) as u32) as u16
            }
            Index::Hash => {
                let mut found = hashed(word, range);
                for _ in 0..LONGEST_CHAIN {
                    match self.replaced.get(&found) {
                        Some(&(by, from)) if fragment >= from => found = by,
                        _ => break,
                    }
                }
                found
            }
        }
    }

    /// Replaces an index from a fragment on.
    pub fn replace(&mut self, index: u16, by: u16, from: u64) {
        if index != by {
            self.replaced.entry(index).or_insert((by, from));
        }
    }

    /// Forgets all replacements.
    pub fn clear(&mut self) {
        self.replaced.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replacements_count_from_a_fragment_on_and_follow_each_other() {
        let range = 100..200;
        let mut indices = Indices::default();
        let of = |indices: &Indices, fragment| indices.of(Index::Hash, &range, 7, fragment);
        let first = of(&indices, 0);
        assert_eq!(u32::from(first), 100 + atp::hash(7) % 100);
        let second = rehashed(first, &range);
        assert_eq!(u32::from(second), 100 + atp::hash(u32::from(first)) % 100);
        indices.replace(first, second, 50);
        indices.replace(second, 111, 60);
        assert_eq!([of(&indices, 49), of(&indices, 50), of(&indices, 60)], [first, second, 111]);
        indices.replace(111, first, 0);
        assert!(range.contains(&u32::from(of(&indices, 99))), "a circle ends");
        assert_eq!(indices.of(Index::Linear, &range, 0x0500_0123, 0), 100 + 0x123 % 100);
    }
}
