//! Number and address literals in files.

use std::net::{Ipv4Addr, Ipv6Addr};

use runtime::Bits;
use runtime::bits::ParseBitsError;

/// A number, which may be wider than its destination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Literal {
    /// The magnitude, in as many bits as it needs.
    value: Bits,
    is_negative: bool,
}

impl Literal {
    /// Reads a number in decimal or with the prefix `0x`, `0o` or `0b`. If `width` is that of an address, a MAC address
    /// (48 bits), an IPv4 address (32) or an IPv6 address (128) is also accepted.
    ///
    /// # Errors
    /// Returns a description of the error in the text.
    pub(crate) fn read(text: &str, width: u32) -> Result<Self, String> {
        match width {
            32 if text.contains('.') => {
                let address: Ipv4Addr = text.parse().map_err(|_| format!("`{text}` is not an IPv4 address"))?;
                Ok(Self::of(Bits::from_u64(u64::from(address.to_bits()), 32)))
            }
            48 if text.contains(':') => mac(text).map(|value| Self::of(Bits::from_u64(value, 48))),
            128 if text.contains(':') => {
                let address: Ipv6Addr = text.parse().map_err(|_| format!("`{text}` is not an IPv6 address"))?;
                let bits = address.to_bits();
                Ok(Self::of(Bits::from_limbs(&[bits as u64, (bits >> 64) as u64], 128)))
            }
            _ => Self::number(text),
        }
    }

    fn of(value: Bits) -> Self {
        Self { value, is_negative: false }
    }

    fn number(text: &str) -> Result<Self, String> {
        let (digits, is_negative) = text.strip_prefix('-').map_or((text, false), |digits| (digits, true));
        let octal = digits.strip_prefix("0o").or_else(|| digits.strip_prefix("0O")).map(binary_of_octal);
        let digits = octal.as_deref().unwrap_or(digits);
        // A digit of a radix up to 16 needs at most four bits.
        let enough = (digits.len() as u32).saturating_mul(4).clamp(64, Bits::MAXIMUM_WIDTH);
        match Bits::parse(digits, enough) {
            Ok(value) => Ok(Self { value, is_negative }),
            Err(ParseBitsError::TooWide { .. }) => Err(format!("a number has at most {} bits", Bits::MAXIMUM_WIDTH)),
            Err(_) => Err(format!("`{text}` is not a number")),
        }
    }

    /// Returns the number in `width` bits, in two's complement if it is negative.
    ///
    /// # Errors
    /// Returns the magnitude if the number does not fit.
    pub(crate) fn fit(&self, width: u32) -> Result<Bits, Bits> {
        if !self.is_negative {
            return if self.value.fits(width) {
                Ok(Bits::from_limbs(self.value.limbs(), width))
            } else {
                Err(self.value.clone())
            };
        }
        // -2^(W-1) is the smallest number; its magnitude is the only one that needs all W bits.
        let is_least = self.value.length() == width && self.value.count_ones() == 1;
        if self.value.length() < width || is_least {
            Ok(Bits::from_limbs(self.value.limbs(), width).negate(width))
        } else {
            Err(self.value.clone())
        }
    }
}

fn mac(text: &str) -> Result<u64, String> {
    let wrong = || format!("`{text}` is not a MAC address");
    let parts: Vec<&str> = text.split(':').collect();
    if parts.len() != 6 || parts.iter().any(|part| part.is_empty() || part.len() > 2) {
        return Err(wrong());
    }
    parts.iter().try_fold(0, |value, part| {
        let is_hexadecimal = part.bytes().all(|byte| byte.is_ascii_hexdigit());
        let byte = if is_hexadecimal { u64::from_str_radix(part, 16).ok() } else { None };
        byte.map(|byte| value << 8 | byte).ok_or_else(wrong)
    })
}

/// Converts octal digits to a binary number. Other characters remain and are refused when the result is read.
fn binary_of_octal(digits: &str) -> String {
    let bits = digits.chars().map(|digit| digit.to_digit(8).map_or(digit.to_string(), |value| format!("{value:03b}")));
    format!("0b{}", bits.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, width: u32) -> Result<Bits, String> {
        Literal::read(text, width)?.fit(width).map_err(|value| format!("{value:#x} is too wide"))
    }

    #[test]
    fn reads_numbers_and_addresses() {
        let narrow = |value, width| Ok(Bits::from_u64(value, width));
        assert_eq!(read("12", 8), narrow(12, 8));
        assert_eq!(read("0xfF", 8), narrow(255, 8));
        assert_eq!(read("0b101", 3), narrow(5, 3));
        assert_eq!(read("0o17", 8), narrow(15, 8));
        assert_eq!(read("10.0.1.2", 32), narrow(0x0A00_0102, 32));
        assert_eq!(read("08:00:00:0:01:11", 48), narrow(0x0800_0000_0111, 48));
        assert_eq!(read("::1:2", 128), Ok(Bits::from_limbs(&[0x1_0002], 128)));
        assert_eq!(read("0x112233445566778899", 72), Ok(Bits::from_limbs(&[0x2233_4455_6677_8899, 0x11], 72)));
    }

    #[test]
    fn negative_numbers_are_in_twos_complement() {
        assert_eq!(read("-1", 8), Ok(Bits::from_u64(0xFF, 8)));
        assert_eq!(read("-128", 8), Ok(Bits::from_u64(0x80, 8)));
        assert_eq!(read("-129", 8), Err("0x81 is too wide".to_owned()));
        assert_eq!(read("-0", 8), Ok(Bits::from_u64(0, 8)));
    }

    #[test]
    fn reports_malformed_numbers_and_addresses() {
        assert_eq!(read("0x1ffffffff", 32), Err("0x1ffffffff is too wide".to_owned()));
        assert_eq!(read("10.0.1", 32), Err("`10.0.1` is not an IPv4 address".to_owned()));
        assert_eq!(read("10.0.0.1", 31), Err("`10.0.0.1` is not a number".to_owned()));
        assert_eq!(read("0:1:2:3:4", 48), Err("`0:1:2:3:4` is not a MAC address".to_owned()));
        assert_eq!(read("+1:1:2:3:4:5", 48), Err("`+1:1:2:3:4:5` is not a MAC address".to_owned()));
        assert_eq!(read("0o8", 8), Err("`0o8` is not a number".to_owned()));
        for text in ["", "-", "0x", "--1", "x", "1g", "0x-1"] {
            assert_eq!(read(text, 8), Err(format!("`{text}` is not a number")));
        }
    }
}
