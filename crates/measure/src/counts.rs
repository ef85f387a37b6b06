//! Counters by key, iterated in a fixed order.

use std::collections::BTreeMap;
use std::fmt::Display;

use serde::{Serialize, Serializer};

/// The number of times that each kind of thing happened. Iteration follows the order of the keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counts<K: Ord> {
    counts: BTreeMap<K, u64>,
}

impl<K: Ord> Default for Counts<K> {
    fn default() -> Self {
        Self { counts: BTreeMap::new() }
    }
}

/// Serializes as a map from the text of each key to its count.
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
    /// Increments the count of `key`.
    pub fn add(&mut self, key: K) {
        self.add_many(key, 1);
    }

    /// Adds a number to the count of `key`.
    pub fn add_many(&mut self, key: K, number: u64) {
        *self.counts.entry(key).or_default() += number;
    }

    /// Returns the count of `key`, which is 0 if it was never added.
    pub fn of(&self, key: K) -> u64 {
        self.counts.get(&key).copied().unwrap_or(0)
    }

    /// Returns the sum of all counts.
    pub fn total(&self) -> u64 {
        self.counts.values().sum()
    }

    /// Iterates over the keys and their counts, in the order of the keys.
    pub fn iter(&self) -> impl Iterator<Item = (K, u64)> {
        self.counts.iter().map(|(&key, &count)| (key, count))
    }
}
