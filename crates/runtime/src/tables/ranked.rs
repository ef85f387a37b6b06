//! Tables in which several entries can match.

mod choice;
mod index;
mod rule;

use std::hash::BuildHasher;

use hashbrown::HashTable;

use index::Index;
use rule::{NO_RULE, Rule, Rules};

use super::exact::HASHER;
use super::key_words::KeyWords;
use super::{EntryHandle, FieldMatch, HandleMap, KeyField, TableEntry};

/// The number of rules up to which a sorted list is searched, because an index would not be faster.
const LIST: usize = 16;

/// Entries of which several can match a key: the one with the greatest strength wins, and among those the earliest.
#[derive(Clone, Debug)]
pub(super) struct Ranked {
    /// Whether entries have priorities. If not, the lengths of their prefixes decide.
    has_priorities: bool,
    key: KeyWords,
    /// The rules, ordered by rank if there is no index, and otherwise at the places that the index chose.
    rules: Rules,
    index: Option<Index>,
    /// The place of each entry's rule in the index.
    places: HandleMap<u32>,
    /// The entries by key and priority.
    handles: HashTable<EntryHandle>,
}

impl Ranked {
    pub(super) fn new(has_priorities: bool, key: &KeyWords) -> Self {
        Self {
            has_priorities,
            key: key.clone(),
            rules: Rules::new(key.length(), 0),
            index: None,
            places: HandleMap::default(),
            handles: HashTable::new(),
        }
    }

    #[inline]
    pub(super) fn lookup(&self, key: &[u64]) -> Option<EntryHandle> {
        let rank = match &self.index {
            Some(index) => index.lookup(&self.rules, key),
            None => self.rules.first(key).map_or(NO_RULE, |place| self.rules.ranks()[place]),
        };
        // The handle is the lower half of the rank.
        (rank != NO_RULE).then_some(EntryHandle(rank as u32))
    }

    /// Returns the entry with this key and priority. `entries` are those of the table.
    pub(super) fn find(
        &self,
        key: &[FieldMatch],
        priority: u32,
        entries: &HandleMap<TableEntry>,
    ) -> Option<EntryHandle> {
        let is_same = |handle: &EntryHandle| {
            entries.get(*handle).is_some_and(|entry| entry.priority == priority && entry.key == key)
        };
        self.handles.find(hash(key, priority), is_same).copied()
    }

    /// Adds an entry whose key is not in the table. `entries` are those of the table.
    pub(super) fn insert(
        &mut self,
        fields: &[KeyField],
        entry: &TableEntry,
        handle: EntryHandle,
        entries: &HandleMap<TableEntry>,
    ) {
        let rule = Rule::new(self.rank(entry, handle), &entry.key, fields, &self.key);
        let hash_of = |handle: &EntryHandle| entries.get(*handle).map_or(0, |entry| hash(&entry.key, entry.priority));
        self.handles.insert_unique(hash(&entry.key, entry.priority), handle, hash_of);
        let place = match &mut self.index {
            None if self.rules.places() < LIST => {
                let place = self.rules.ranks().partition_point(|&rank| rank < rule.rank);
                return self.rules.insert(place, rule);
            }
            // An index that is nearly full has no room next to similar rules.
            Some(index) if index.count() < index.room() - index.room() / 16 => index.insert(&rule.tests, rule.rank),
            _ => None,
        };
        match place {
            Some(place) => {
                self.rules.put(place, rule);
                self.places.insert(handle, place as u32);
            }
            None => {
                self.rules.insert(self.rules.places(), rule);
                self.rebuild();
            }
        }
    }

    /// Removes an entry that is in the table.
    pub(super) fn remove(&mut self, entry: &TableEntry, handle: EntryHandle) {
        if let Ok(found) = self.handles.find_entry(hash(&entry.key, entry.priority), |other| *other == handle) {
            found.remove();
        }
        let rank = self.rank(entry, handle);
        match (&mut self.index, self.places.remove(handle)) {
            (Some(index), Some(place)) => {
                let place = place as usize;
                let rule = self.rules.take(place);
                index.remove(place, &rule.tests, &self.rules);
                if index.count() < index.room() / 8 || index.count() <= LIST / 2 {
                    self.rebuild();
                }
            }
            _ => {
                if let Ok(place) = self.rules.ranks().binary_search(&rank) {
                    self.rules.remove(place);
                }
            }
        }
    }

    /// Rebuilds the index for the current rules, or a list if they are few.
    fn rebuild(&mut self) {
        let taken = |place: &usize| self.rules.ranks()[*place] != NO_RULE;
        let mut places: Vec<usize> = (0..self.rules.places()).filter(taken).collect();
        let length = self.key.length();
        if places.len() <= LIST {
            places.sort_unstable_by_key(|&place| self.rules.ranks()[place]);
            self.index = None;
            self.places = HandleMap::default();
            let to = 0..places.len();
            return self.move_rules(&places, to, Rules::new(length, places.len()));
        }
        let (index, to) = Index::new(&self.rules, &places, length);
        let room = Rules::new(length, index.room());
        self.index = Some(index);
        for (&from, &to) in places.iter().zip(&to) {
            self.places.insert(EntryHandle(self.rules.ranks()[from] as u32), to as u32);
        }
        self.move_rules(&places, to, room);
    }

    fn move_rules(&mut self, from: &[usize], to: impl IntoIterator<Item = usize>, mut rules: Rules) {
        from.iter().zip(to).for_each(|(&from, to)| rules.put(to, self.rules.take(from)));
        self.rules = rules;
    }

    /// Returns the rank of an entry; the least rank wins. It consists of the inverted strength and the handle.
    fn rank(&self, entry: &TableEntry, handle: EntryHandle) -> u64 {
        let prefix = |asked: &FieldMatch| match asked {
            FieldMatch::Prefix { length, .. } => *length,
            _ => 0,
        };
        let strength = match self.has_priorities {
            true => entry.priority,
            false => entry.key.iter().map(prefix).sum(),
        };
        u64::from(!strength) << 32 | u64::from(handle.0)
    }

    /// Returns the memory that the structure takes, in bytes.
    pub(super) fn memory(&self) -> usize {
        // A hash table has one control byte per slot.
        let handles = self.handles.capacity() * (size_of::<EntryHandle>() + 1);
        self.rules.memory() + self.index.as_ref().map_or(0, Index::memory) + handles + self.places.memory()
    }
}

fn hash(key: &[FieldMatch], priority: u32) -> u64 {
    HASHER.hash_one((key, priority))
}
