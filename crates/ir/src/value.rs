//! The run-time representation of a value: a machine word, or a bit string of any width.
//!
//! Each operator is defined once for each representation: for words by [`UnaryOperator::apply`],
//! [`BinaryOperator::apply`] and [`cast`], which passes and machines use too, and for [`Bits`] by the operations of the
//! same names in crate `runtime`. The two agree on every value that both can hold; a property test checks this.

use std::fmt::Debug;

use runtime::{Bits, RegisterFile, arithmetic};

use crate::{BinaryOperator, Type, UnaryOperator, cast};

/// A value: raw bits, zero above the width of its type. The value does not know its type; its holder does.
///
/// The implementation for `u64` serves programs whose types have at most 64 bits. With wider types it loses the upper
/// bits or panics.
pub trait Value: Clone + Debug {
    /// Returns `value` in a type of `width` bits, in which it must fit.
    fn from_u64(value: u64, width: u32) -> Self;

    /// Converts a bit string into this representation.
    fn from_bits(bits: &Bits) -> Self;

    /// Converts the value, whose type has `width` bits, into a bit string.
    fn to_bits(&self, width: u32) -> Bits;

    /// Returns the lowest 64 bits.
    fn low(&self) -> u64;

    /// Returns the value as an unsigned number if it fits in 64 bits.
    fn to_u64(&self) -> Option<u64>;

    /// Returns true for every value other than zero, such as the bool `true`.
    fn is_true(&self) -> bool;

    /// Applies a unary operator; `ty` is the type of the operand.
    fn unary(operator: UnaryOperator, ty: Type, operand: &Self) -> Self;

    /// Applies a binary operator; `ty` is the type of the left operand.
    fn binary(operator: BinaryOperator, ty: Type, left: &Self, right: &Self) -> Self;

    /// Converts the value from one type to another, as defined by [`crate::Expression::Cast`].
    fn cast(&self, from: Type, to: Type) -> Self;

    /// Returns the bits from `high` down to `low`, both included, as defined by [`crate::Expression::Slice`].
    fn slice(&self, high: u32, low: u32) -> Self;

    /// Concatenates two values, as defined by [`crate::Expression::Concatenate`].
    fn concatenate(high: &Self, high_width: u32, low: &Self, low_width: u32) -> Self;

    /// Returns the position in a register array that the value, taken as an index, refers to, as defined by
    /// [`RegisterFile::wrap`].
    fn wrap(&self, length: usize) -> usize;
}

impl Value for u64 {
    #[inline]
    fn from_u64(value: u64, _: u32) -> Self {
        value
    }

    #[inline]
    fn from_bits(bits: &Bits) -> Self {
        bits.low()
    }

    #[inline]
    fn to_bits(&self, width: u32) -> Bits {
        Bits::from_u64(*self, width)
    }

    #[inline]
    fn low(&self) -> u64 {
        *self
    }

    #[inline]
    fn to_u64(&self) -> Option<u64> {
        Some(*self)
    }

    #[inline]
    fn is_true(&self) -> bool {
        *self != 0
    }

    #[inline]
    fn unary(operator: UnaryOperator, ty: Type, operand: &Self) -> Self {
        operator.apply(ty, *operand)
    }

    #[inline]
    fn binary(operator: BinaryOperator, ty: Type, left: &Self, right: &Self) -> Self {
        operator.apply(ty, *left, *right)
    }

    #[inline]
    fn cast(&self, from: Type, to: Type) -> Self {
        cast(from, to, *self)
    }

    #[inline]
    fn slice(&self, high: u32, low: u32) -> Self {
        arithmetic::truncate(*self >> low, high - low + 1)
    }

    #[inline]
    fn concatenate(high: &Self, _: u32, low: &Self, low_width: u32) -> Self {
        *high << low_width | *low
    }

    #[inline]
    fn wrap(&self, length: usize) -> usize {
        RegisterFile::wrap(*self, length)
    }
}

impl Value for Bits {
    #[inline]
    fn from_u64(value: u64, width: u32) -> Self {
        Self::from_u64(value, width)
    }

    #[inline]
    fn from_bits(bits: &Bits) -> Self {
        bits.clone()
    }

    #[inline]
    fn to_bits(&self, _: u32) -> Bits {
        self.clone()
    }

    #[inline]
    fn low(&self) -> u64 {
        self.low()
    }

    #[inline]
    fn to_u64(&self) -> Option<u64> {
        self.to_u64()
    }

    #[inline]
    fn is_true(&self) -> bool {
        !self.is_zero()
    }

    #[inline]
    fn unary(operator: UnaryOperator, ty: Type, operand: &Self) -> Self {
        match operator {
            UnaryOperator::Not => Self::from(operand.is_zero()),
            UnaryOperator::Complement => operand.complement(ty.width()),
            UnaryOperator::Negate => operand.negate(ty.width()),
        }
    }

    #[inline]
    fn binary(operator: BinaryOperator, ty: Type, left: &Self, right: &Self) -> Self {
        let (width, signed) = (ty.width(), ty.is_signed());
        match operator {
            BinaryOperator::Add => left.add(right, width),
            BinaryOperator::Subtract => left.subtract(right, width),
            BinaryOperator::Multiply => left.multiply(right, width),
            BinaryOperator::Divide => left.divide(right, width, signed),
            BinaryOperator::Remainder => left.remainder(right, width, signed),
            BinaryOperator::AddSaturating => left.add_saturating(right, width, signed),
            BinaryOperator::SubtractSaturating => left.subtract_saturating(right, width, signed),
            BinaryOperator::And => left.and(right),
            BinaryOperator::Or => left.or(right),
            BinaryOperator::Xor => left.xor(right),
            BinaryOperator::ShiftLeft => left.shift_left(right, width),
            BinaryOperator::ShiftRight => left.shift_right(right, width, signed),
            BinaryOperator::Equal => Self::from(left == right),
            BinaryOperator::NotEqual => Self::from(left != right),
            BinaryOperator::Less => Self::from(left.less(right, width, signed)),
            BinaryOperator::LessEqual => Self::from(!right.less(left, width, signed)),
            BinaryOperator::Greater => Self::from(right.less(left, width, signed)),
            BinaryOperator::GreaterEqual => Self::from(!left.less(right, width, signed)),
        }
    }

    #[inline]
    fn cast(&self, from: Type, to: Type) -> Self {
        match to {
            Type::Bool => Self::from(self.is_true()),
            _ => self.resize(from.width(), from.is_signed(), to.width()),
        }
    }

    #[inline]
    fn slice(&self, high: u32, low: u32) -> Self {
        self.slice(high, low)
    }

    #[inline]
    fn concatenate(high: &Self, high_width: u32, low: &Self, low_width: u32) -> Self {
        Self::concatenate(high, high_width, low, low_width)
    }

    #[inline]
    fn wrap(&self, length: usize) -> usize {
        match self.to_u64() {
            Some(index) => RegisterFile::wrap(index, length),
            None => {
                let width = self.limbs().len() as u32 * 64;
                self.remainder(&Self::from_u64(length as u64, width), width, false).low() as usize
            }
        }
    }
}
