//! Memory that the threads of a program share: one address space of segments.

mod pages;

use std::fmt;

use basis::snapshot::{Loader, Saver, Snapshot, Unfit};

use pages::Pages;

/// The number of bytes that one access reaches at most: all its bytes lie in one line that begins at a multiple of this.
pub const LINE_BYTES: u64 = 64;

/// The number of bytes of the address space that a policer takes.
pub const POLICER_BYTES: u64 = 64;

/// The reason why an address cannot be accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemoryError {
    /// A byte is outside of all segments, or the bytes are in several segments.
    Outside,
    /// The address is not a multiple of what the access needs.
    Unaligned,
    /// The bytes are in two lines of [`LINE_BYTES`].
    TwoLines,
    /// The bytes are policers, but the access is to words, or the other way round.
    Policers,
}

impl fmt::Display for MemoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Outside => "the address is outside of every segment",
            Self::Unaligned => "the address is not a multiple of what the access needs",
            Self::TwoLines => "the access reaches into a second line of 64 bytes",
            Self::Policers => "the access does not suit a segment of policers, or needs one",
        })
    }
}

impl std::error::Error for MemoryError {}

/// What segments there are. It never changes while a program runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryMap {
    /// In order of their addresses.
    ranges: Vec<Range>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Range {
    first: u64,
    /// The address behind the last byte.
    end: u64,
    /// The number of the segment, in the order in which they were added.
    segment: usize,
    /// The number of the array of policers that it holds; `None` if it holds words.
    policers: Option<usize>,
}

impl MemoryMap {
    /// Adds a segment, which must not overlap another one, and returns its number. `policers` is the number of the array of
    /// meters that it holds; `None` if it holds words.
    pub fn add(&mut self, address: u64, bytes: u64, policers: Option<usize>) -> usize {
        let segment = self.ranges.len();
        let at = self.ranges.partition_point(|range| range.first < address);
        self.ranges.insert(at, Range { first: address, end: address.saturating_add(bytes), segment, policers });
        segment
    }

    #[inline]
    fn range(&self, address: u64, bytes: u64) -> Result<Range, MemoryError> {
        let behind = self.ranges.partition_point(|range| range.first <= address);
        let range = behind.checked_sub(1).map(|place| self.ranges[place]).ok_or(MemoryError::Outside)?;
        if address.checked_add(bytes).is_none_or(|end| end > range.end) {
            return Err(MemoryError::Outside);
        }
        Ok(range)
    }

    /// Checks an access to words, and returns the number of the segment.
    ///
    /// # Errors
    /// If the address is not a multiple of `unit`, or the bytes are not in one line of one segment of words.
    #[inline]
    pub fn words(&self, address: u64, bytes: u64, unit: u64) -> Result<usize, MemoryError> {
        if !address.is_multiple_of(unit) {
            return Err(MemoryError::Unaligned);
        }
        if address % LINE_BYTES + bytes > LINE_BYTES {
            return Err(MemoryError::TwoLines);
        }
        let range = self.range(address, bytes)?;
        if range.policers.is_some() { Err(MemoryError::Policers) } else { Ok(range.segment) }
    }

    /// Checks an access to a policer, and returns the number of its array and its index there.
    ///
    /// # Errors
    /// If the address is not that of a policer.
    pub fn policer(&self, address: u64) -> Result<(usize, u64), MemoryError> {
        if !address.is_multiple_of(POLICER_BYTES) {
            return Err(MemoryError::Unaligned);
        }
        let range = self.range(address, POLICER_BYTES)?;
        let array = range.policers.ok_or(MemoryError::Policers)?;
        Ok((array, (address - range.first) / POLICER_BYTES))
    }
}

/// Shared memory with its contents. Memory that was never written takes no room.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SharedMemory {
    map: MemoryMap,
    /// The contents of the segments, by number; those of policers are empty.
    contents: Vec<Pages>,
}

impl SharedMemory {
    /// Adds a segment of words, which must not overlap another one. It begins with the words of `first`, in network order;
    /// every other word is `fill`.
    pub fn add_words(&mut self, address: u64, bytes: u64, fill: u64, first: &[u64]) {
        self.map.add(address, bytes, None);
        let mut pages = Pages::new(address, fill);
        for (place, word) in first.iter().enumerate().filter(|(_, word)| **word != fill) {
            pages.write(address + 8 * place as u64, &word.to_be_bytes());
        }
        self.contents.push(pages);
    }

    /// Adds a segment of policers, which must not overlap another one: as many as `bytes` has room for, from the array of
    /// meters with this number.
    pub fn add_policers(&mut self, address: u64, bytes: u64, array: usize) {
        self.map.add(address, bytes, Some(array));
        self.contents.push(Pages::new(address, 0));
    }

    /// Returns what segments there are.
    pub fn map(&self) -> &MemoryMap {
        &self.map
    }

    /// Reads bytes of one segment of words, wherever they begin and however many they are.
    ///
    /// # Errors
    /// If the bytes are not in one segment of words.
    pub fn read(&self, address: u64, into: &mut [u8]) -> Result<(), MemoryError> {
        let segment = self.segment(address, into.len())?;
        self.contents[segment].read(address, into);
        Ok(())
    }

    /// Writes bytes of one segment of words, wherever they begin and however many they are.
    ///
    /// # Errors
    /// If the bytes are not in one segment of words; then nothing is written.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), MemoryError> {
        let segment = self.segment(address, bytes.len())?;
        self.contents[segment].write(address, bytes);
        Ok(())
    }

    fn segment(&self, address: u64, bytes: usize) -> Result<usize, MemoryError> {
        let range = self.map.range(address, bytes as u64)?;
        if range.policers.is_some() { Err(MemoryError::Policers) } else { Ok(range.segment) }
    }

    /// Gives the bytes of an access that [`MemoryMap::words`] has found to be right to `change`, which sees what they are and
    /// makes them what they become.
    ///
    /// # Panics
    /// If the segment is not the one that [`MemoryMap::words`] returned.
    #[inline]
    pub fn change(&mut self, segment: usize, address: u64, bytes: usize, change: impl FnOnce(&mut [u8])) {
        change(self.contents[segment].line_mut(address, bytes));
    }

    /// Reads the bytes of an access that [`MemoryMap::words`] has found to be right.
    ///
    /// # Panics
    /// If the segment is not the one that [`MemoryMap::words`] returned.
    #[inline]
    pub fn read_line(&self, segment: usize, address: u64, into: &mut [u8]) {
        self.contents[segment].read(address, into);
    }

    /// Returns the words of a segment that are not what it was filled with at first, in order, each with its address.
    ///
    /// # Panics
    /// If there is no such segment.
    pub fn written_words(&self, segment: usize) -> impl Iterator<Item = (u64, u64)> {
        self.contents[segment].written_words()
    }

    /// Returns the memory that the contents take in this process, in bytes.
    pub fn memory(&self) -> usize {
        self.contents.iter().map(Pages::memory).sum()
    }

    /// Returns the words of a segment that differ from those of another memory of the same program, in order: the address, the
    /// own word and the other one.
    ///
    /// # Panics
    /// If there is no such segment.
    pub fn differences(&self, other: &Self, segment: usize) -> impl Iterator<Item = (u64, u64, u64)> {
        self.contents[segment].differences(&other.contents[segment])
    }

    /// Returns the address of the first byte that two memories of the same program do not have in common.
    pub fn first_difference(&self, other: &Self) -> Option<u64> {
        let pairs = self.contents.iter().zip(&other.contents);
        pairs.filter_map(|(own, other)| own.first_difference(other)).min()
    }
}

/// The segments belong to the program, so only their contents are saved.
impl Snapshot for SharedMemory {
    fn save(&self, into: &mut Saver) -> Result<(), Unfit> {
        self.contents.save(into)
    }

    fn restore(&mut self, from: &mut Loader<'_>) -> Result<(), Unfit> {
        self.contents.restore(from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory() -> SharedMemory {
        let mut memory = SharedMemory::default();
        memory.add_words(0x1000, 0x4000, 0x0102_0304_0506_0708, &[1, 2]);
        memory.add_policers(0x8000, 4 * POLICER_BYTES, 3);
        memory.add_words(0, 64, 0, &[]);
        memory
    }

    #[test]
    fn accesses_are_aligned_and_stay_in_one_line_of_one_segment() {
        let memory = memory();
        let words = |address, bytes| memory.map().words(address, bytes, 8);
        assert_eq!((words(0, 64), words(56, 8), words(0x1000, 8), words(0x4FF8, 8)), (Ok(2), Ok(2), Ok(0), Ok(0)));
        assert_eq!(words(60, 4), Err(MemoryError::Unaligned));
        assert_eq!(words(56, 16), Err(MemoryError::TwoLines));
        assert_eq!(words(64, 8), Err(MemoryError::Outside));
        assert_eq!(words(0x5000, 8), Err(MemoryError::Outside));
        assert_eq!(words(u64::MAX - 7, 8), Err(MemoryError::Outside));
        assert_eq!(words(0x8000, 8), Err(MemoryError::Policers));
        let policer = |address| memory.map().policer(address);
        assert_eq!((policer(0x8000), policer(0x80C0)), (Ok((3, 0)), Ok((3, 3))));
        assert_eq!((policer(0x8100), policer(0x8008)), (Err(MemoryError::Outside), Err(MemoryError::Unaligned)));
        assert_eq!(policer(0x1000), Err(MemoryError::Policers));
    }

    #[test]
    fn untouched_memory_has_its_first_contents_and_takes_no_room() {
        let mut memory = SharedMemory::default();
        memory.add_words(0, 1 << 36, 7, &[]);
        assert_eq!(memory.memory(), 0);
        let mut word = [0; 8];
        memory.read((1 << 36) - 8, &mut word).unwrap();
        assert_eq!(u64::from_be_bytes(word), 7);
        memory.write((1 << 36) - 8, &[9; 8]).unwrap();
        assert!(memory.memory() < 1 << 20, "{}", memory.memory());
    }

    #[test]
    fn ranges_across_pages_are_read_as_they_were_written() {
        let mut memory = memory();
        let bytes: Vec<u8> = (0..10_000).map(|byte| byte as u8).collect();
        memory.write(0x1003, &bytes).unwrap();
        let mut read = vec![0; bytes.len() + 4];
        memory.read(0x1001, &mut read).unwrap();
        assert_eq!((&read[..2], &read[2..10_002]), (&[0, 0][..], &bytes[..]));
        // 0x1003 + 10,000 = 0x3713, which is byte 3 of its word.
        assert_eq!(&read[10_002..], &[4, 5]);
        assert_eq!(memory.write(0x4FF9, &[0; 8]), Err(MemoryError::Outside));
    }

    #[test]
    fn words_that_were_written_are_listed() {
        let mut memory = memory();
        memory.write(0x4FF8, &7u64.to_be_bytes()).unwrap();
        memory.write(0x1008, &0x0102_0304_0506_0708u64.to_be_bytes()).unwrap();
        memory.write(16, &9u64.to_be_bytes()).unwrap();
        assert_eq!(memory.written_words(0).collect::<Vec<_>>(), [(0x1000, 1), (0x4FF8, 7)]);
        assert_eq!(memory.written_words(2).collect::<Vec<_>>(), [(16, 9)]);
        assert_eq!(memory.written_words(1).count(), 0);
    }

    #[test]
    fn a_page_that_was_written_with_its_first_contents_is_no_difference() {
        let (mut one, other) = (memory(), memory());
        one.write(0x2000, &[1, 2, 3, 4, 5, 6, 7, 8]).unwrap();
        assert_eq!((&one, one.first_difference(&other)), (&other, None));
        one.write(0x2345, &[9]).unwrap();
        assert_eq!((one.first_difference(&other), other.first_difference(&one)), (Some(0x2345), Some(0x2345)));
        assert_ne!(one, other);
        let was = 0x0102_0304_0506_0708;
        let differences = [(0x2340, 0x0102_0304_0509_0708, was)];
        assert_eq!(one.differences(&other, 0).collect::<Vec<_>>(), differences);
        assert_eq!(
            other.differences(&one, 0).map(|(at, own, other)| (at, other, own)).collect::<Vec<_>>(),
            differences
        );
        assert_eq!(one.differences(&other, 2).count(), 0);
    }

    #[test]
    fn memory_is_saved_and_restored() {
        let mut one = memory();
        one.write(0x2345, &[9; 100]).unwrap();
        let mut saver = Saver::default();
        one.save(&mut saver).unwrap();
        let mut other = memory();
        other.write(0x3000, &[1]).unwrap();
        let bytes = saver.into_bytes();
        let mut loader = Loader::new(&bytes);
        other.restore(&mut loader).unwrap();
        loader.finish().unwrap();
        assert_eq!(one, other);
    }
}
