//! What the threads of a program share: segments of memory, tables of records; and the events that begin threads.
//!
//! P4Info has no entities of these kinds, so they have no ids there.

use super::{Identity, SegmentNumber};

/// A segment of the memory that threads share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// The identity.
    pub identity: Identity,
    /// The address of the first byte.
    pub address: u64,
    /// The size in bytes, a multiple of 8.
    pub bytes: u64,
    /// Whether it holds policers, which are meters, and no words.
    pub has_policers: bool,
}

/// A table of records, which threads find by a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordTable {
    /// The identity.
    pub identity: Identity,
    /// The number of bytes of a key.
    pub key_bytes: u32,
    /// The number of bytes of a record, a multiple of 8.
    pub record_bytes: u32,
    /// The segment that holds the records.
    pub segment: SegmentNumber,
    /// The maximum number of records.
    pub size: u32,
}

/// An event that begins threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The identity.
    pub identity: Identity,
}
