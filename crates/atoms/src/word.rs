//! The numbers that an atom computes with, which are those of the type of its registers.

use ir::{Constant, Type};

/// A type of numbers that an atom can hold, represented as `i64`. The representation equals the number, except that
/// numbers of `bit<64>` beyond `i64::MAX` wrap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Word {
    ty: Type,
    /// The number of bits of an `i64` above those of the type.
    above: u32,
}

impl Word {
    /// The numbers of Domino, `int<32>`.
    pub const INT32: Self = Self { ty: Type::INT32, above: 32 };
    /// The width of the widest type of which the exact sum of three values still fits into 64 bits.
    const WIDEST_EXACT: u32 = 61;

    /// Wraps a type; `None` unless it is a numeric type of at most 64 bits.
    pub fn of(ty: Type) -> Option<Self> {
        let fits = ty != Type::Bool && (1..=64).contains(&ty.width());
        fits.then(|| Self { ty, above: 64 - ty.width() })
    }

    /// Returns the type.
    pub const fn ty(self) -> Type {
        self.ty
    }

    /// Truncates a number to the type.
    #[inline]
    pub const fn wrap(self, number: i64) -> i64 {
        match self.ty {
            Type::Int(_) => number << self.above >> self.above,
            _ => ((number as u64) << self.above >> self.above) as i64,
        }
    }

    /// Returns the number that a bit pattern represents.
    pub const fn number(self, value: u64) -> i64 {
        self.wrap(value as i64)
    }

    /// Maps a number so that comparing the results as `i64` gives the order of the type.
    #[inline]
    pub const fn in_order(self, number: i64) -> i64 {
        if self.above == 0 && !self.ty.is_signed() { number ^ i64::MIN } else { number }
    }

    /// Returns a constant of a codelet as a number of the type, if it is in range.
    pub fn constant(self, constant: Constant) -> Option<i64> {
        if constant.ty == self.ty {
            return Some(self.number(constant.value));
        }
        let number = constant.ty.number(constant.value);
        (number == self.ty.number(self.ty.value_of(number as i64))).then_some(number as i64)
    }

    /// Returns the least and the greatest number of the type.
    pub const fn ends(self) -> (i64, i64) {
        match self.ty {
            Type::Int(_) => (i64::MIN >> self.above, i64::MAX >> self.above),
            _ => (0, (u64::MAX >> self.above) as i64),
        }
    }

    /// Returns true if there is room for guard bits, so that comparisons can be exact and saturation can be detected.
    pub const fn has_guard_bits(self) -> bool {
        self.ty.width() <= Self::WIDEST_EXACT
    }
}
