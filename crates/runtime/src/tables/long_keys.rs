//! A hash table for keys of many words.

use std::hash::BuildHasher;

use hashbrown::HashTable;

use super::exact::HASHER;

/// Values indexed by keys of the same number of words. The keys are concatenated in one allocation.
#[derive(Clone, Debug)]
pub(super) struct LongKeys<V> {
    /// The number of words of a key.
    length: usize,
    keys: Vec<u64>,
    /// The free places among the keys.
    unused: Vec<u32>,
    /// The places of the keys, with their values.
    table: HashTable<(u32, V)>,
}

impl<V> LongKeys<V> {
    /// Creates an empty table for keys of `length` words.
    pub(super) fn new(length: usize) -> Self {
        Self { length, keys: Vec::new(), unused: Vec::new(), table: HashTable::new() }
    }

    #[inline]
    pub(super) fn get(&self, key: &[u64]) -> Option<&V> {
        let is_key = |&(at, _): &(u32, V)| at_place(&self.keys, self.length, at) == key;
        self.table.find(HASHER.hash_one(key), is_key).map(|(_, value)| value)
    }

    pub(super) fn get_mut(&mut self, key: &[u64]) -> Option<&mut V> {
        let is_key = |&(at, _): &(u32, V)| at_place(&self.keys, self.length, at) == key;
        self.table.find_mut(HASHER.hash_one(key), is_key).map(|(_, value)| value)
    }

    /// Sets the value of a key that has none.
    pub(super) fn insert(&mut self, key: &[u64], value: V) {
        let at = self.unused.pop().unwrap_or_else(|| {
            let at = self.keys.len() / self.length;
            self.keys.resize(self.keys.len() + self.length, 0);
            at as u32
        });
        self.keys[at as usize * self.length..][..self.length].copy_from_slice(key);
        let hash = |&(at, _): &(u32, V)| HASHER.hash_one(at_place(&self.keys, self.length, at));
        self.table.insert_unique(HASHER.hash_one(key), (at, value), hash);
    }

    /// Removes the value of a key.
    pub(super) fn remove(&mut self, key: &[u64]) {
        let is_key = |&(at, _): &(u32, V)| at_place(&self.keys, self.length, at) == key;
        if let Ok(found) = self.table.find_entry(HASHER.hash_one(key), is_key) {
            let ((at, _), _) = found.remove();
            self.unused.push(at);
        }
    }

    /// Returns all values in arbitrary order.
    pub(super) fn values(&self) -> impl Iterator<Item = &V> {
        self.table.iter().map(|(_, value)| value)
    }

    /// Returns the memory that the table takes, in bytes.
    pub(super) fn memory(&self) -> usize {
        // A hash table has one control byte per slot.
        let places = self.table.capacity() * (size_of::<(u32, V)>() + 1);
        places + self.keys.capacity() * size_of::<u64>() + self.unused.capacity() * size_of::<u32>()
    }
}

#[inline]
fn at_place(keys: &[u64], length: usize, at: u32) -> &[u64] {
    &keys[at as usize * length..][..length]
}
