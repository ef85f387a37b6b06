//! Fields of keys, and matches of entries against them.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::TableError;
use crate::Bits;

/// The match kind of a key field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MatchKind {
    /// One value (P4_16, section 14.2.1.1; core.p4).
    Exact,
    /// A prefix, of which the longest one wins (core.p4).
    Lpm,
    /// A value under a mask (core.p4).
    Ternary,
    /// A range of values (v1model.p4).
    Range,
    /// One value or any value (v1model.p4).
    Optional,
}

impl MatchKind {
    /// Returns the name in P4.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Lpm => "lpm",
            Self::Ternary => "ternary",
            Self::Range => "range",
            Self::Optional => "optional",
        }
    }

    /// Returns true if entries of a table with such a field have priorities.
    pub const fn has_priority(self) -> bool {
        matches!(self, Self::Ternary | Self::Range | Self::Optional)
    }

    /// Describes the matches that an entry may have against such a field.
    pub(super) const fn takes(self) -> &'static str {
        match self {
            Self::Exact => "one value",
            Self::Lpm => "a prefix or anything",
            Self::Ternary => "a value with a mask or anything",
            Self::Range => "a range or anything",
            Self::Optional => "one value or anything",
        }
    }
}

impl fmt::Display for MatchKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A field of a table's key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KeyField {
    /// The match kind.
    pub kind: MatchKind,
    /// The width in bits.
    pub width: u32,
}

/// The match of a table entry, or of a member of a value set, against one field.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FieldMatch {
    /// The field has this value.
    Exact(Bits),
    /// The first `length` bits of the field, counted from the most significant one, equal those of the value.
    Prefix {
        /// The value; all other bits are zero.
        value: Bits,
        /// The length of the prefix in bits.
        length: u32,
    },
    /// The bits of the field that are set in the mask equal those of the value.
    Mask {
        /// The value, which is zero wherever the mask is.
        value: Bits,
        /// The mask.
        mask: Bits,
    },
    /// The field is in the range from `low` to `high`, both included, as an unsigned number.
    Range {
        /// The least value.
        low: Bits,
        /// The greatest value.
        high: Bits,
    },
    /// The field has any value.
    Any,
}

/// Formats the match in the syntax of command files and packet tests, in hexadecimal.
impl fmt::Display for FieldMatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact(value) => write!(f, "{value:#x}"),
            Self::Prefix { value, length } => write!(f, "{value:#x}/{length}"),
            Self::Mask { value, mask } => write!(f, "{value:#x}&&&{mask:#x}"),
            Self::Range { low, high } => write!(f, "{low:#x}->{high:#x}"),
            Self::Any => f.write_str("*"),
        }
    }
}

impl FieldMatch {
    /// Returns true if a field of `width` bits with this value matches.
    #[inline]
    pub fn matches(&self, field: &Bits, width: u32) -> bool {
        match self {
            Self::Exact(value) => field == value,
            Self::Prefix { value, length } => field.shares_prefix(value, *length, width),
            Self::Mask { value, mask } => {
                let limbs = field.limbs().iter().zip(value.limbs()).zip(mask.limbs());
                limbs.into_iter().all(|((field, value), mask)| field & mask == *value)
            }
            Self::Range { low, high } => low <= field && field <= high,
            Self::Any => true,
        }
    }

    /// Returns the canonical form of the match, with numbers in the field's width. A prefix of no bits, an empty mask
    /// and the range of all values become [`FieldMatch::Any`]. `number` is the index of the field in the key.
    ///
    /// # Errors
    /// If the match does not suit the field.
    pub fn canonical(&self, field: KeyField, number: usize) -> Result<Self, TableError> {
        let width = field.width;
        let fitted = |value: &Bits| match value.fits(width) {
            true => Ok(Bits::from_limbs(value.limbs(), width)),
            false => Err(TableError::ValueTooWide { field: number, width }),
        };
        let under_mask = |value: Bits, mask: &Bits| match value.and(mask) == value {
            true => Ok(value),
            false => Err(TableError::BitsOutsideMask { field: number }),
        };
        Ok(match (field.kind, self) {
            (MatchKind::Exact | MatchKind::Optional, Self::Exact(value)) => Self::Exact(fitted(value)?),
            (MatchKind::Lpm, &Self::Prefix { ref value, length }) => {
                if length > width {
                    return Err(TableError::PrefixTooLong { field: number, length, width });
                }
                let value = under_mask(fitted(value)?, &prefix_mask(length, width))?;
                if length == 0 { Self::Any } else { Self::Prefix { value, length } }
            }
            (MatchKind::Ternary, Self::Mask { value, mask }) => {
                let mask = fitted(mask)?;
                let value = under_mask(fitted(value)?, &mask)?;
                if mask.is_zero() { Self::Any } else { Self::Mask { value, mask } }
            }
            (MatchKind::Range, Self::Range { low, high }) => {
                let (low, high) = (fitted(low)?, fitted(high)?);
                if low > high {
                    return Err(TableError::EmptyRange { field: number });
                }
                if low.is_zero() && high == Bits::ones(width) { Self::Any } else { Self::Range { low, high } }
            }
            (MatchKind::Lpm | MatchKind::Ternary | MatchKind::Range | MatchKind::Optional, Self::Any) => Self::Any,
            (kind, _) => return Err(TableError::KindMismatch { field: number, kind }),
        })
    }
}

impl KeyField {
    /// Returns the match that is true for exactly one value, in the form of this field's kind.
    pub fn exactly(self, value: Bits) -> FieldMatch {
        match self.kind {
            MatchKind::Exact | MatchKind::Optional => FieldMatch::Exact(value),
            MatchKind::Lpm => FieldMatch::Prefix { value, length: self.width },
            MatchKind::Ternary => FieldMatch::Mask { value, mask: Bits::ones(self.width) },
            MatchKind::Range => FieldMatch::Range { low: value.clone(), high: value },
        }
    }
}

/// Returns the mask of the first `length` bits of `width`.
pub(super) fn prefix_mask(length: u32, width: u32) -> Bits {
    Bits::ones(width).shift_left(&Bits::Narrow(u64::from(width - length)), width)
}
