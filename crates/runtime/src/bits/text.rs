//! Values as text: decimal, hexadecimal and binary.

use std::fmt;

use num_bigint::BigUint;

use super::Bits;

/// The reason why a text is not a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParseBitsError {
    /// The text has no digits.
    Empty,
    /// The text contains a character that is not a digit.
    Digit(char),
    /// The number needs more bits than the type has.
    TooWide {
        /// The width of the type in bits.
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
    /// Parses a number of `width` bits: decimal, hexadecimal after `0x`, or binary after `0b`, where `_` may separate
    /// digits. This is the syntax of numbers in P4_16 (section 6.4.3.2) without sign and width.
    ///
    /// # Errors
    /// If the text is not a number in this syntax, or needs more than `width` bits.
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
        // Every significant digit needs at least one bit, so a text with more digits cannot fit. This is checked first
        // because the time to parse a decimal number grows with the square of its length.
        let significant: Vec<u8> =
            digits.bytes().filter(|&byte| byte != b'_').skip_while(|&byte| byte == b'0').collect();
        let too_wide = ParseBitsError::TooWide { width };
        if significant.len() > width as usize {
            return Err(too_wide);
        }
        // Zero has no significant digits.
        let number = BigUint::parse_bytes(&significant, radix).unwrap_or_default();
        if number.bits() > u64::from(width) {
            return Err(too_wide);
        }
        Ok(Self::from_limbs(&number.to_u64_digits(), width))
    }

    /// Converts the value to a big integer.
    pub(super) fn to_big(&self) -> BigUint {
        BigUint::new(self.limbs().iter().flat_map(|&limb| [limb as u32, (limb >> 32) as u32]).collect())
    }
}

impl fmt::Display for Bits {
    /// Formats the value in decimal, as an unsigned number.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Narrow(value) => fmt::Display::fmt(value, f),
            Self::Wide(_) => fmt::Display::fmt(&self.to_big(), f),
        }
    }
}

impl fmt::LowerHex for Bits {
    /// Formats the value in hexadecimal without leading zeros; `{:#x}` adds `0x`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Narrow(value) => fmt::LowerHex::fmt(value, f),
            Self::Wide(_) => fmt::LowerHex::fmt(&self.to_big(), f),
        }
    }
}
