//! Tables of records that packets and timers make, find and delete by a key. Each record has a place in shared memory and a
//! flag that says whether it has been referenced.

use std::hash::BuildHasher;

use basis::snapshot::{Loader, Saver, Snapshot, Unfit};
use hashbrown::HashTable;

use crate::tables::HASHER;

/// The keys, places and flags of the records of a table. What is in the records is in memory.
///
/// Places are numbered from 0. A new record takes the least place that is free, so that places depend on nothing but the
/// order of insertions and deletions.
#[derive(Clone, Debug)]
pub struct RecordTable {
    key_bytes: usize,
    capacity: u32,
    /// The keys of all places that have ever been taken.
    keys: Vec<u8>,
    /// A bit for each place: whether it has a record.
    present: Vec<u64>,
    /// A bit for each place: whether the record has been referenced; 0 without a record.
    referenced: Vec<u64>,
    /// The places of the records, by the hashes of their keys.
    index: HashTable<u32>,
    /// No word of `present` before this one has a free place.
    full_words: usize,
}

/// Where the records of a table lie in shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordLayout {
    /// The address of the record at place 0.
    pub first: u64,
    /// The number of bytes of a record.
    pub record_bytes: u64,
}

impl RecordLayout {
    /// Returns the address of the record at a place.
    pub const fn address(self, place: u32) -> u64 {
        self.first + place as u64 * self.record_bytes
    }
}

/// A record as it was, without its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptRecord {
    /// The place.
    pub place: u32,
    /// Whether it had been referenced since it was last scanned.
    pub is_referenced: bool,
}

/// The outcome of an insertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Insertion {
    /// There was a record of this key at this place.
    Found(u32),
    /// The record was made at this place.
    Made(u32),
    /// The table is full.
    Full,
}

impl RecordTable {
    /// Creates an empty table of at most `capacity` records, whose keys have so many bytes.
    pub fn new(key_bytes: usize, capacity: u32) -> Self {
        let (keys, present, referenced) = (Vec::new(), Vec::new(), Vec::new());
        Self { key_bytes, capacity, keys, present, referenced, index: HashTable::new(), full_words: 0 }
    }

    /// Returns the number of records.
    pub fn len(&self) -> usize {
        self.index.len()
    }

    /// Returns true if there are no records.
    pub fn is_empty(&self) -> bool {
        self.index.is_empty()
    }

    /// Returns the maximum number of records.
    pub fn capacity(&self) -> u32 {
        self.capacity
    }

    /// Returns the place of the record of a key, and does not count as a reference.
    pub fn get(&self, key: &[u8]) -> Option<u32> {
        self.index.find(HASHER.hash_one(key), |&place| self.key(place) == key).copied()
    }

    /// Returns the place of the record of a key, and sets its flag.
    pub fn find(&mut self, key: &[u8]) -> Option<u32> {
        let place = self.get(key)?;
        self.refer(place);
        Some(place)
    }

    /// Makes a record, unless there is one of this key or no place is free, and sets the flag of the new or the old record.
    ///
    /// # Panics
    /// If the key does not have the size of the table's keys.
    pub fn insert(&mut self, key: &[u8]) -> Insertion {
        assert_eq!(key.len(), self.key_bytes, "a key of the table's size");
        if let Some(place) = self.find(key) {
            return Insertion::Found(place);
        }
        let Some(place) = self.next_place() else { return Insertion::Full };
        self.take(place, key);
        self.refer(place);
        Insertion::Made(place)
    }

    /// Makes a record at a free place.
    fn take(&mut self, place: u32, key: &[u8]) {
        let (at, end) = (place as usize * self.key_bytes, (place as usize + 1) * self.key_bytes);
        if self.keys.len() < end {
            self.keys.resize(end, 0);
        }
        self.keys[at..end].copy_from_slice(key);
        self.index_place(place);
        let word = place as usize / 64;
        if self.present.len() <= word {
            self.present.resize(word + 1, 0);
            self.referenced.resize(word + 1, 0);
        }
        self.present[word] |= bit(place);
        while self.present.get(self.full_words).is_some_and(|word| *word == u64::MAX) {
            self.full_words += 1;
        }
    }

    /// Returns the place of the next new record; `None` if the table is full.
    pub fn next_place(&self) -> Option<u32> {
        let words = self.present.get(self.full_words..).unwrap_or_default();
        let full = words.iter().take_while(|word| **word == u64::MAX).count();
        let free = words.get(full).map_or(0, |word| word.trailing_ones());
        let place = u32::try_from((self.full_words + full) * 64).ok()? + free;
        (place < self.capacity).then_some(place)
    }

    /// Returns what is known of the record of a key; `None` if there is none.
    pub fn keep(&self, key: &[u8]) -> Option<KeptRecord> {
        let place = self.get(key)?;
        Some(KeptRecord { place, is_referenced: self.is_referenced(place) })
    }

    /// Makes the record of a key what it was. Changes are undone in reverse order, so that its place is free.
    pub fn put_back(&mut self, key: &[u8], kept: Option<KeptRecord>) {
        self.delete(key);
        let Some(KeptRecord { place, is_referenced }) = kept else { return };
        self.take(place, key);
        if is_referenced {
            self.refer(place);
        }
    }

    /// Deletes the record of a key; returns whether there was one.
    pub fn delete(&mut self, key: &[u8]) -> bool {
        let place = self.get(key);
        place.is_some_and(|place| self.remove(place))
    }

    /// Deletes the record at a place; returns whether there was one.
    pub fn remove(&mut self, place: u32) -> bool {
        if !self.has(place) {
            return false;
        }
        let hash = HASHER.hash_one(self.key(place));
        if let Ok(entry) = self.index.find_entry(hash, |&other| other == place) {
            entry.remove();
        }
        let word = place as usize / 64;
        self.present[word] &= !bit(place);
        self.referenced[word] &= !bit(place);
        self.full_words = self.full_words.min(word);
        true
    }

    /// Clears the flags of `count` successive places, at most 64, and returns which of them have a record whose flag was
    /// clear, and which have a record. The least significant bit stands for the first place.
    pub fn scan(&mut self, first: u64, count: u32) -> [u64; 2] {
        let mut found = [0; 2];
        for offset in 0..count.min(64) {
            let Some(place) = first.checked_add(offset.into()).and_then(|place| u32::try_from(place).ok()) else {
                break;
            };
            if self.has(place) {
                found[0] |= u64::from(!self.is_referenced(place)) << offset;
                found[1] |= 1 << offset;
                self.referenced[place as usize / 64] &= !bit(place);
            }
        }
        found
    }

    /// Returns the number of bytes of a key.
    pub fn key_bytes(&self) -> usize {
        self.key_bytes
    }

    /// Returns whether a place has a record.
    pub fn has(&self, place: u32) -> bool {
        self.present.get(place as usize / 64).is_some_and(|word| word & bit(place) != 0)
    }

    /// Returns whether the record at a place has been referenced since it was last scanned.
    pub fn is_referenced(&self, place: u32) -> bool {
        self.referenced.get(place as usize / 64).is_some_and(|word| word & bit(place) != 0)
    }

    /// Returns the records in the order of their places: the place, the key, and whether the flag is set.
    pub fn records(&self) -> impl Iterator<Item = (u32, &[u8], bool)> {
        let places = 0..(self.present.len() * 64) as u32;
        let present = places.filter(|&place| self.has(place));
        present.map(|place| (place, self.key(place), self.is_referenced(place)))
    }

    fn key(&self, place: u32) -> &[u8] {
        &self.keys[place as usize * self.key_bytes..][..self.key_bytes]
    }

    fn refer(&mut self, place: u32) {
        self.referenced[place as usize / 64] |= bit(place);
    }

    fn index_place(&mut self, place: u32) {
        let (keys, size) = (&self.keys, self.key_bytes);
        let hash = |&place: &u32| HASHER.hash_one(&keys[place as usize * size..][..size]);
        self.index.insert_unique(hash(&place), place, hash);
    }
}

const fn bit(place: u32) -> u64 {
    1 << (place % 64)
}

/// Two tables are equal if they have the same records at the same places, with the same flags.
impl PartialEq for RecordTable {
    fn eq(&self, other: &Self) -> bool {
        self.records().eq(other.records())
    }
}

impl Eq for RecordTable {}

impl Snapshot for RecordTable {
    fn save(&self, into: &mut Saver) -> Result<(), Unfit> {
        into.put(&(&self.keys, &self.present, &self.referenced))
    }

    fn restore(&mut self, from: &mut Loader<'_>) -> Result<(), Unfit> {
        let unfit = || Unfit("the saved records do not suit their table".to_owned());
        (self.keys, self.present, self.referenced) = from.take()?;
        self.index = HashTable::new();
        self.full_words = 0;
        let words = self.present.len();
        if words != self.referenced.len() || words > self.capacity as usize / 64 + 1 {
            return Err(unfit());
        }
        for place in (0..(words * 64) as u32).filter(|&place| self.has(place)).collect::<Vec<u32>>() {
            if place >= self.capacity || self.keys.len() < (place as usize + 1) * self.key_bytes {
                return Err(unfit());
            }
            self.index_place(place);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_takes_the_least_free_place() {
        let mut table = RecordTable::new(2, 130);
        for number in 0..130u16 {
            assert_eq!(table.insert(&number.to_be_bytes()), Insertion::Made(number.into()));
        }
        assert_eq!((table.insert(&[9, 9]), table.insert(&[0, 5])), (Insertion::Full, Insertion::Found(5)));
        assert!(table.delete(&100u16.to_be_bytes()) && table.remove(7) && !table.remove(7) && !table.remove(500));
        assert_eq!((table.len(), table.get(&[0, 7]), table.get(&[0, 8])), (128, None, Some(8)));
        assert_eq!((table.insert(&[8, 8]), table.insert(&[9, 9])), (Insertion::Made(7), Insertion::Made(100)));
        assert_eq!(table.insert(&[0, 7]), Insertion::Full);
    }

    #[test]
    fn a_scan_finds_what_was_not_referenced_since_the_last_one() {
        let mut table = RecordTable::new(1, 200);
        for key in 0..100 {
            table.insert(&[key]);
        }
        table.delete(&[2]);
        assert_eq!(table.scan(0, 4), [0, 0b1011], "new records have been referenced");
        table.find(&[1]);
        table.get(&[0]);
        assert_eq!(table.scan(0, 4), [0b1001, 0b1011]);
        assert_eq!(table.scan(98, 64), [0, 0b11], "places beyond the records are empty");
        assert_eq!((table.scan(u64::MAX, 64), table.scan(0, 0)), ([0, 0], [0, 0]));
        table.insert(&[3]);
        assert_eq!(table.scan(0, 4), [0b0011, 0b1011], "finding a record by an insertion is a reference");
    }

    #[test]
    fn records_are_put_back_as_they_were() {
        let mut table = RecordTable::new(1, 130);
        for key in 0..130u8 {
            assert_eq!((table.next_place(), table.insert(&[key])), (Some(key.into()), Insertion::Made(key.into())));
        }
        table.scan(64, 64);
        let before = table.clone();
        assert_eq!((table.next_place(), table.keep(&[200])), (None, None));
        let kept: Vec<_> = [70, 3].map(|key| (key, table.keep(&[key]))).into();
        assert!(table.delete(&[70]) && table.delete(&[3]));
        assert_eq!((table.next_place(), table.insert(&[200])), (Some(3), Insertion::Made(3)));
        table.put_back(&[200], None);
        kept.into_iter().for_each(|(key, kept)| table.put_back(&[key], kept));
        assert_eq!((&table, table.get(&[70]), table.next_place()), (&before, Some(70), None));
        assert!(!table.is_referenced(70) && table.is_referenced(3));
    }

    #[test]
    fn records_are_saved_and_restored() {
        let mut table = RecordTable::new(3, 500);
        for number in 0..300u16 {
            let [high, low] = number.to_be_bytes();
            table.insert(&[high, 7, low]);
        }
        table.scan(0, 64);
        table.delete(&[0, 7, 9]);
        let mut saver = Saver::default();
        table.save(&mut saver).unwrap();
        let bytes = saver.into_bytes();
        let mut other = RecordTable::new(3, 500);
        other.insert(&[1, 1, 1]);
        other.restore(&mut Loader::new(&bytes)).unwrap();
        assert_eq!(table, other);
        assert_eq!((other.get(&[0, 7, 10]), other.insert(&[5, 5, 5])), (Some(10), Insertion::Made(9)));
        assert!(RecordTable::new(4, 100).restore(&mut Loader::new(&bytes)).is_err());
    }
}
