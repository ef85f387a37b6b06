//! Values as text: decimal, hexadecimal, binary.

use std::fmt;

use num_bigint::BigUint;

use super::Bits;

/// Why a text is no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParseBitsError {
    /// There are no digits.
    Empty,
    /// A character that is no digit.
    Digit(char),
    /// The number needs more bits than the type has.
    TooWide {
        /// The bits of the type.
        width: u32,
    },
}

impl fmt::Display for ParseBitsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => write!(f, "a number is missing"),
            Self::Digit(character) => write!(f, "`{}` is not a digit of this number", character.escape_default()),
            Self::TooWide { width } => write!(f, "the number does not fit {width} bits"),
        }
    }
}

impl std::error::Error for ParseBitsError {}

impl Bits {
    /// A number of `width` bits from text: decimal, hexadecimal after `0x`, or binary after `0b`, with `_` between
    /// digits for the reader, as P4_16 writes numbers (section 6.4.3.2) but without a sign or a width.
    ///
    /// # Errors
    /// See [`ParseBitsError`].
    pub fn parse(text: &str, width: u32) -> Result<Self, ParseBitsError> {
        let (radix, digits) = match text.as_bytes() {
            [b'0', b'x' | b'X', ..] => (16, &text[2..]),
            [b'0', b'b' | b'B', ..] => (2, &text[2..]),
            _ => (10, text),
        };
        if digits.is_empty() || digits.starts_with('_') {
            return Err(digits.chars().next().map_or(ParseBitsError::Empty, ParseBitsError::Digit));
        }
        if let Some(character) = digits.chars().find(|&character| !character.is_digit(radix) && character != '_') {
            return Err(ParseBitsError::Digit(character));
        }
        // A digit is at least one bit, so a longer text cannot fit; asked first, because the time to read a decimal
        // number grows with the square of its length.
        let significant: Vec<u8> =
            digits.bytes().filter(|&byte| byte != b'_').skip_while(|&byte| byte == b'0').collect();
        let too_wide = ParseBitsError::TooWide { width };
        if significant.len() > width as usize {
            return Err(too_wide);
        }
        // No digit is left of zero itself.
        let number = BigUint::parse_bytes(&significant, radix).unwrap_or_default();
        if number.bits() > u64::from(width) {
            return Err(too_wide);
        }
        Ok(Self::from_limbs(&number.to_u64_digits(), width))
    }

    /// The value for a library of numbers of any size.
    pub(super) fn to_big(&self) -> BigUint {
        BigUint::new(self.limbs().iter().flat_map(|&limb| [limb as u32, (limb >> 32) as u32]).collect())
    }
}

impl fmt::Display for Bits {
    /// In decimal, as an unsigned number.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Narrow(value) => fmt::Display::fmt(value, f),
            Self::Wide(_) => fmt::Display::fmt(&self.to_big(), f),
        }
    }
}

impl fmt::LowerHex for Bits {
    /// In hexadecimal without leading zeros; after `0x` for `{:#x}`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Narrow(value) => fmt::LowerHex::fmt(value, f),
            Self::Wide(_) => fmt::LowerHex::fmt(&self.to_big(), f),
        }
    }
}
