//! Which aggregator a fragment gets.
//!
//! A worker never has more fragments under way than the largest window, so sequence numbers are hashed modulo that: fragments
//! that lie a largest window apart have one *place*, and one index. This is what makes rehashing (section 3.6) converge: an
//! index that is replaced because of a collision is the index of fragments to come. The authors' hosts do the same
//! (in-ATP/ATP at ddca27f, `hash_map` in `common/HashTable.cc`), and so do they guarantee that no two places of a job have one
//! index, and that an index where a collision was seen is not tried again.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use wire::atp;

use super::parameters::Index;
use crate::aggregation::Setup;

/// How many hashes are tried before the next index that suits is taken.
const HASHES: u32 = 64;

/// The indices of a job's fragments. Workers and servers of a job begin with the same ones, and each answer says which index the
/// fragment one largest window later has; no worker can send that without having the answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Indices {
    index: Index,
    range: Range<u32>,
    /// The index of each place at first.
    initial: Vec<u16>,
    places: Vec<Place>,
}

/// The index of the fragments that are a largest window apart.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Place {
    index: u16,
    /// The first fragment for which it is the index, and the index of those before.
    from: u64,
    before: u16,
}

impl Indices {
    /// Returns the indices with which a job begins in a setup.
    pub fn new(index: Index, setup: &Setup, largest_window: u32) -> Self {
        let range = setup.aggregators.clone();
        let initial = match index {
            Index::Linear => Vec::new(),
            Index::Hash => initial(setup.job, &range, largest_window),
        };
        let places = initial.iter().map(|&index| Place { index, from: 0, before: index }).collect();
        Self { index, range, initial, places }
    }

    /// Returns the index for a fragment, given its job and sequence number.
    pub fn of(&self, word: u32, fragment: u64) -> u16 {
        match self.index {
            Index::Linear => {
                let sequence = word & ((1 << atp::SEQUENCE_BITS) - 1);
                within(&self.range, sequence)
            }
            Index::Hash => {
                let place = &self.places[self.place(fragment)];
                if fragment >= place.from { place.index } else { place.before }
            }
        }
    }

    /// Notes what the answer to a fragment says: the index one largest window later; `None` is the one of the beginning.
    pub fn answered(&mut self, fragment: u64, told: Option<u16>) {
        if self.index == Index::Hash {
            let at = self.place(fragment);
            let index = told.unwrap_or(self.initial[at]);
            let from = fragment + self.places.len() as u64;
            if from > self.places[at].from {
                self.places[at] = Place { index, from, before: self.places[at].index };
            }
        }
    }

    /// Returns what the answer to a fragment has to say if the fragment is to have this index one largest window later.
    pub fn to_tell(&self, fragment: u64, index: u16) -> Option<u16> {
        (self.index == Index::Hash && self.initial[self.place(fragment)] != index).then_some(index)
    }

    fn place(&self, fragment: u64) -> usize {
        (fragment % self.places.len() as u64) as usize
    }
}

/// What a server knows beside the indices of its job, so that it can replace those with collisions.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Rehashing {
    range: Range<u32>,
    /// Whether each place of the job can have an index of its own.
    are_distinct: bool,
    /// The number of places that have each index of the range.
    uses: Vec<u16>,
    /// Whether a collision was seen at each index of the range.
    has_collided: Vec<bool>,
}

impl Rehashing {
    pub fn new(indices: &Indices) -> Self {
        let range = indices.range.clone();
        let are_distinct = range.len() >= indices.places.len();
        let (uses, has_collided) = (vec![0; range.len()], vec![false; range.len()]);
        let mut new = Self { range, are_distinct, uses, has_collided };
        indices.initial.iter().for_each(|&index| new.count(index, 1));
        new
    }

    /// Returns the index that takes the place of one with a collision: HASH(index) mod aggregators (section 3.6); if the job has
    /// that already, or has met a collision there, a hash of index and a number.
    ///
    /// HASH alone is no permutation. Indices would follow each other into a few short circles, and never reach many of those
    /// that are free.
    pub fn replaced(&mut self, index: u16) -> u16 {
        let Some(at) = self.position(index) else { return index };
        self.has_collided[at] = true;
        let found = self.suitable(index).or_else(|| {
            // Everything was tried once; others may have moved in the meantime.
            self.has_collided.fill(false);
            self.has_collided[at] = true;
            self.suitable(index)
        });
        let found = found.unwrap_or_else(|| hashed(u32::from(index), &self.range));
        self.count(index, -1);
        self.count(found, 1);
        found
    }

    fn suitable(&self, index: u16) -> Option<u16> {
        let suits = |index: &u16| {
            self.position(*index).is_some_and(|at| !(self.has_collided[at] || self.are_distinct && self.uses[at] > 0))
        };
        let hashes = (0..HASHES).map(|number| hashed(number << 16 | u32::from(index), &self.range));
        let upwards = (0..self.range.len() as u32).map(|step| within(&self.range, u32::from(index) + step));
        hashes.chain(upwards).find(suits)
    }

    fn count(&mut self, index: u16, by: i16) {
        if let Some(at) = self.position(index) {
            self.uses[at] = self.uses[at].saturating_add_signed(by);
        }
    }

    fn position(&self, index: u16) -> Option<usize> {
        self.range.contains(&u32::from(index)).then(|| (u32::from(index) - self.range.start) as usize)
    }
}

/// Returns the indices of a job at first: HASH(job, sequence number) of the first sequence number of a place. If the job may use
/// as many aggregators as it has places, each place has an index of its own: the next hash that is free.
fn initial(job: u8, range: &Range<u32>, places: u32) -> Vec<u16> {
    let mut is_used = vec![false; range.len()];
    let are_distinct = range.len() >= places as usize;
    let of = |place: u32| {
        let mut hashes = (0..HASHES).map(|turn| hashed(atp::job_and_sequence(job, place + turn * places), range));
        let first = hashed(atp::job_and_sequence(job, place), range);
        if !are_distinct {
            return first;
        }
        let is_free = |index: &u16| !is_used[(u32::from(*index) - range.start) as usize];
        let upwards = (0..range.len() as u32).map(|step| within(range, u32::from(first) - range.start + step));
        let found = hashes.find(is_free).or_else(|| upwards.into_iter().find(is_free)).unwrap_or(first);
        is_used[(u32::from(found) - range.start) as usize] = true;
        found
    };
    (0..places).map(of).collect()
}

fn hashed(word: u32, range: &Range<u32>) -> u16 {
    within(range, atp::hash(word))
}

/// Returns the index in a range that a number stands for, modulo the length of the range.
fn within(range: &Range<u32>, number: u32) -> u16 {
    // Indices have 16 bits.
    (range.start + number % range.len().max(1) as u32) as u16
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn setup(aggregators: Range<u32>) -> Setup {
        Setup { job: 5, generation: 0, group: 0, servers: Vec::new(), workers: Vec::new(), aggregators }
    }

    #[test]
    fn fragments_a_window_apart_have_one_index_and_those_of_one_window_have_different_ones() {
        let indices = Indices::new(Index::Hash, &setup(100..200), 100);
        let of = |fragment| indices.of(0, fragment);
        assert_eq!((0..100).map(of).collect::<BTreeSet<_>>(), (100..200).collect());
        assert!((0..100).all(|fragment| of(fragment) == of(fragment + 700)));
        assert_eq!(u32::from(of(0)), 100 + atp::hash(atp::job_and_sequence(5, 0)) % 100);
        let few = Indices::new(Index::Hash, &setup(100..110), 100);
        assert!((0..100).all(|fragment| (100..110).contains(&few.of(0, fragment))));
    }

    #[test]
    fn an_answer_says_the_index_of_one_window_later() {
        let mut indices = Indices::new(Index::Hash, &setup(0..64), 10);
        let first = indices.of(0, 3);
        indices.answered(3, Some(60));
        assert_eq!([3, 13, 23].map(|fragment| indices.of(0, fragment)), [first, 60, 60]);
        indices.answered(3, Some(61));
        assert_eq!(indices.of(0, 13), 60, "what is said for the second time about a fragment is not heard");
        assert_eq!((indices.to_tell(13, 60), indices.to_tell(13, first)), (Some(60), None));
        indices.answered(13, None);
        assert_eq!([13, 23].map(|fragment| indices.of(0, fragment)), [60, first]);
        assert_eq!(Indices::new(Index::Linear, &setup(100..200), 10).of(0x0500_0123, 0), 100 + (0x123 % 100) as u16);
    }

    #[test]
    fn an_index_with_collisions_gets_to_every_index_that_the_job_does_not_have() {
        let indices = Indices::new(Index::Hash, &setup(1000..1064), 10);
        let mut rehashing = Rehashing::new(&indices);
        let own: BTreeSet<u16> = (1..10).map(|fragment| indices.of(0, fragment)).collect();
        let mut index = indices.of(0, 0);
        let first = hashed(u32::from(index), &(1000..1064));
        let mut seen = BTreeSet::from([index]);
        for step in 0..54 {
            index = rehashing.replaced(index);
            assert!(step > 0 || own.contains(&first) || index == first, "HASH(index), if that is free");
            assert!(!own.contains(&index) && seen.insert(index), "{index} in step {step}");
        }
        assert!(seen.contains(&rehashing.replaced(index)), "and then it begins anew");
        assert_eq!(rehashing.replaced(2000), 2000, "an index of somebody else");
    }
}
