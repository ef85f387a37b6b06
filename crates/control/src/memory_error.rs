//! The errors of requests about memory that threads share, and about records.

use std::fmt;

use crate::MemoryRequest;
use crate::error_text::{count, thousands};

/// The reason why a request about a segment is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryError {
    /// The distance from the beginning of the segment is not a multiple of 8.
    Unaligned {
        /// The distance in bytes.
        offset: u64,
    },
    /// Words lie behind the end of the segment.
    Outside {
        /// The distance of the first word from the beginning of the segment, in bytes.
        offset: u64,
        /// The number of words.
        words: u64,
        /// The size of the segment in bytes.
        bytes: u64,
    },
    /// More words are to be read than one request reads.
    TooMany {
        /// The number of words.
        words: u64,
    },
    /// The segment holds policers and no words.
    Policers,
}

/// The reason why a request about a table of records is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordError {
    /// A key does not have the size of the table's keys.
    KeySize {
        /// The number of bytes of a key.
        bytes: u32,
        /// The number of bytes that were given.
        given: usize,
    },
    /// More bytes are given than a record has.
    TooLong {
        /// The number of bytes of a record.
        bytes: u32,
        /// The number of bytes that were given.
        given: usize,
    },
    /// There is a record of this key already.
    Exists,
    /// There is no record of this key.
    Missing,
    /// The table is full.
    Full {
        /// The maximum number of records.
        size: u32,
    },
}

impl MemoryError {
    pub(crate) fn describe(self, segment: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unaligned { offset } => write!(
                f,
                "words of segment `{segment}` begin at multiples of 8 bytes from its beginning, and {offset} is none"
            ),
            Self::Outside { offset, words, bytes } => write!(
                f,
                "segment `{segment}` has {}; {} from byte {} on are not all in it",
                count(bytes, "byte"),
                count(words, "word"),
                thousands(offset)
            ),
            Self::TooMany { words } => write!(
                f,
                "one request reads at most {} words of segment `{segment}`, not {}",
                thousands(MemoryRequest::MOST_WORDS),
                thousands(words)
            ),
            Self::Policers => {
                write!(f, "segment `{segment}` holds policers: they are read and written as meters, by their own name")
            }
        }
    }
}

impl RecordError {
    pub(crate) fn describe(self, table: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let owner = format!("table of records `{table}`");
        match self {
            Self::KeySize { bytes, given } => {
                write!(f, "keys of {owner} have {}, and {given} are given", count(bytes.into(), "byte"))
            }
            Self::TooLong { bytes, given } => {
                write!(f, "records of {owner} have {}, and {given} are given", count(bytes.into(), "byte"))
            }
            Self::Exists => write!(f, "{owner} already has a record of this key"),
            Self::Missing => write!(f, "{owner} has no record of this key"),
            Self::Full { size } => write!(f, "{owner} is full: its size is {}", count(size.into(), "record")),
        }
    }
}
