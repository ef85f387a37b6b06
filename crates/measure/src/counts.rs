//! Counters under names, in a fixed order.

use std::collections::BTreeMap;

/// How often each kind of thing happened. Iterates in the order of the keys, never of arrival or of hashing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counts<K: Ord> {
    counts: BTreeMap<K, u64>,
}

impl<K: Ord> Default for Counts<K> {
    fn default() -> Self {
        Self { counts: BTreeMap::new() }
    }
}

impl<K: Ord + Copy> Counts<K> {
    /// Counts one more of `key`.
    pub fn add(&mut self, key: K) {
        *self.counts.entry(key).or_default() += 1;
    }

    /// How many of `key` there were.
    pub fn of(&self, key: K) -> u64 {
        self.counts.get(&key).copied().unwrap_or(0)
    }

    /// How many there were of all kinds.
    pub fn total(&self) -> u64 {
        self.counts.values().sum()
    }

    /// Every kind that happened, with its count.
    pub fn iter(&self) -> impl Iterator<Item = (K, u64)> {
        self.counts.iter().map(|(&key, &count)| (key, count))
    }
}
