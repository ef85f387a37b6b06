//! Disjoint ranges of stream positions in ascending order, for selectively acknowledged data and data that has arrived
//! out of order.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

/// Disjoint half-open ranges in ascending order, of which no two are adjacent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ranges(VecDeque<(u64, u64)>);

/// The number of positions that an operation has changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changed {
    /// The number of all of them.
    pub all: u64,
    /// The number of them below a mark.
    pub below: u64,
}

impl Changed {
    fn of(start: u64, end: u64, mark: u64) -> Self {
        Self { all: end - start, below: end.min(mark).saturating_sub(start) }
    }

    fn minus(self, other: Self) -> Self {
        Self { all: self.all - other.all, below: self.below - other.below }
    }
}

impl Ranges {
    /// Adds the positions from `start` to `end`, and counts those that were not in the set before.
    pub fn insert(&mut self, start: u64, end: u64, mark: u64) -> Changed {
        let mut changed = Changed::of(start, end, mark);
        // Most insertions extend the last range or come after it.
        let from = match self.0.back() {
            Some(&(_, last)) if last < start => self.0.len(),
            Some(&(first, _)) if first <= start => self.0.len() - 1,
            _ => self.0.partition_point(|&(_, other)| other < start),
        };
        let mut merged = (start, end);
        let mut to = from;
        while let Some(&(other_start, other_end)) = self.0.get(to)
            && other_start <= end
        {
            let overlap = (other_start.max(start), other_end.min(end));
            if overlap.0 < overlap.1 {
                changed = changed.minus(Changed::of(overlap.0, overlap.1, mark));
            }
            merged = (merged.0.min(other_start), merged.1.max(other_end));
            to += 1;
        }
        if to == from {
            self.0.insert(from, merged);
        } else {
            self.0[from] = merged;
            self.0.drain(from + 1..to);
        }
        changed
    }

    /// Removes all positions below `edge`, and counts them.
    pub fn cut_below(&mut self, edge: u64, mark: u64) -> Changed {
        let mut changed = Changed::default();
        while let Some(range) = self.0.front_mut()
            && range.0 < edge
        {
            let end = range.1.min(edge);
            let cut = Changed::of(range.0, end, mark);
            changed = Changed { all: changed.all + cut.all, below: changed.below + cut.below };
            if end < range.1 {
                range.0 = end;
                break;
            }
            self.0.pop_front();
        }
        changed
    }

    /// Returns the first gap at or after `from`: from the first position that is not in the set to the next one that
    /// is, or `u64::MAX` if there is none.
    pub fn gap(&self, from: u64) -> (u64, u64) {
        let at = self.0.partition_point(|&(_, end)| end <= from);
        let start_of = |at: usize| self.0.get(at).map_or(u64::MAX, |&(start, _)| start);
        match self.0.get(at) {
            Some(&(start, end)) if start <= from => (end, start_of(at + 1)),
            _ => (from, start_of(at)),
        }
    }

    /// Returns the range that contains a position.
    pub fn containing(&self, place: u64) -> Option<(u64, u64)> {
        let at = self.0.partition_point(|&(_, end)| end <= place);
        self.0.get(at).copied().filter(|&(start, _)| start <= place)
    }

    /// Returns the lowest range.
    pub fn first(&self) -> Option<(u64, u64)> {
        self.0.front().copied()
    }

    /// Returns the highest range.
    pub fn last(&self) -> Option<(u64, u64)> {
        self.0.back().copied()
    }

    /// Returns true if there is no position in the set.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Removes all positions.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Returns the ranges from the highest to the lowest.
    pub fn descending(&self) -> impl Iterator<Item = (u64, u64)> {
        self.0.iter().rev().copied()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn ranges_behave_like_a_set_of_positions(
            steps in proptest::collection::vec((0..60u64, 1..12u64, 0..70u64, any::<bool>()), 1..20),
        ) {
            let mut ranges = Ranges::default();
            let mut naive = [false; 80];
            for (start, length, mark, cuts) in steps {
                let range = if cuts && start < 20 { 0..start } else { start..start + length };
                let mut expected = Changed::default();
                for place in range.clone() {
                    if naive[place as usize] == (range.start == 0 && cuts && start < 20) {
                        expected.all += 1;
                        expected.below += u64::from(place < mark);
                        naive[place as usize] ^= true;
                    }
                }
                let changed = if cuts && start < 20 {
                    ranges.cut_below(start, mark)
                } else {
                    ranges.insert(range.start, range.end, mark)
                };
                prop_assert_eq!(changed, expected);
                for from in 0..75u64 {
                    let start = (from..80).find(|&place| !naive[place as usize]).unwrap();
                    let end = (start..80).find(|&place| naive[place as usize]).unwrap_or(u64::MAX);
                    prop_assert_eq!(ranges.gap(from), (start, end));
                    prop_assert_eq!(ranges.containing(from).is_some(), naive[from as usize]);
                }
            }
        }
    }
}
