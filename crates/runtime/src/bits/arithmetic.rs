//! Arithmetic on values of any width, defined for every operand as in [`crate::arithmetic`].

use std::cmp::Ordering;

use num_bigint::BigUint;

use super::{Bits, limbs};
use crate::arithmetic;

impl Bits {
    /// Adds two values; the sum wraps around.
    #[inline]
    pub fn add(&self, other: &Self, width: u32) -> Self {
        match (self, other) {
            (Self::Narrow(a), Self::Narrow(b)) => Self::Narrow(arithmetic::truncate(a.wrapping_add(*b), width)),
            _ => add_limbs(self.limbs(), other.limbs(), width, false),
        }
    }

    /// Subtracts two values; the difference wraps around.
    #[inline]
    pub fn subtract(&self, other: &Self, width: u32) -> Self {
        match (self, other) {
            (Self::Narrow(a), Self::Narrow(b)) => Self::Narrow(arithmetic::truncate(a.wrapping_sub(*b), width)),
            // a - b = a + !b + 1 in two's complement.
            _ => add_limbs(self.limbs(), other.complement(width).limbs(), width, true),
        }
    }

    /// Negates the value; the result wraps around.
    #[inline]
    pub fn negate(&self, width: u32) -> Self {
        Self::zero(width).subtract(self, width)
    }

    /// Multiplies two values; the product wraps around.
    #[inline]
    pub fn multiply(&self, other: &Self, width: u32) -> Self {
        match (self, other) {
            (Self::Narrow(a), Self::Narrow(b)) => Self::Narrow(arithmetic::truncate(a.wrapping_mul(*b), width)),
            _ => multiply_limbs(self.limbs(), other.limbs(), width),
        }
    }

    /// Divides two values and rounds towards zero; the quotient is 0 if the divisor is 0.
    #[inline]
    pub fn divide(&self, other: &Self, width: u32, signed: bool) -> Self {
        match (self, other) {
            (Self::Narrow(a), Self::Narrow(b)) => Self::Narrow(arithmetic::divide(*a, *b, width, signed)),
            _ => self.wide_quotient_and_remainder(other, width, signed).0,
        }
    }

    /// Returns the remainder of a division, which has the sign of the dividend; the dividend itself if the divisor is
    /// 0.
    #[inline]
    pub fn remainder(&self, other: &Self, width: u32, signed: bool) -> Self {
        match (self, other) {
            (Self::Narrow(a), Self::Narrow(b)) => Self::Narrow(arithmetic::remainder(*a, *b, width, signed)),
            _ => self.wide_quotient_and_remainder(other, width, signed).1,
        }
    }

    fn wide_quotient_and_remainder(&self, other: &Self, width: u32, signed: bool) -> (Self, Self) {
        if other.is_zero() {
            return (Self::zero(width), self.clone());
        }
        let (a_negative, b_negative) = (signed && self.is_negative(width), signed && other.is_negative(width));
        let with_sign = |value: Self, negative: bool| if negative { value.negate(width) } else { value };
        // The magnitude of the least value fits in the width as an unsigned number, so nothing is lost.
        let magnitude = |value: &Self, negative: bool| with_sign(value.clone(), negative).to_big();
        let (a, b) = (magnitude(self, a_negative), magnitude(other, b_negative));
        let value = |number: BigUint| Self::from_limbs(&number.to_u64_digits(), width);
        (with_sign(value(&a / &b), a_negative != b_negative), with_sign(value(a % b), a_negative))
    }

    /// Adds two values and saturates the sum to the nearest value of the type (P4_16, sections 8.6 and 8.7: `|+|`).
    #[inline]
    pub fn add_saturating(&self, other: &Self, width: u32, signed: bool) -> Self {
        let sum = self.add(other, width);
        let negative = self.is_negative(width);
        match signed {
            true if negative == other.is_negative(width) && negative != sum.is_negative(width) => {
                extreme(width, negative)
            }
            false if sum < *self => Self::ones(width),
            _ => sum,
        }
    }

    /// Subtracts two values and saturates the difference to the nearest value of the type (P4_16, sections 8.6 and 8.7:
    /// `|-|`).
    #[inline]
    pub fn subtract_saturating(&self, other: &Self, width: u32, signed: bool) -> Self {
        let difference = self.subtract(other, width);
        let negative = self.is_negative(width);
        match signed {
            true if negative != other.is_negative(width) && negative != difference.is_negative(width) => {
                extreme(width, negative)
            }
            false if self < other => Self::zero(width),
            _ => difference,
        }
    }

    /// Returns true if this value is less than the other.
    #[inline]
    pub fn less(&self, other: &Self, width: u32, signed: bool) -> bool {
        self.compare(other, width, signed).is_lt()
    }

    /// Compares two values as signed or unsigned numbers.
    #[inline]
    pub fn compare(&self, other: &Self, width: u32, signed: bool) -> Ordering {
        let signs = if signed { other.is_negative(width).cmp(&self.is_negative(width)) } else { Ordering::Equal };
        signs.then_with(|| self.cmp(other))
    }
}

/// The least or the greatest signed value of a width.
fn extreme(width: u32, least: bool) -> Bits {
    let sign = Bits::from_u64(1, width).shift_left(&Bits::Narrow(u64::from(width) - 1), width);
    if least { sign } else { sign.complement(width) }
}

fn add_limbs(a: &[u64], b: &[u64], width: u32, mut carry: bool) -> Bits {
    limbs::build(width, |place| {
        let (sum, first) = limbs::at(a, place).overflowing_add(limbs::at(b, place));
        let (sum, second) = sum.overflowing_add(u64::from(carry));
        carry = first || second;
        sum
    })
}

/// Long multiplication that computes only the limbs within the width.
fn multiply_limbs(a: &[u64], b: &[u64], width: u32) -> Bits {
    let mut product = vec![0u64; width.div_ceil(64) as usize];
    for (low, &x) in a.iter().enumerate() {
        let mut carry = 0u128;
        for (place, limb) in product.iter_mut().enumerate().skip(low) {
            let partial = u128::from(x) * u128::from(limbs::at(b, place - low)) + u128::from(*limb) + carry;
            *limb = partial as u64;
            carry = partial >> 64;
        }
    }
    Bits::from_limbs(&product, width)
}
