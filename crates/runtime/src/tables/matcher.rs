//! The structure that a table's match kinds ask for.

use super::exact::ExactMap;
use super::found::Found;
use super::key_words::KeyWords;
use super::prefix::PrefixTable;
use super::ranked::Ranked;
use super::{Entry, EntryHandle, FieldMatch, HandleMap, KeyField, MatchKind, Targets};

/// Finds entries; what the entries are lies elsewhere. Keys are canonical, and in words where packets look up.
#[derive(Clone, Debug)]
pub(super) enum Matcher {
    /// There is no key, so nothing matches.
    Nothing,
    /// Every field is exact.
    Exact(ExactMap<Found>),
    /// One field is matched by its longest prefix, all others are exact.
    Prefix {
        /// That field.
        field: usize,
        entries: Box<PrefixTable>,
    },
    /// Several entries can match.
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
            Self::Exact(entries) => entries.get(key).map(|found| found.entry),
            Self::Prefix { entries, .. } => entries.lookup(key).map(|found| found.entry),
            Self::Ranked(entries) => entries.lookup(key),
        }
    }

    /// The same with the number of the entry's target, for which ranked entries ask `targets`.
    #[inline]
    pub(super) fn lookup_target(&self, key: &[u64], targets: &Targets) -> Option<Found> {
        match self {
            Self::Nothing => None,
            Self::Exact(entries) => entries.get(key).copied(),
            Self::Prefix { entries, .. } => entries.lookup(key),
            Self::Ranked(entries) => entries.lookup(key).map(|entry| Found { entry, target: targets.number_of(entry) }),
        }
    }

    /// The entry of this very key. `entries` are the table's.
    pub(super) fn find(
        &self,
        key: &[FieldMatch],
        priority: u32,
        words: &KeyWords,
        entries: &HandleMap<Entry>,
    ) -> Option<EntryHandle> {
        match self {
            Self::Nothing => None,
            Self::Exact(found) => found.get(&words.values(key)).map(|found| found.entry),
            Self::Prefix { field, entries: found } => {
                found.find(&words.values(key), prefix_length(&key[*field])).map(|found| found.entry)
            }
            Self::Ranked(found) => found.find(key, priority, entries),
        }
    }

    /// Adds an entry whose key is not there yet. `entries` are the table's, without it.
    pub(super) fn insert(
        &mut self,
        fields: &[KeyField],
        words: &KeyWords,
        entry: &Entry,
        new: Found,
        entries: &HandleMap<Entry>,
    ) {
        let key = &entry.key;
        match self {
            Self::Nothing => {}
            Self::Exact(found) => found.insert(&words.values(key), new),
            Self::Prefix { field, entries: found } => {
                found.insert(&words.values(key), prefix_length(&key[*field]), new);
            }
            Self::Ranked(found) => found.insert(fields, entry, new.entry, entries),
        }
    }

    /// Gives an entry that is there another target.
    pub(super) fn retarget(&mut self, entry: &Entry, new: Found, words: &KeyWords) {
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

    /// Takes an entry out that is there.
    pub(super) fn remove(&mut self, entry: &Entry, handle: EntryHandle, words: &KeyWords) {
        let key = &entry.key;
        match self {
            Self::Nothing => {}
            Self::Exact(found) => found.remove(&words.values(key)),
            Self::Prefix { field, entries: found } => found.remove(&words.values(key), prefix_length(&key[*field])),
            Self::Ranked(found) => found.remove(entry, handle),
        }
    }

    /// The bytes that the structure takes.
    pub(super) fn memory(&self) -> usize {
        match self {
            Self::Nothing => 0,
            Self::Exact(entries) => entries.memory(),
            Self::Prefix { entries, .. } => entries.memory(),
            Self::Ranked(entries) => entries.memory(),
        }
    }
}

/// The length of the prefix that a canonical key asks of an lpm field.
fn prefix_length(asked: &FieldMatch) -> u32 {
    match asked {
        FieldMatch::Prefix { length, .. } => *length,
        _ => 0,
    }
}
