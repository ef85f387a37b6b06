//! The targets of entries, where look-ups find them.

use std::hash::BuildHasher;
use std::num::NonZeroU32;

use hashbrown::HashTable;

use super::exact::HASHER;
use super::{EntryHandle, HandleMap, TargetWords};

/// The number of entries per page: 1 KiB at four bytes each.
const PAGE: usize = 256;

/// The targets of a table's entries and of a miss.
///
/// Equal targets are stored once, and entries refer to them by number: a hundred thousand routes lead to a few dozen
/// next hops, and an access list permits or drops. So the targets that packets need stay in the cache, with only four
/// bytes per entry.
#[derive(Clone, Debug)]
pub(super) struct Targets {
    /// The number of each entry's target. 0 is the target of a miss.
    numbers: HandleMap<NonZeroU32, PAGE>,
    /// The targets by number.
    words: Vec<TargetWords>,
    /// The number of entries that use each target.
    uses: Vec<u32>,
    /// The numbers that no entry uses.
    unused: Vec<u32>,
    /// The numbers that entries use, indexed by the hash of the target.
    known: HashTable<u32>,
}

impl Targets {
    /// Creates storage without entries.
    pub(super) fn new(default: TargetWords) -> Self {
        Self {
            numbers: HandleMap::default(),
            words: vec![default],
            uses: vec![0],
            unused: Vec::new(),
            known: HashTable::new(),
        }
    }

    /// Returns the number of an entry's target; 0 for an entry that does not exist.
    #[inline]
    pub(super) fn number_of(&self, entry: EntryHandle) -> u32 {
        self.numbers.get(entry).map_or(0, |number| number.get())
    }

    /// Returns the target of a number; 0 gives the target of a miss.
    #[inline]
    pub(super) fn get(&self, number: u32) -> &TargetWords {
        &self.words[number as usize]
    }

    pub(super) fn set_default(&mut self, words: TargetWords) {
        self.words[0] = words;
    }

    /// Sets the target of an entry and returns the target's number.
    pub(super) fn insert(&mut self, entry: EntryHandle, target: TargetWords) -> u32 {
        let number = self.number(target);
        self.uses[number.get() as usize] += 1;
        if let Some(old) = self.numbers.insert(entry, number) {
            self.release(old);
        }
        number.get()
    }

    /// Removes the target of an entry.
    pub(super) fn remove(&mut self, entry: EntryHandle) {
        if let Some(number) = self.numbers.remove(entry) {
            self.release(number);
        }
    }

    /// Returns true if an entry has this target.
    pub(super) fn uses(&self, target: &TargetWords) -> bool {
        let is_it = |&number: &u32| self.words[number as usize] == *target;
        self.known.find(HASHER.hash_one(target), is_it).is_some()
    }

    /// Returns the number of a target, which is assigned if it is new.
    fn number(&mut self, target: TargetWords) -> NonZeroU32 {
        let hash = HASHER.hash_one(&target);
        let is_it = |&number: &u32| self.words[number as usize] == target;
        let number = self.known.find(hash, is_it).copied().unwrap_or_else(|| {
            let number = self.unused.pop().unwrap_or_else(|| {
                self.words.push(self.words[0].clone());
                self.uses.push(0);
                self.words.len() as u32 - 1
            });
            self.words[number as usize] = target;
            self.known.insert_unique(hash, number, |&number| HASHER.hash_one(&self.words[number as usize]));
            number
        });
        NonZeroU32::new(number).expect("0 is the default target's, which is neither known nor unused")
    }

    /// Releases a target that an entry no longer uses.
    fn release(&mut self, number: NonZeroU32) {
        let number = number.get();
        let uses = &mut self.uses[number as usize];
        *uses -= 1;
        if *uses > 0 {
            return;
        }
        let hash = HASHER.hash_one(&self.words[number as usize]);
        if let Ok(found) = self.known.find_entry(hash, |&other| other == number) {
            found.remove();
        }
        // This frees what the target has allocated.
        self.words[number as usize] = TargetWords::Member(0);
        self.unused.push(number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_targets_are_shared_and_freed() {
        let mut targets = Targets::new(TargetWords::Member(7));
        for round in 0..3 {
            for entry in 0..1000 {
                targets.insert(EntryHandle(entry), TargetWords::Group(entry % 10));
            }
            // The target of a miss is kept apart from those of entries, even from equal ones.
            targets.insert(EntryHandle(0), TargetWords::Member(7));
            targets.set_default(TargetWords::Member(round));
            assert_eq!(targets.get(targets.number_of(EntryHandle(0))), &TargetWords::Member(7));
            assert_eq!(targets.get(targets.number_of(EntryHandle(999))), &TargetWords::Group(9));
            assert_eq!(targets.get(targets.number_of(EntryHandle(1000))), &TargetWords::Member(round));
            assert_eq!(targets.get(0), &TargetWords::Member(round));
            assert_eq!(targets.words.len(), 12, "that of a miss, ten, and one more");
            (0..1000).for_each(|entry| targets.remove(EntryHandle(entry)));
            assert!(targets.known.is_empty() && targets.numbers.is_empty());
            assert_eq!(targets.unused.len(), 11);
            targets.set_default(TargetWords::Member(7));
        }
    }
}
