//! The values on which the analysis runs a program.

use std::rc::Rc;

use runtime::Bits;

use super::Shape;

/// What is known of a value on a path: how it relates to those of the other segments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// A known number.
    Constant(Bits),
    /// Bits of the packet as it arrived, from this offset on.
    Input(u32),
    /// An unknown value that is the same for all segments. Equal numbers stand for equal values.
    Uniform(u32),
    /// The length of the packet in bytes, plus this number. It fits into the width of the value.
    Length(i64),
    /// The Internet checksum (RFC 1071) of these parts.
    Checksum(Rc<[Part]>),
    /// A value that may differ between segments.
    Varying,
}

/// A value of known width.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) value: Value,
    pub(super) width: u32,
}

/// What is known of one bit, such that equal ones are the same bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bit {
    Known(bool),
    Input(u32),
    Uniform(u32, u32),
    Length(i64, u32),
    Varying,
}

/// The longest packet, in bytes: the greatest length field of IP behind a tagged Ethernet header and IPv6's own.
const LONGEST: i64 = 65_535 + 18 + 40;

impl Value {
    /// Returns bits of the packet as it arrived: their value if it is known, and a length field as such.
    pub(super) fn input(start: u32, width: u32, shape: &Shape) -> Self {
        if let Some((_, before)) = shape.lengths().find(|&(field, _)| (field, 16) == (start, width)) {
            return Self::Length(-before);
        }
        let bits: Option<Vec<bool>> = (start..start + width).map(|at| shape.bit(at)).collect();
        match bits {
            Some(bits) if width > 0 => Self::Constant(number(&bits)),
            _ => Self::Input(start),
        }
    }

    /// Whether the value, of this width, may differ between segments.
    pub(super) fn varies(&self, width: u32, shape: &Shape) -> bool {
        match self {
            Self::Constant(_) | Self::Uniform(_) => false,
            Self::Input(start) => shape.varies(*start, width),
            Self::Length(_) | Self::Checksum(_) | Self::Varying => true,
        }
    }

    /// Returns the length of the packet plus `offset` in `width` bits; it varies if it may not fit.
    pub(super) fn length(offset: i64, width: u32, shape: &Shape) -> Self {
        let least = i64::from(shape.payload() / 8) + offset;
        // A length field of 16 bits measures what lies behind its own header or begins with it, and is right; other
        // values of 16 bits may not hold every length.
        let is_field = width >= 16 && shape.lengths().any(|(_, before)| offset <= -before);
        let fits = is_field || (width >= 18 && LONGEST + offset < 1 << 18);
        if least >= 0 && fits { Self::Length(offset) } else { Self::Varying }
    }

    /// Returns the least and the greatest number of a length.
    pub(super) fn bounds(offset: i64, shape: &Shape) -> (i64, i64) {
        (i64::from(shape.payload() / 8) + offset, LONGEST + offset)
    }

    /// Returns the lowest bits of a value of `width` bits, of which `used` are kept.
    pub(super) fn lowest(&self, width: u32, used: u32) -> Self {
        match self {
            Self::Input(start) => Self::Input(start + (width - used)),
            other => other.clone(),
        }
    }

    /// Returns the bit at a place of the value, counted from its most significant bit.
    fn bit(&self, place: u32, width: u32) -> Bit {
        match self {
            Self::Constant(bits) => Bit::Known(bits.bit(width - 1 - place)),
            Self::Input(start) => Bit::Input(start + place),
            Self::Uniform(name) => Bit::Uniform(*name, width - 1 - place),
            Self::Length(offset) => Bit::Length(*offset, width - 1 - place),
            Self::Checksum(_) | Self::Varying => Bit::Varying,
        }
    }
}

impl Part {
    /// Returns the bits of the part, the most significant one first.
    pub(super) fn bits(&self, shape: &Shape) -> impl Iterator<Item = Bit> {
        (0..self.width).map(move |place| match self.value.bit(place, self.width) {
            Bit::Input(at) => input_bit(at, shape),
            bit => bit,
        })
    }
}

/// Returns a bit of the packet as it arrived.
pub(super) fn input_bit(at: u32, shape: &Shape) -> Bit {
    let of_length = shape.lengths().find(|(field, _)| (*field..field + 16).contains(&at));
    match (shape.bit(at), of_length) {
        (Some(bit), _) => Bit::Known(bit),
        (None, Some((field, before))) => Bit::Length(-before, field + 15 - at),
        (None, None) => Bit::Input(at),
    }
}

/// Returns the number that bits stand for, the most significant one first.
fn number(bits: &[bool]) -> Bits {
    let mut limbs = vec![0u64; bits.len().div_ceil(64)];
    for (place, _) in bits.iter().rev().enumerate().filter(|(_, bit)| **bit) {
        limbs[place / 64] |= 1 << (place % 64);
    }
    Bits::from_limbs(&limbs, bits.len() as u32)
}
