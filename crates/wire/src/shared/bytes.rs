//! Bytes that packets share without copying them.

use std::fmt;
use std::ops::{Deref, Range};
use std::sync::Arc;
use std::sync::atomic::{Ordering, fence};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A part of a counted piece of memory. A clone and a part of it share the memory.
///
/// It takes 16 bytes, one of which is never zero, so that [`crate::Tail`] is not larger.
#[derive(Clone)]
pub struct SharedBytes {
    memory: Arc<Memory>,
    start: u32,
    end: u32,
}

/// Memory that belongs to somebody else, such as a part of a region that is shared with the kernel. It is freed when this
/// is dropped, after the last packet that has a part of it.
pub trait ForeignMemory: Send + Sync {
    /// Returns the bytes, which nobody writes while packets have parts of them.
    fn bytes(&self) -> &[u8];

    /// Returns the bytes for writing, while no packet has a part of them.
    fn bytes_mut(&mut self) -> &mut [u8];
}

/// A piece of memory, behind one pointer and not two words as a slice would be.
pub(super) enum Memory {
    Own(Box<[u8]>),
    Foreign(Box<dyn ForeignMemory>),
}

impl Memory {
    #[inline]
    pub(super) fn bytes(&self) -> &[u8] {
        match self {
            Self::Own(bytes) => bytes,
            Self::Foreign(memory) => memory.bytes(),
        }
    }

    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        match self {
            Self::Own(bytes) => bytes,
            Self::Foreign(memory) => memory.bytes_mut(),
        }
    }
}

impl SharedBytes {
    /// Returns the first `length` bytes of a piece of memory.
    pub(super) fn of_memory(memory: Arc<Memory>, length: usize) -> Self {
        let end = u32::try_from(length.min(memory.bytes().len())).expect("the bytes of a packet");
        Self { memory, start: 0, end }
    }

    /// Returns true if nothing has a part of the memory but this and the [`crate::Loan`] that lent it. Then nobody
    /// but whoever owns this reads the memory, and its owner may write around the part, if it knows where that is.
    pub fn is_only_part(&self) -> bool {
        let is_only = Arc::strong_count(&self.memory) == 2;
        // What others have read of their parts before they dropped them happened before.
        fence(Ordering::Acquire);
        is_only
    }

    /// Returns a part of these bytes.
    ///
    /// # Panics
    /// If the range does not lie within the bytes.
    pub fn part(&self, range: Range<usize>) -> Self {
        assert!(range.start <= range.end && range.end <= self.len(), "{range:?} lies within {} bytes", self.len());
        // Both are below `end`, which fits into 32 bits.
        let [start, end] = [range.start, range.end].map(|at| self.start + at as u32);
        Self { memory: Arc::clone(&self.memory), start, end }
    }
}

impl Deref for SharedBytes {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        &self.memory.bytes()[self.start as usize..self.end as usize]
    }
}

impl From<Box<[u8]>> for SharedBytes {
    /// # Panics
    /// If there are 4 GB or more.
    fn from(bytes: Box<[u8]>) -> Self {
        let length = bytes.len();
        Self::of_memory(Arc::new(Memory::Own(bytes)), length)
    }
}

impl From<Vec<u8>> for SharedBytes {
    fn from(bytes: Vec<u8>) -> Self {
        bytes.into_boxed_slice().into()
    }
}

impl From<&[u8]> for SharedBytes {
    fn from(bytes: &[u8]) -> Self {
        Box::<[u8]>::from(bytes).into()
    }
}

impl<const LENGTH: usize> From<[u8; LENGTH]> for SharedBytes {
    fn from(bytes: [u8; LENGTH]) -> Self {
        bytes[..].into()
    }
}

impl FromIterator<u8> for SharedBytes {
    fn from_iter<I: IntoIterator<Item = u8>>(bytes: I) -> Self {
        bytes.into_iter().collect::<Vec<u8>>().into()
    }
}

impl PartialEq for SharedBytes {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for SharedBytes {}

impl fmt::Debug for SharedBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl Serialize for SharedBytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (**self).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for SharedBytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::deserialize(deserializer).map(Self::from)
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.bytes().len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_share_memory() {
        let whole = SharedBytes::from([1, 2, 3, 4, 5]);
        let part = whole.part(1..4).part(1..3);
        assert_eq!(&*part, [3, 4]);
        assert!(std::ptr::eq(&whole[2], &part[0]));
        assert!(whole.part(5..5).is_empty());
    }

    #[test]
    #[should_panic(expected = "1..3 lies within 2 bytes")]
    fn a_part_lies_within_its_whole() {
        SharedBytes::from([1, 2, 3]).part(0..2).part(1..3);
    }
}
