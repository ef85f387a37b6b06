//! Bit fields of a value, and where they are put.

/// A bit field of a value, put at some place, with copies of its sign: "each ALU operand and each Move ALU result can be a
/// bit-field of arbitrary length (up to 32 bits) and an arbitrary bit offset" (section 2.2). So a conversion, a slice, a shift by a
/// constant, a product with a power of two and a mask of low bits take no operation.
///
/// The result has zeros below `left`, then the `width` bits of the value from `offset` on, then copies of the highest of them below
/// `extent`, and zeros from there on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Field {
    /// The position of the field's lowest bit in the value.
    pub offset: u8,
    /// The number of its bits, 0 to 64. A field of no bits is 0.
    pub width: u8,
    /// The position of its lowest bit in the result.
    pub left: u8,
    /// The position in the result behind the copies of its sign; `left + width` if there are none.
    pub extent: u8,
}

impl Field {
    /// A field of no bits.
    pub const NONE: Self = Self { offset: 0, width: 0, left: 0, extent: 0 };

    /// Returns the field that is the lowest `width` bits of a value.
    pub const fn whole(width: u32) -> Self {
        Self { offset: 0, width: width as u8, left: 0, extent: width as u8 }
    }

    /// Returns whether the field lies in values of 64 bits, before and behind.
    pub const fn is_valid(self) -> bool {
        let top = self.left + self.width;
        if self.width == 0 {
            return self.offset == 0 && self.left == 0 && self.extent == 0;
        }
        self.width <= 64
            && self.offset <= 64 - self.width
            && self.left <= 64 - self.width
            && self.extent >= top
            && self.extent <= 64
    }

    /// Returns the field of a value.
    #[inline]
    pub const fn of(self, value: u64) -> u64 {
        if self.width == 0 {
            return 0;
        }
        let unused = 64 - self.width as u32;
        let top = (value >> self.offset) << unused;
        let has_copies = self.extent > self.left + self.width;
        let bits = if has_copies { ((top as i64) >> unused) as u64 } else { top >> unused };
        (bits << self.left) & u64::MAX >> (64 - self.extent as u32)
    }

    /// Returns the field that is the `width` bits of the result from `low` on.
    pub fn slice(self, low: u32, width: u32) -> Self {
        let (left, top, extent) = (u32::from(self.left), u32::from(self.left + self.width), u32::from(self.extent));
        let end = low + width;
        if self.width == 0 || width == 0 || low >= extent || end <= left {
            return Self::NONE;
        }
        let extent = (extent.min(end) - low) as u8;
        if low >= top {
            return Self { offset: self.offset + self.width - 1, width: 1, left: 0, extent };
        }
        Self {
            offset: self.offset + low.saturating_sub(left) as u8,
            width: (top.min(end) - left.max(low)) as u8,
            left: left.saturating_sub(low) as u8,
            extent,
        }
    }

    /// Returns the field shifted to the left in a value of `width` bits.
    pub fn shifted(self, count: u64, width: u32) -> Self {
        if self.width == 0 || count >= u64::from(width) {
            return Self::NONE;
        }
        let count = count as u32;
        let kept = self.slice(0, width - count);
        if kept.width == 0 {
            return kept;
        }
        Self { left: kept.left + count as u8, extent: kept.extent + count as u8, ..kept }
    }

    /// Returns the field as a value of `to` bits, where it was one of `from` bits, perhaps signed.
    pub fn converted(self, is_signed: bool, from: u32, to: u32) -> Self {
        if to <= from {
            return self.slice(0, to);
        }
        let has_sign = is_signed && self.width > 0 && u32::from(self.extent) == from;
        if has_sign { Self { extent: to as u8, ..self } } else { self }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use runtime::arithmetic::{mask, sign_extend};

    fn field() -> impl Strategy<Value = Field> {
        (0..=64_u8, 0..=64_u8, 0..=64_u8, 0..=64_u8)
            .prop_map(|(offset, width, left, extent)| Field { offset, width, left, extent })
            .prop_filter("valid", |field| field.width <= 64 && field.left <= 64 && field.is_valid())
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn slices_shifts_and_conversions_are_those_of_values(
            field in field(), value: u64, low in 0..64_u32, width in 1..=64_u32, count in 0..80_u64, from in 1..=64_u32, signed: bool,
        ) {
            let whole = field.of(value);
            let width = width.min(64 - low);
            prop_assert_eq!(field.slice(low, width).of(value), whole >> low & mask(width));
            prop_assert!(field.slice(low, width).is_valid());
            let in_type = field.slice(0, from);
            let shifted = if count >= u64::from(from) { 0 } else { in_type.of(value) << count & mask(from) };
            prop_assert_eq!(in_type.shifted(count, from).of(value), shifted);
            prop_assert!(in_type.shifted(count, from).is_valid());
            let number = in_type.of(value);
            let number = if signed { sign_extend(number, from) as u64 } else { number };
            prop_assert_eq!(in_type.converted(signed, from, width).of(value), number & mask(width));
            prop_assert!(in_type.converted(signed, from, width).is_valid());
        }
    }
}
