//! Why a table refuses what it is asked for.

use std::fmt;

use super::{EntryHandle, MatchKind};

/// Why a table refuses what it is asked for. Fields are numbered from 0 in the order of the key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TableError {
    /// The table has as many entries as it may.
    Full {
        /// How many that are.
        size: u32,
    },
    /// The table has an entry with this key, and this priority if priorities mean something in it.
    Duplicate {
        /// The entry that is there.
        existing: EntryHandle,
    },
    /// No entry has this handle.
    NoSuchEntry,
    /// The entry is constant.
    Constant,
    /// The table has no key, so that no entry could ever match.
    NoKey,
    /// The entry has more or fewer fields than the key.
    FieldCount {
        /// Fields of the key.
        expected: usize,
        /// Fields of the entry.
        given: usize,
    },
    /// A field is matched in a way that is not its kind's.
    KindMismatch {
        /// The field.
        field: usize,
        /// How it is matched.
        kind: MatchKind,
    },
    /// A number does not fit its field.
    ValueTooWide {
        /// The field.
        field: usize,
        /// Its width in bits.
        width: u32,
    },
    /// A prefix is longer than its field.
    PrefixTooLong {
        /// The field.
        field: usize,
        /// The length of the prefix.
        length: u32,
        /// The width of the field in bits.
        width: u32,
    },
    /// The value has bits set that the mask or the prefix says do not matter. P4Runtime (specification 1.4, section
    /// 9.1.1) demands that they are zero, so that each set of packets has one spelling.
    BitsOutsideMask {
        /// The field.
        field: usize,
    },
    /// The low end of a range is above its high end.
    EmptyRange {
        /// The field.
        field: usize,
    },
    /// The table has had 2^32 - 1 entries, one after the other, and no handle is left.
    HandlesExhausted,
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full { size } => write!(f, "the table is full: it holds {size} entries"),
            Self::Duplicate { .. } => write!(f, "the table has an entry with this key already"),
            Self::NoSuchEntry => write!(f, "the table has no such entry"),
            Self::Constant => write!(f, "the entry is constant in the program"),
            Self::NoKey => write!(f, "the table has no key, so it has no entries"),
            Self::FieldCount { expected, given } => write!(f, "the key has {expected} fields, not {given}"),
            Self::KindMismatch { field, kind } => {
                write!(f, "field {field} of the key is matched as `{kind}`, which takes {}", kind.takes())
            }
            Self::ValueTooWide { field, width } => {
                write!(f, "a number for field {field} of the key does not fit its {width} bits")
            }
            Self::PrefixTooLong { field, length, width } => {
                write!(f, "a prefix of {length} bits is too long for field {field} of the key, which has {width}")
            }
            Self::BitsOutsideMask { field } => {
                write!(f, "the value for field {field} of the key has bits set that do not matter; they must be zero")
            }
            Self::EmptyRange { field } => write!(f, "the range for field {field} of the key ends before it begins"),
            Self::HandlesExhausted => write!(f, "the table has had 2^32 - 1 entries and can name no further one"),
        }
    }
}

impl std::error::Error for TableError {}
