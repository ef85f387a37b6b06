//! The structure that a table's match kinds ask for.

use super::exact::ExactMap;
use super::prefix::PrefixTrie;
use super::ranked::Ranked;
use super::{Entry, EntryHandle, FieldMatch, KeyField, MatchKind};
use crate::Bits;

/// Finds entries; what the entries are lies elsewhere. Keys are canonical.
#[derive(Clone, Debug)]
pub(super) enum Matcher {
    /// There is no key, so nothing matches.
    Nothing,
    /// Every field is exact.
    Exact(ExactMap<EntryHandle>),
    /// One field is matched by its longest prefix, all others are exact.
    Prefix {
        /// That field.
        field: usize,
        /// Its width.
        width: u32,
        /// The trie of each exact part. None is empty.
        tries: ExactMap<PrefixTrie>,
    },
    /// Several entries can match.
    Ranked(Ranked),
}

impl Matcher {
    pub(super) fn new(fields: &[KeyField]) -> Self {
        let exact = fields.iter().enumerate().filter(|(_, field)| field.kind == MatchKind::Exact);
        let exact: Box<[_]> = exact.map(|(place, field)| (place, field.width)).collect();
        let mut others = fields.iter().enumerate().filter(|(_, field)| field.kind != MatchKind::Exact);
        match (others.next(), others.next()) {
            _ if fields.is_empty() => Self::Nothing,
            (None, _) => Self::Exact(ExactMap::new(exact)),
            (Some((field, &KeyField { kind: MatchKind::Lpm, width })), None) => {
                Self::Prefix { field, width, tries: ExactMap::new(exact) }
            }
            _ => Self::Ranked(Ranked::new(fields.iter().any(|field| field.kind.has_priority()))),
        }
    }

    #[inline]
    pub(super) fn lookup(&self, key: &[Bits]) -> Option<EntryHandle> {
        match self {
            Self::Nothing => None,
            Self::Exact(entries) => entries.get(|place| &key[place]).copied(),
            Self::Prefix { field, tries, .. } => tries.get(|place| &key[place])?.lookup(&key[*field]),
            Self::Ranked(entries) => entries.lookup(key),
        }
    }

    pub(super) fn find(&self, key: &[FieldMatch], priority: u32) -> Option<EntryHandle> {
        match self {
            Self::Nothing => None,
            Self::Exact(entries) => entries.get(exact_part(key)).copied(),
            Self::Prefix { field, width, tries } => {
                let (value, length) = prefix_part(&key[*field], *width);
                tries.get(exact_part(key))?.find(&value, length)
            }
            Self::Ranked(entries) => entries.find(key, priority),
        }
    }

    /// Adds an entry whose key is not there yet.
    pub(super) fn insert(&mut self, fields: &[KeyField], entry: &Entry, handle: EntryHandle) {
        let key = &entry.key;
        match self {
            Self::Nothing => {}
            Self::Exact(entries) => entries.insert(exact_part(key), handle),
            Self::Prefix { field, width, tries } => {
                let (value, length) = prefix_part(&key[*field], *width);
                if let Some(trie) = tries.get_mut(exact_part(key)) {
                    return trie.insert(&value, length, handle);
                }
                let mut trie = PrefixTrie::new(*width);
                trie.insert(&value, length, handle);
                tries.insert(exact_part(key), trie);
            }
            Self::Ranked(entries) => entries.insert(fields, entry, handle),
        }
    }

    /// Takes an entry out that is there.
    pub(super) fn remove(&mut self, entry: &Entry, handle: EntryHandle) {
        let key = &entry.key;
        match self {
            Self::Nothing => {}
            Self::Exact(entries) => entries.remove(exact_part(key)),
            Self::Prefix { field, width, tries } => {
                let (value, length) = prefix_part(&key[*field], *width);
                let Some(trie) = tries.get_mut(exact_part(key)) else { return };
                trie.remove(&value, length);
                if trie.is_empty() {
                    tries.remove(exact_part(key));
                }
            }
            Self::Ranked(entries) => entries.remove(entry, handle),
        }
    }
}

/// The exact fields of a canonical key, by their places.
fn exact_part<'k>(key: &'k [FieldMatch]) -> impl Fn(usize) -> &'k Bits {
    |place| match &key[place] {
        FieldMatch::Exact(value) => value,
        _ => unreachable!("a canonical key asks for one value of an exact field"),
    }
}

/// What a canonical key asks of an lpm field, as a prefix.
fn prefix_part(asked: &FieldMatch, width: u32) -> (Bits, u32) {
    match asked {
        FieldMatch::Prefix { value, length } => (value.clone(), *length),
        _ => (Bits::zero(width), 0),
    }
}
