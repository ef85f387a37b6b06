//! Types of values.

use std::fmt;

use runtime::arithmetic;

/// The type of a value. The value itself is raw bits, zero above the type's width: a `u64` for types of at most 64
/// bits, [`runtime::Bits`] for any width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Type {
    /// A bool, of one bit.
    Bool,
    /// `bit<N>`: unsigned, N from 1 to 65,535.
    Bits(u16),
    /// `int<N>`: two's complement, N from 1 to 65,535.
    Int(u16),
}

impl Type {
    /// Domino's only type.
    pub const INT32: Self = Self::Int(32);

    /// Returns the width in bits.
    pub const fn width(self) -> u32 {
        match self {
            Self::Bool => 1,
            Self::Bits(width) | Self::Int(width) => width as u32,
        }
    }

    /// Returns true if comparison, division and right shift treat the value as signed.
    pub const fn is_signed(self) -> bool {
        matches!(self, Self::Int(_))
    }

    /// Returns the raw bits of a number in this type, wrapping around.
    pub const fn value_of(self, number: i64) -> u64 {
        arithmetic::truncate(number as u64, self.width())
    }

    /// Returns the number that raw bits stand for in this type.
    pub const fn number(self, value: u64) -> i128 {
        if self.is_signed() { arithmetic::sign_extend(value, self.width()) as i128 } else { value as i128 }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool => f.write_str("bool"),
            Self::Bits(width) => write!(f, "bit<{width}>"),
            Self::Int(width) => write!(f, "int<{width}>"),
        }
    }
}
