//! Operations on the bits of values: logic, shifts, slices, concatenation, change of width.

use super::{Bits, limbs};
use crate::arithmetic;

impl Bits {
    /// Bitwise and, of two values of the same width.
    #[inline]
    pub fn and(&self, other: &Self) -> Self {
        self.each_limb(other, |a, b| a & b)
    }

    /// Bitwise or, of two values of the same width.
    #[inline]
    pub fn or(&self, other: &Self) -> Self {
        self.each_limb(other, |a, b| a | b)
    }

    /// Bitwise exclusive or, of two values of the same width.
    #[inline]
    pub fn xor(&self, other: &Self) -> Self {
        self.each_limb(other, |a, b| a ^ b)
    }

    #[inline]
    fn each_limb(&self, other: &Self, operation: impl Fn(u64, u64) -> u64) -> Self {
        match (self, other) {
            (Self::Narrow(a), Self::Narrow(b)) => Self::Narrow(operation(*a, *b)),
            _ => {
                let (a, b) = (self.limbs(), other.limbs());
                let places = 0..a.len().max(b.len());
                Self::Wide(places.map(|place| operation(limbs::at(a, place), limbs::at(b, place))).collect())
            }
        }
    }

    /// Every bit turned round.
    #[inline]
    pub fn complement(&self, width: u32) -> Self {
        limbs::build(width, |place| !limbs::at(self.limbs(), place))
    }

    /// Left shift. A count of at least the width leaves 0. The count is unsigned, of any width of its own.
    #[inline]
    pub fn shift_left(&self, count: &Self, width: u32) -> Self {
        match (self, count.to_u64()) {
            (Self::Narrow(value), Some(count)) => Self::Narrow(arithmetic::shift_left(*value, count, width)),
            (_, Some(count)) if count < u64::from(width) => {
                limbs::build(width, |place| limbs::window(self.limbs(), place as i64 * 64 - count as i64))
            }
            _ => Self::zero(width),
        }
    }

    /// Right shift. A count of at least the width leaves 0, or the sign in every bit of a signed value. The count is
    /// unsigned, of any width of its own.
    #[inline]
    pub fn shift_right(&self, count: &Self, width: u32, signed: bool) -> Self {
        if signed && self.is_negative(width) {
            // Zeros come into the complement where the value itself gets ones.
            return self.complement(width).shift_right(count, width, false).complement(width);
        }
        match (self, count.to_u64()) {
            (Self::Narrow(value), Some(count)) => Self::Narrow(arithmetic::shift_right(*value, count, width, false)),
            (_, Some(count)) if count < u64::from(width) => {
                limbs::build(width, |place| limbs::window(self.limbs(), place as i64 * 64 + count as i64))
            }
            _ => Self::zero(width),
        }
    }

    /// The bits from `high` down to `low`, both included, as a value of width `high - low + 1` (P4_16, section 8.6:
    /// `value[high:low]`). Bits above the width of the value are zero. `high` is not below `low`.
    #[inline]
    pub fn slice(&self, high: u32, low: u32) -> Self {
        debug_assert!(high >= low, "a slice goes from the most significant bit down");
        limbs::build(high - low + 1, |place| limbs::window(self.limbs(), i64::from(low) + place as i64 * 64))
    }

    /// The value of `width` bits with the bits from `high` down to `low` replaced by `part`, a value of width
    /// `high - low + 1` (P4_16, section 8.6: assignment to a slice).
    #[inline]
    pub fn with_slice(&self, high: u32, low: u32, part: &Self, width: u32) -> Self {
        debug_assert!(high >= low && high < width, "the slice lies inside the value");
        if let (Self::Narrow(value), Self::Narrow(part)) = (self, part) {
            let mask = arithmetic::mask(high - low + 1);
            return Self::Narrow(value & !(mask << low) | (part & mask) << low);
        }
        let covered = Self::ones(high - low + 1);
        let moved = |bits: &Self, place: usize| limbs::window(bits.limbs(), place as i64 * 64 - i64::from(low));
        limbs::build(width, |place| limbs::at(self.limbs(), place) & !moved(&covered, place) | moved(part, place))
    }

    /// `left ++ right` (P4_16, section 8.9.1): a value of width `left_width + right_width` whose more significant bits
    /// are `left`.
    #[inline]
    pub fn concatenate(left: &Self, left_width: u32, right: &Self, right_width: u32) -> Self {
        limbs::build(left_width + right_width, |place| {
            let start = place as i64 * 64;
            limbs::at(right.limbs(), place) | limbs::window(left.limbs(), start - i64::from(right_width))
        })
    }

    /// The value in another width (P4_16, section 8.11.1): cut off above, or extended with zeros, or with its sign if
    /// it is signed.
    #[inline]
    pub fn resize(&self, from_width: u32, from_signed: bool, to_width: u32) -> Self {
        if from_signed && to_width > from_width && self.is_negative(from_width) {
            return self.complement(from_width).resize(from_width, false, to_width).complement(to_width);
        }
        limbs::build(to_width, |place| limbs::at(self.limbs(), place))
    }

    /// True if the number needs at most `width` bits.
    #[inline]
    pub fn fits(&self, width: u32) -> bool {
        self.length() <= width
    }
}
