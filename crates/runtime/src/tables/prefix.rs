//! Longest-prefix match on one field, combined with exact fields.

mod blocks;
mod direct;
mod lists;
mod node;
mod nodes;
mod root;
mod value;

use nodes::Nodes;
use root::Root;
use value::{Aligned, Double, Narrow, Value, Wide};

use super::exact::ExactMap;
use super::found::Found;
use super::key_words::KeyWords;

/// Entries indexed by the prefix of one field and the values of all exact fields.
///
/// None of the crates for routes (prefix-trie, poptrie, iptrie and treebitmap were considered) fits: they support
/// addresses of 32 and 128 bits, or the widths of Rust's integers, while a field of P4 has any width, and they have no
/// part that is matched exactly.
#[derive(Clone, Debug)]
pub(super) struct PrefixTable {
    width: u32,
    /// The index of the field's first word and the number of its words.
    place: (usize, usize),
    /// The trie of each combination of exact values. None is empty.
    roots: ExactMap<Root>,
    nodes: Nodes,
}

impl PrefixTable {
    /// Creates an empty table with a prefix field of a width, and exact fields given by index and width.
    pub(super) fn new(field: usize, width: u32, exact: &[(usize, u32)], key: &KeyWords) -> Self {
        let place = key.place(field);
        Self { width, place, roots: ExactMap::new(exact, key), nodes: Nodes::new(place.1) }
    }

    /// Returns the entry with the longest prefix of a key.
    #[inline]
    pub(super) fn lookup(&self, key: &[u64]) -> Option<Found> {
        let root = self.roots.get(key)?;
        match self.place {
            (at, 1) => root.lookup(&self.nodes, Narrow::new(key[at], self.width)),
            _ => self.lookup_wide(root, key),
        }
    }

    #[inline(never)] // So that the look-up of a short prefix is short.
    fn lookup_wide(&self, root: &Root, key: &[u64]) -> Option<Found> {
        match self.place {
            (at, 2) => root.lookup(&self.nodes, Double::new(key[at], key[at + 1], self.width)),
            (first, count) => root.lookup(&self.nodes, Wide::new(&key[first..first + count], self.width)),
        }
    }

    /// Returns the entry with exactly this prefix of a key.
    pub(super) fn find(&self, key: &[u64], length: u32) -> Option<Found> {
        self.roots.get(key)?.find(&self.nodes, Aligned(&self.aligned(key)), length)
    }

    /// Adds an entry for a prefix that has none.
    pub(super) fn insert(&mut self, key: &[u64], length: u32, entry: Found) {
        let value = self.aligned(key);
        if self.roots.get(key).is_none() {
            self.roots.insert(key, Root::new());
        }
        if let Some(root) = self.roots.get_mut(key) {
            root.insert(&mut self.nodes, Aligned(&value), length, entry, self.width);
        }
    }

    /// Removes the entry of a prefix, which must have one.
    pub(super) fn remove(&mut self, key: &[u64], length: u32) {
        let value = self.aligned(key);
        let Some(root) = self.roots.get_mut(key) else { return };
        root.remove(&mut self.nodes, Aligned(&value), length);
        if root.is_empty() {
            self.roots.remove(key);
        }
    }

    /// Returns the field's value, its most significant bit first.
    fn aligned(&self, key: &[u64]) -> Vec<u64> {
        let (first, count) = self.place;
        let value = Wide::new(&key[first..first + count], self.width);
        (0..count as u32).map(|word| value.window(word * 64)).collect()
    }

    /// Returns the memory that the table takes, in bytes.
    pub(super) fn memory(&self) -> usize {
        self.roots.memory() + self.roots.values().map(Root::memory).sum::<usize>() + self.nodes.memory()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::{EntryHandle, KeyField, MatchKind};

    fn found(number: u32) -> Found {
        Found::new(EntryHandle(number), !number)
    }

    /// Prefixes of 40-bit values, of every length and more than the threshold for a direct table.
    fn prefixes() -> Vec<(u64, u32)> {
        let prefix = |number: u64| {
            let length = (number * 7 % 41) as u32;
            let value = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 24;
            (value & !(u64::MAX >> 24).unbounded_shr(length), length)
        };
        let mut prefixes: Vec<(u64, u32)> = (0..10_000).map(prefix).collect();
        prefixes.sort_unstable();
        prefixes.dedup();
        prefixes
    }

    #[test]
    fn removed_prefixes_leave_nothing_behind() {
        let fields = [KeyField { kind: MatchKind::Lpm, width: 40 }];
        let mut table = PrefixTable::new(0, 40, &[], &KeyWords::new(&fields));
        let mut memory = 0;
        for round in 0..4 {
            for (at, &(value, length)) in prefixes().iter().enumerate() {
                table.insert(&[value], length, found(at as u32));
                assert_eq!(table.find(&[value], length), Some(found(at as u32)));
            }
            // The free lists have grown to their final size when everything has been removed once.
            memory = if round < 2 { table.memory() } else { memory };
            assert_eq!(table.memory(), memory, "no more than before");
            for &(value, length) in prefixes().iter().rev() {
                table.remove(&[value], length);
                assert_eq!(table.find(&[value], length), None);
            }
            assert!(table.roots.get(&[0]).is_none() && table.nodes.is_empty());
        }
    }
}
