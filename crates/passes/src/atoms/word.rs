//! The numbers that an atom computes with: those of the type of its registers.

use ir::{Constant, Type};

/// A type of numbers that an atom can hold, with arithmetic on them as `i64`: each is the number that it means, but
/// those of `bit<64>` that are too large, which are what wrapping makes of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Word {
    ty: Type,
    /// How many of 64 bits are above the type's.
    above: u32,
}

impl Word {
    /// Domino's numbers.
    pub const INT32: Self = Self { ty: Type::INT32, above: 32 };
    /// The widest type whose sums of three values, as numbers, are still numbers of 64 bits.
    const WIDEST_EXACT: u32 = 61;

    /// A type of numbers of at most 64 bits.
    pub fn of(ty: Type) -> Option<Self> {
        let fits = ty != Type::Bool && (1..=64).contains(&ty.width());
        fits.then(|| Self { ty, above: 64 - ty.width() })
    }

    /// The type.
    pub const fn ty(self) -> Type {
        self.ty
    }

    /// A number cut to the type.
    #[inline]
    pub const fn wrap(self, number: i64) -> i64 {
        match self.ty {
            Type::Int(_) => number << self.above >> self.above,
            _ => ((number as u64) << self.above >> self.above) as i64,
        }
    }

    /// The number that raw bits mean.
    pub const fn number(self, value: u64) -> i64 {
        self.wrap(value as i64)
    }

    /// A number that is as far from others as the order of the type has it.
    #[inline]
    pub const fn in_order(self, number: i64) -> i64 {
        if self.above == 0 && !self.ty.is_signed() { number ^ i64::MIN } else { number }
    }

    /// A constant of a codelet as a number of the type, if it is one.
    pub fn constant(self, constant: Constant) -> Option<i64> {
        if constant.ty == self.ty {
            return Some(self.number(constant.value));
        }
        let number = constant.ty.number(constant.value);
        (number == self.ty.number(self.ty.value_of(number as i64))).then_some(number as i64)
    }

    /// The least and the greatest number.
    pub const fn ends(self) -> (i64, i64) {
        match self.ty {
            Type::Int(_) => (i64::MIN >> self.above, i64::MAX >> self.above),
            _ => (0, (u64::MAX >> self.above) as i64),
        }
    }

    /// Whether comparisons can have guard bits, and sums that stop at the type's ends can be told from others.
    pub const fn has_guard_bits(self) -> bool {
        self.ty.width() <= Self::WIDEST_EXACT
    }
}
