//! The data structure that a table's match kinds require.

use super::exact::ExactMap;
use super::found::Found;
use super::key_words::KeyWords;
use super::prefix::PrefixTable;
use super::ranked::Ranked;
use super::{EntryHandle, FieldMatch, HandleMap, KeyField, MatchKind, TableEntry, Targets};

/// Finds entries, which are stored elsewhere. Keys are canonical, or in words for look-ups.
///
/// The tag is a byte of its own, as in the other data structures that every packet reads: a tag that is hidden in the
/// unused values of a field takes several instructions to tell.
#[derive(Clone, Debug)]
#[repr(u8)]
pub(super) enum Matcher {
    /// The key has no fields, so nothing matches.
    Nothing,
    /// Every field is exact.
    Exact(ExactMap<Found>),
    /// One field is matched by its longest prefix; all others are exact.
    Prefix {
        /// The index of that field.
        field: usize,
        entries: Box<PrefixTable>,
    },
    /// Several entries can match a key.
    Ranked(Box<Ranked>),
}

impl Matcher {
    pub(super) fn new(fields: &[KeyField], words: &KeyWords) -> Self {
        let exact = fields.iter().enumerate().filter(|(_, field)| field.kind == MatchKind::Exact);
        let exact: Vec<(usize, u32)> = exact.map(|(place, field)| (place, field.width)).collect();
        let mut others = fields.iter().enumerate().filter(|(_, field)| field.kind != MatchKind::Exact);
        match (others.next(), others.next()) {
            _ if fields.is_empty() => Self::Nothing,
            (None, _) => Self::Exact(ExactMap::new(&exact, words)),
            (Some((field, &KeyField { kind: MatchKind::Lpm, width })), None) => {
                Self::Prefix { field, entries: Box::new(PrefixTable::new(field, width, &exact, words)) }
            }
            _ => {
                let has_priorities = fields.iter().any(|field| field.kind.has_priority());
                Self::Ranked(Box::new(Ranked::new(has_priorities, words)))
            }
        }
    }

    #[inline]
    pub(super) fn lookup(&self, key: &[u64]) -> Option<EntryHandle> {
        match self {
            Self::Nothing => None,
            Self::Exact(entries) => entries.get(key).map(|found| found.entry()),
            Self::Prefix { entries, .. } => entries.lookup(key).map(Found::entry),
            Self::Ranked(entries) => entries.lookup(key),
        }
    }

    /// Looks up a key and also returns the number of the entry's target, which comes from `targets` for ranked entries.
    #[inline(always)] // Called in one place per kind of machine, for every look-up of every packet.
    pub(super) fn lookup_target(&self, key: &[u64], targets: &Targets) -> Option<Found> {
        match self {
            Self::Nothing => None,
            Self::Exact(entries) => entries.get(key).copied(),
            Self::Prefix { entries, .. } => entries.lookup(key),
            Self::Ranked(entries) => entries.lookup(key).map(|entry| Found::new(entry, targets.number_of(entry))),
        }
    }

    /// Returns the entry with exactly this key. `entries` are those of the table.
    pub(super) fn find(
        &self,
        key: &[FieldMatch],
        priority: u32,
        words: &KeyWords,
        entries: &HandleMap<TableEntry>,
    ) -> Option<EntryHandle> {
        match self {
            Self::Nothing => None,
            Self::Exact(found) => found.get(&words.values(key)).map(|found| found.entry()),
            Self::Prefix { field, entries: found } => {
                found.find(&words.values(key), prefix_length(&key[*field])).map(Found::entry)
            }
            Self::Ranked(found) => found.find(key, priority, entries),
        }
    }

    /// Adds an entry whose key is not in the table. `entries` are those of the table, without the new one.
    pub(super) fn insert(
        &mut self,
        fields: &[KeyField],
        words: &KeyWords,
        entry: &TableEntry,
        new: Found,
        entries: &HandleMap<TableEntry>,
    ) {
        let key = &entry.key;
        match self {
            Self::Nothing => {}
            Self::Exact(found) => found.insert(&words.values(key), new),
            Self::Prefix { field, entries: found } => {
                found.insert(&words.values(key), prefix_length(&key[*field]), new);
            }
            Self::Ranked(found) => found.insert(fields, entry, new.entry(), entries),
        }
    }

    /// Changes the target of an entry that is in the table.
    pub(super) fn retarget(&mut self, entry: &TableEntry, new: Found, words: &KeyWords) {
        match self {
            Self::Nothing | Self::Ranked(_) => {}
            Self::Exact(entries) => entries.get_mut(&words.values(&entry.key)).into_iter().for_each(|old| *old = new),
            Self::Prefix { field, entries } => {
                let (key, length) = (words.values(&entry.key), prefix_length(&entry.key[*field]));
                entries.remove(&key, length);
                entries.insert(&key, length, new);
            }
        }
    }

    /// Removes an entry that is in the table.
    pub(super) fn remove(&mut self, entry: &TableEntry, handle: EntryHandle, words: &KeyWords) {
        let key = &entry.key;
        match self {
            Self::Nothing => {}
            Self::Exact(found) => found.remove(&words.values(key)),
            Self::Prefix { field, entries: found } => found.remove(&words.values(key), prefix_length(&key[*field])),
            Self::Ranked(found) => found.remove(entry, handle),
        }
    }

    /// Returns the memory that the structure takes, in bytes.
    pub(super) fn memory(&self) -> usize {
        match self {
            Self::Nothing => 0,
            Self::Exact(entries) => entries.memory(),
            Self::Prefix { entries, .. } => entries.memory(),
            Self::Ranked(entries) => entries.memory(),
        }
    }
}

/// The length of the prefix in an entry's match against an lpm field, in canonical form.
pub(super) fn prefix_length(asked: &FieldMatch) -> u32 {
    match asked {
        FieldMatch::Prefix { length, .. } => *length,
        _ => 0,
    }
}
