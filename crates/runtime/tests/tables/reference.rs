//! The reference implementation of a table: a list of entries on numbers of at most 128 bits, searched linearly.
//!
//! A wider field has the upper 64 bits of the number as its first bits, the lower 64 bits as its last bits, and zeros
//! in between.

use runtime::Bits;
use runtime::tables::{EntryHandle, FieldMatch, KeyField};

/// A match against a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    One(u128),
    Prefix(u128, u32),
    Mask(u128, u128),
    Range(u128, u128),
    Any,
}

/// Returns the value of a field of `width` bits that a number stands for.
pub fn bits(value: u128, width: u32) -> Bits {
    let (high, low) = ((value >> 64) as u64, value as u64);
    match width.checked_sub(128) {
        None | Some(0) => Bits::from_limbs(&[low, high], width),
        Some(more) => {
            let high = Bits::from_limbs(&[high], width).shift_left(&Bits::Narrow(u64::from(more) + 64), width);
            high.or(&Bits::from_limbs(&[low], width))
        }
    }
}

/// Returns the words of a key of these numbers.
pub fn words(values: &[u128], fields: &[KeyField]) -> Vec<u64> {
    let word = |(&value, field): (&u128, &KeyField)| {
        bits(value, field.width).limbs()[..field.width.div_ceil(64) as usize].to_vec()
    };
    values.iter().zip(fields).flat_map(word).collect()
}

/// Returns the length in the field of a prefix that has this length in the number.
fn length_in_field(length: u32, width: u32) -> u32 {
    if length > 64 { length + width.saturating_sub(128) } else { length }
}

/// Returns a number with all bits of a width set.
pub fn ones(width: u32) -> u128 {
    1u128.checked_shl(width).map_or(u128::MAX, |power| power - 1)
}

impl Asked {
    fn holds(self, value: u128, width: u32) -> bool {
        let width = width.min(128);
        match self {
            Self::One(one) => value == one,
            Self::Prefix(prefix, length) => (value ^ prefix).checked_shr(width - length).unwrap_or(0) == 0,
            Self::Mask(bits, mask) => value & mask == bits,
            Self::Range(low, high) => low <= value && value <= high,
            Self::Any => true,
        }
    }

    /// Returns the least and the greatest value and the mask, which together identify a set of one kind.
    fn set(self, width: u32) -> (u128, u128, u128) {
        let width = width.min(128);
        let all = ones(width);
        match self {
            Self::One(value) => (value, value, all),
            Self::Prefix(value, length) => (value, value | ones(width - length), all & !ones(width - length)),
            Self::Mask(value, mask) => (value, value | all & !mask, mask),
            Self::Range(low, high) if (low, high) == (0, all) => (0, all, 0),
            Self::Range(low, high) => (low, high, all),
            Self::Any => (0, all, 0),
        }
    }

    /// Returns true if both match the same values; both must be of the same kind.
    pub fn same_values(self, other: Self, width: u32) -> bool {
        self.set(width) == other.set(width)
    }

    fn prefix_length(self, width: u32) -> u32 {
        if let Self::Prefix(_, length) = self { length_in_field(length, width) } else { 0 }
    }

    pub fn field_match(self, width: u32) -> FieldMatch {
        let bits = |value| bits(value, width);
        match self {
            Self::One(value) => FieldMatch::Exact(bits(value)),
            Self::Prefix(value, length) => {
                FieldMatch::Prefix { value: bits(value), length: length_in_field(length, width) }
            }
            Self::Mask(value, mask) => FieldMatch::Mask { value: bits(value), mask: bits(mask) },
            Self::Range(low, high) => FieldMatch::Range { low: bits(low), high: bits(high) },
            Self::Any => FieldMatch::Any,
        }
    }
}

/// An entry of the reference.
#[derive(Clone, Debug)]
pub struct Line {
    pub handle: EntryHandle,
    pub key: Vec<Asked>,
    pub priority: u32,
}

/// Returns the entry that wins: of those that match, the one with the greatest priority, or with the longest prefixes
/// if there are no priorities; among equal ones the earliest.
pub fn winner(lines: &[Line], fields: &[KeyField], values: &[u128]) -> Option<EntryHandle> {
    let prioritized = fields.iter().any(|field| field.kind.has_priority());
    let strength = |line: &Line| match prioritized {
        true => line.priority,
        false => line.key.iter().zip(fields).map(|(asked, field)| asked.prefix_length(field.width)).sum(),
    };
    let matches = |line: &&Line| {
        line.key.iter().zip(fields).zip(values).all(|((asked, field), &value)| asked.holds(value, field.width))
    };
    let mut best: Option<&Line> = None;
    for line in lines.iter().filter(matches) {
        if best.is_none_or(|best| strength(line) > strength(best)) {
            best = Some(line);
        }
    }
    best.map(|line| line.handle)
}
