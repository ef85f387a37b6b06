//! The memories of a program of threads.

use basis::typed_id;

use crate::{Expression, Initial, MeterId};

typed_id!(
    /// Identifies a segment of shared memory.
    SegmentId
);
typed_id!(
    /// Identifies a table of records.
    RecordTableId
);

/// The memory that each thread has for itself, addressed by byte from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalMemory {
    /// The size in bytes: a multiple of 8, at most [`super::MAX_LOCAL_MEMORY`].
    pub bytes: u32,
    /// What a thread finds in it, as words of 64 bits in network order, before the head of its packet is loaded.
    pub initial: Initial,
}

/// No memory.
impl Default for LocalMemory {
    fn default() -> Self {
        Self { bytes: 0, initial: Initial::Fill(0) }
    }
}

/// Where in local memory the head of a packet is loaded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HeadPlace {
    /// The address of the first byte.
    pub address: u32,
    /// The greatest number of bytes that are loaded; what follows is the tail of the packet. They fit in local memory.
    pub bytes: u32,
}

/// A bit field of local memory, of type `bit<width>`.
///
/// Bit 0 is the most significant bit of the byte at the address, as on the wire, and the first bit of the field is the most
/// significant bit of its value. A thread that reads or writes outside of its local memory ends with an error.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MemoryField {
    /// The address in bytes, a number: a pointer.
    pub address: Expression,
    /// The distance of the first bit from the address, in bits.
    pub offset: u32,
    /// The number of bits, from 1 to 64.
    pub width: u16,
}

/// A range of shared memory with a name. Segments do not overlap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// The name, by which the control plane knows it; unique among segments.
    pub name: String,
    /// The kind of memory. It makes no difference to what a program means.
    pub kind: MemoryKind,
    /// The address of the first byte: a multiple of 8.
    pub address: u64,
    /// The size in bytes: a multiple of 8, not 0; the segment ends at or below [`super::MAX_SHARED_MEMORY`].
    pub bytes: u64,
    /// What is in it before the first thread.
    pub contents: Contents,
}

/// A kind of shared memory (Trio, section 2.3). Both are parts of one address space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MemoryKind {
    /// On the chip: small and fast.
    OnChip,
    /// Off the chip: large and slow.
    OffChip,
}

/// What is in a segment before the first thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Contents {
    /// Words of 64 bits in network order.
    Words(Initial),
    /// The policers of an array of meters, each of [`super::POLICER_BYTES`] bytes. The segment begins at a multiple of
    /// them and has as many policers as the array has meters. Only the operation `police` can access it.
    Policers(MeterId),
}

/// A table of records, which threads find by a key, make and delete: a hash table.
///
/// A record is memory: `record_bytes` bytes of the table's segment, which threads read and write by their address. A new
/// record takes the first free place of the segment. Beside each record a flag says whether it has been referenced: it is
/// set when the record is made or found by its key, and cleared by scans (Trio, section 5: the REF flag).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordTable {
    /// The name, by which the control plane knows it; unique among tables of records.
    pub name: String,
    /// The size of a key in bytes, from 1 to 64.
    pub key_bytes: u32,
    /// The size of a record in bytes: a multiple of 8 up to [`super::MAX_RECORD`], not 0.
    pub record_bytes: u32,
    /// The segment that holds the records. It is not that of another table, and holds 1 to [`super::MAX_RECORDS`] records.
    pub segment: SegmentId,
}
