//! Unsigned values of any width (P4_16 specification 1.2.5, section 7.1.6.2: `bit<W>` for any W that the target allows;
//! here 0 to 65,535), for everything that does not fit in 64 bits.
//!
//! A value does not carry its width: its holder knows the width from the program's types and passes it to every
//! operation that needs it. Values of at most 64 bits are one machine word and are never allocated. Every operation
//! means for them what [`crate::arithmetic`] defines, and for wider values the same with more bits.

mod arithmetic;
mod bytes;
mod limbs;
mod logic;
mod text;

use std::cmp::Ordering;

pub use bytes::{read_bits, read_narrow, write_bits, write_narrow};
use serde::{Deserialize, Serialize};
pub use text::ParseBitsError;

use crate::arithmetic::{mask, truncate};

/// An unsigned value whose width its holder knows. Signed values are represented by their two's complement bits.
///
/// Bits above the width are zero. Values are ordered as unsigned numbers. Compare only values of the same width: the
/// same number in a narrow and in a wide type is not equal.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Bits {
    /// A value of at most 64 bits.
    Narrow(u64),
    /// A value of more than 64 bits: `width.div_ceil(64)` limbs, the least significant one first.
    Wide(Box<[u64]>),
}

impl Bits {
    /// The maximum width.
    pub const MAXIMUM_WIDTH: u32 = 65_535;

    /// Returns the value 0.
    #[inline]
    pub fn zero(width: u32) -> Self {
        Self::from_u64(0, width)
    }

    /// Truncates a number to a width.
    #[inline]
    pub fn from_u64(value: u64, width: u32) -> Self {
        if width <= 64 {
            Self::Narrow(truncate(value, width))
        } else {
            limbs::wide(width, |at| value * u64::from(at == 0))
        }
    }

    /// Returns the value with every bit set.
    #[inline]
    pub fn ones(width: u32) -> Self {
        if width <= 64 { Self::Narrow(mask(width)) } else { limbs::wide(width, |_| u64::MAX) }
    }

    /// Truncates a number of any size to a width. `limbs` has the least significant limb first; missing limbs are zero.
    pub fn from_limbs(limbs: &[u64], width: u32) -> Self {
        limbs::build(width, |at| limbs.get(at).copied().unwrap_or(0))
    }

    /// Returns the least significant 64 bits.
    #[inline]
    pub fn low(&self) -> u64 {
        match self {
            Self::Narrow(value) => *value,
            Self::Wide(limbs) => limbs[0],
        }
    }

    /// Returns the value as 64-bit limbs, the least significant one first. A narrow value has one limb.
    #[inline]
    pub fn limbs(&self) -> &[u64] {
        match self {
            Self::Narrow(value) => std::slice::from_ref(value),
            Self::Wide(limbs) => limbs,
        }
    }

    /// Returns true for the value 0.
    #[inline]
    pub fn is_zero(&self) -> bool {
        self.limbs().iter().all(|&limb| limb == 0)
    }

    /// Returns the value as a number if it fits in 64 bits.
    #[inline]
    pub fn to_u64(&self) -> Option<u64> {
        match self {
            Self::Narrow(value) => Some(*value),
            Self::Wide(limbs) => limbs[1..].iter().all(|&limb| limb == 0).then_some(limbs[0]),
        }
    }

    /// Returns the bit at a position, where 0 is the least significant one; false above the width.
    #[inline]
    pub fn bit(&self, place: u32) -> bool {
        self.limbs().get(place as usize / 64).is_some_and(|limb| limb >> (place % 64) & 1 == 1)
    }

    /// Returns true if the value, read as a signed number of `width` bits, is negative.
    #[inline]
    pub fn is_negative(&self, width: u32) -> bool {
        width > 0 && self.bit(width - 1)
    }

    /// Returns the number of bits that the number needs: the position of the most significant bit that is set, plus 1;
    /// 0 for the value 0.
    pub fn length(&self) -> u32 {
        let limbs = self.limbs();
        match limbs.iter().rposition(|&limb| limb != 0) {
            Some(at) => at as u32 * 64 + (64 - limbs[at].leading_zeros()),
            None => 0,
        }
    }

    /// Returns the number of bits that are set.
    pub fn count_ones(&self) -> u32 {
        self.limbs().iter().map(|limb| limb.count_ones()).sum()
    }

    /// Returns true if the `length` most significant bits of two values of `width` bits are equal; `length` is at most
    /// `width`.
    #[inline]
    pub fn shares_prefix(&self, other: &Self, length: u32, width: u32) -> bool {
        match (self, other) {
            (Self::Narrow(a), Self::Narrow(b)) => (a ^ b).unbounded_shr(width - length) == 0,
            _ => self.common_prefix(other, width) >= length,
        }
    }

    /// Returns how many of the most significant bits two values of `width` bits have in common: 0 to `width`.
    #[inline]
    pub fn common_prefix(&self, other: &Self, width: u32) -> u32 {
        let (a, b) = (self.limbs(), other.limbs());
        let differs = (0..a.len().max(b.len())).rev().find(|&at| limbs::at(a, at) != limbs::at(b, at));
        let length =
            differs.map_or(0, |at| at as u32 * 64 + 64 - (limbs::at(a, at) ^ limbs::at(b, at)).leading_zeros());
        width - length.min(width)
    }
}

impl From<bool> for Bits {
    /// Returns a value of width 1.
    fn from(value: bool) -> Self {
        Self::Narrow(u64::from(value))
    }
}

impl Ord for Bits {
    /// Compares unsigned numbers. The same number in fewer limbs is less, so that the order is consistent with
    /// equality.
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Narrow(a), Self::Narrow(b)) => a.cmp(b),
            _ => limbs::compare(self.limbs(), other.limbs()).then(self.limbs().len().cmp(&other.limbs().len())),
        }
    }
}

impl PartialOrd for Bits {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
