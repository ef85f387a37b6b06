//! What happens to the packets of each entry, where packets look for it.

use std::hash::BuildHasher;
use std::num::NonZeroU32;

use hashbrown::HashTable;

use super::exact::HASHER;
use super::{EntryHandle, HandleMap, TargetWords};

/// How many entries lie in one page: with four bytes each, 1 KiB.
const PAGE: usize = 256;

/// The targets of a table's entries and its default one.
///
/// Targets that are equal are kept once, and entries have their numbers: a hundred thousand routes lead to some dozen
/// next hops, and an access list permits or drops. So the targets that packets want stay in the cache, and of the
/// entries only four bytes each need to be there.
#[derive(Clone, Debug)]
pub(super) struct Targets {
    /// The number of each entry's target; 0 is the default one's.
    numbers: HandleMap<NonZeroU32, PAGE>,
    /// By their numbers.
    words: Vec<TargetWords>,
    /// How many entries have each of them.
    uses: Vec<u32>,
    /// Numbers that no entry has.
    unused: Vec<u32>,
    /// The numbers of those that entries have, by what they are.
    known: HashTable<u32>,
}

impl Targets {
    /// Without entries.
    pub(super) fn new(default: TargetWords) -> Self {
        Self {
            numbers: HandleMap::default(),
            words: vec![default],
            uses: vec![0],
            unused: Vec::new(),
            known: HashTable::new(),
        }
    }

    /// The number of an entry's target; 0 for one that is not there.
    #[inline]
    pub(super) fn number_of(&self, entry: EntryHandle) -> u32 {
        self.numbers.get(entry).map_or(0, |number| number.get())
    }

    /// The target of a number; the default one of 0.
    #[inline]
    pub(super) fn get(&self, number: u32) -> &TargetWords {
        &self.words[number as usize]
    }

    pub(super) fn set_default(&mut self, words: TargetWords) {
        self.words[0] = words;
    }

    /// Gives an entry its target, or another one. Gives back the target's number.
    pub(super) fn insert(&mut self, entry: EntryHandle, target: TargetWords) -> u32 {
        let number = self.number(target);
        self.uses[number.get() as usize] += 1;
        if let Some(old) = self.numbers.insert(entry, number) {
            self.release(old);
        }
        number.get()
    }

    /// Takes the target of an entry away.
    pub(super) fn remove(&mut self, entry: EntryHandle) {
        if let Some(number) = self.numbers.remove(entry) {
            self.release(number);
        }
    }

    /// The number of a target, which it may get now.
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

    /// An entry no longer has this target.
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
        // What it has allocated goes with it.
        self.words[number as usize] = TargetWords::Member(0);
        self.unused.push(number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_targets_are_kept_once_and_go_with_their_last_entry() {
        let mut targets = Targets::new(TargetWords::Member(7));
        for round in 0..3 {
            for entry in 0..1000 {
                targets.insert(EntryHandle(entry), TargetWords::Group(entry % 10));
            }
            // The default target is no entry's, even if it is equal to one.
            targets.insert(EntryHandle(0), TargetWords::Member(7));
            targets.set_default(TargetWords::Member(round));
            assert_eq!(targets.get(targets.number_of(EntryHandle(0))), &TargetWords::Member(7));
            assert_eq!(targets.get(targets.number_of(EntryHandle(999))), &TargetWords::Group(9));
            assert_eq!(targets.get(targets.number_of(EntryHandle(1000))), &TargetWords::Member(round));
            assert_eq!(targets.get(0), &TargetWords::Member(round));
            assert_eq!(targets.words.len(), 12, "the default one, ten, and one more");
            (0..1000).for_each(|entry| targets.remove(EntryHandle(entry)));
            assert!(targets.known.is_empty() && targets.numbers.is_empty());
            assert_eq!(targets.unused.len(), 11);
            targets.set_default(TargetWords::Member(7));
        }
    }
}
