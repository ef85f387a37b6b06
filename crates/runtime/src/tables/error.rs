//! The errors of operations on tables.

use std::fmt;

use super::{EntryHandle, MatchKind};

/// The reason why a table refuses an operation. Fields are numbered from 0 in the order of the key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TableError {
    /// The table has the maximum number of entries already.
    Full {
        /// The maximum number.
        size: u32,
    },
    /// The table already has an entry with this key, and with this priority if the table uses priorities.
    Duplicate {
        /// The existing entry.
        existing: EntryHandle,
    },
    /// No entry has this handle.
    NoSuchEntry,
    /// The entry is constant.
    Constant,
    /// The table has no key, so no entry could ever match.
    NoKey,
    /// The entry and the key have different numbers of fields.
    FieldCount {
        /// The number of fields of the key.
        expected: usize,
        /// The number of fields of the entry.
        given: usize,
    },
    /// The match of a field does not suit the field's kind.
    KindMismatch {
        /// The field.
        field: usize,
        /// The match kind of the field.
        kind: MatchKind,
    },
    /// A number does not fit in its field.
    ValueTooWide {
        /// The field.
        field: usize,
        /// The width of the field in bits.
        width: u32,
    },
    /// A prefix is longer than its field.
    PrefixTooLong {
        /// The field.
        field: usize,
        /// The length of the prefix in bits.
        length: u32,
        /// The width of the field in bits.
        width: u32,
    },
    /// The value has bits set outside of the mask or prefix. P4Runtime (specification 1.4, section 9.1.1) requires them
    /// to be zero, so that each set of packets has a single canonical form.
    BitsOutsideMask {
        /// The field.
        field: usize,
    },
    /// The low end of a range is greater than its high end.
    EmptyRange {
        /// The field.
        field: usize,
    },
    /// The table has had 2^32 - 1 entries in total, so all handles are used up.
    HandlesExhausted,
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full { size } => write!(f, "the table is full: it holds at most {size} entries"),
            Self::Duplicate { .. } => write!(f, "the table already has an entry with this key"),
            Self::NoSuchEntry => write!(f, "the table has no such entry"),
            Self::Constant => write!(f, "the program declares the entry constant"),
            Self::NoKey => write!(f, "the table has no key, so it cannot have entries"),
            Self::FieldCount { expected, given } => write!(f, "the key has {expected} fields, not {given}"),
            Self::KindMismatch { field, kind } => {
                write!(f, "field {field} of the key is matched as `{kind}`, which takes {}", kind.takes())
            }
            Self::ValueTooWide { field, width } => {
                write!(f, "a number for field {field} of the key does not fit in its {width} bits")
            }
            Self::PrefixTooLong { field, length, width } => {
                write!(f, "a prefix of {length} bits is too long for field {field} of the key, which has {width}")
            }
            Self::BitsOutsideMask { field } => {
                write!(
                    f,
                    "the value for field {field} of the key has bits outside of its mask or prefix; they must be zero"
                )
            }
            Self::EmptyRange { field } => write!(f, "the range for field {field} of the key ends before it begins"),
            Self::HandlesExhausted => write!(f, "the table has had 2^32 - 1 entries and cannot number another one"),
        }
    }
}

impl std::error::Error for TableError {}
