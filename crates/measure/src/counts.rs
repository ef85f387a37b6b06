//! Counters under names, in a fixed order.

use std::collections::BTreeMap;
use std::fmt::Display;

use serde::{Serialize, Serializer};

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

/// A map from the words of each key to its count.
impl<K: Ord + Display> Serialize for Counts<K> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.counts.iter().map(|(key, count)| (key.to_string(), count)))
    }
}

impl<K: Ord + Copy> FromIterator<(K, u64)> for Counts<K> {
    fn from_iter<I: IntoIterator<Item = (K, u64)>>(counts: I) -> Self {
        Self { counts: counts.into_iter().collect() }
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
