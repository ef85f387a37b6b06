//! Operations on the bits of values: logic, shifts, slices, concatenation, changes of width.

use super::{Bits, limbs};
use crate::arithmetic;

impl Bits {
    /// Returns the bitwise and of two values of the same width.
    #[inline]
    pub fn and(&self, other: &Self) -> Self {
        self.each_limb(other, |a, b| a & b)
    }

    /// Returns the bitwise or of two values of the same width.
    #[inline]
    pub fn or(&self, other: &Self) -> Self {
        self.each_limb(other, |a, b| a | b)
    }

    /// Returns the bitwise exclusive or of two values of the same width.
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

    /// Inverts every bit.
    #[inline]
    pub fn complement(&self, width: u32) -> Self {
        limbs::build(width, |place| !limbs::at(self.limbs(), place))
    }

    /// Shifts to the left. The count is unsigned and may have any width; a count of at least the value's width leaves
    /// 0.
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

    /// Shifts to the right. The count is unsigned and may have any width; a count of at least the value's width leaves
    /// 0, or copies of the sign bit for a signed value.
    #[inline]
    pub fn shift_right(&self, count: &Self, width: u32, signed: bool) -> Self {
        if signed && self.is_negative(width) {
            // Shifting zeros into the complement shifts ones into the value.
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

    /// Returns the bits from `high` down to `low`, both included, as a value of width `high - low + 1` (P4_16, section
    /// 8.6: `value[high:low]`). Bits above the width of the value are zero.
    ///
    /// # Panics
    /// In debug builds, if `high` is less than `low`.
    #[inline]
    pub fn slice(&self, high: u32, low: u32) -> Self {
        debug_assert!(high >= low, "a slice goes from the most significant bit down");
        limbs::build(high - low + 1, |place| limbs::window(self.limbs(), i64::from(low) + place as i64 * 64))
    }

    /// Returns the value of `width` bits with the bits from `high` down to `low` replaced by `part`, a value of width
    /// `high - low + 1` (P4_16, section 8.6: assignment to a slice).
    ///
    /// # Panics
    /// In debug builds, if the slice is not within the value.
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

    /// Concatenates two values (P4_16, section 8.9.1: `left ++ right`). The result has `left_width + right_width` bits,
    /// of which `left` is the more significant part.
    #[inline]
    pub fn concatenate(left: &Self, left_width: u32, right: &Self, right_width: u32) -> Self {
        limbs::build(left_width + right_width, |place| {
            let start = place as i64 * 64;
            limbs::at(right.limbs(), place) | limbs::window(left.limbs(), start - i64::from(right_width))
        })
    }

    /// Converts the value to another width (P4_16, section 8.11.1): truncated, or extended with zeros, or with the sign
    /// bit if it is signed.
    #[inline]
    pub fn resize(&self, from_width: u32, from_signed: bool, to_width: u32) -> Self {
        if from_signed && to_width > from_width && self.is_negative(from_width) {
            return self.complement(from_width).resize(from_width, false, to_width).complement(to_width);
        }
        limbs::build(to_width, |place| limbs::at(self.limbs(), place))
    }

    /// Returns true if the number needs at most `width` bits.
    #[inline]
    pub fn fits(&self, width: u32) -> bool {
        self.length() <= width
    }
}
