//! Up to 64 bytes that a transaction carries, without an allocation.

use std::fmt;
use std::ops::Deref;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// The greatest number of bytes.
const MOST: usize = runtime::memory::LINE_BYTES as usize;

/// At most 64 bytes.
#[derive(Clone, Copy)]
pub struct Bytes {
    length: u8,
    bytes: [u8; MOST],
}

impl Bytes {
    /// No bytes.
    pub const EMPTY: Self = Self { length: 0, bytes: [0; MOST] };

    /// Returns so many zeros, at most 64.
    pub const fn zeros(length: usize) -> Self {
        assert!(length <= MOST);
        Self { length: length as u8, bytes: [0; MOST] }
    }

    /// Returns numbers of 64 bits in network order, at most 8 of them.
    pub fn of_words(words: &[u64]) -> Self {
        let mut bytes = Self::zeros(words.len() * 8);
        for (chunk, word) in bytes.chunks_exact_mut(8).zip(words) {
            chunk.copy_from_slice(&word.to_be_bytes());
        }
        bytes
    }

    /// Copies bytes; `None` if there are more than 64.
    pub fn of(bytes: &[u8]) -> Option<Self> {
        let mut copy = Self { length: u8::try_from(bytes.len()).ok()?, bytes: [0; MOST] };
        copy.bytes.get_mut(..bytes.len())?.copy_from_slice(bytes);
        Some(copy)
    }

    /// Returns the `place`th word of 8 bytes as a number; if fewer bytes are left, the number that they are; 0 if none are.
    #[inline]
    pub fn word(&self, place: usize) -> u64 {
        let start = (place * 8).min(self.len());
        let own = &self[start..(start + 8).min(self.len())];
        own.iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
    }

    /// Returns all whole words of 8 bytes.
    pub fn words(&self) -> impl Iterator<Item = u64> {
        self.chunks_exact(8).map(|chunk| u64::from_be_bytes(chunk.try_into().expect("eight bytes")))
    }
}

impl Deref for Bytes {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }
}

impl std::ops::DerefMut for Bytes {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[..usize::from(self.length)]
    }
}

impl PartialEq for Bytes {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Bytes {}

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02x?}", &**self)
    }
}

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (**self).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let bytes = Vec::<u8>::deserialize(deserializer)?;
        Self::of(&bytes).ok_or_else(|| de::Error::custom("more than 64 bytes"))
    }
}
