//! Network addresses: `ipv4('10.0.0.1')`, `ipv6('ff02::1')`, `mac('02:00:00:00:00:01')`.

use std::net::Ipv6Addr;

use num_bigint::BigUint;

/// A kind of address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AddressKind {
    Ipv4,
    Ipv6,
    Mac,
}

impl AddressKind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Ipv4, Self::Ipv6, Self::Mac];

    /// Returns the name in the language.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ipv4 => "ipv4",
            Self::Ipv6 => "ipv6",
            Self::Mac => "mac",
        }
    }

    /// Returns an address as an example.
    pub fn example(self) -> &'static str {
        match self {
            Self::Ipv4 => "10.0.0.1",
            Self::Ipv6 => "ff02::1",
            Self::Mac => "02:00:00:00:00:01",
        }
    }

    /// Reads an address as a number; `None` if the text is none.
    pub fn read(self, text: &str) -> Option<BigUint> {
        match self {
            Self::Ipv4 => bytes(text, '.', 4, 3, 10),
            Self::Ipv6 => text.parse::<Ipv6Addr>().ok().map(|address| address.to_bits().into()),
            Self::Mac => bytes(text, ':', 6, 2, 16),
        }
    }
}

/// Reads `count` bytes of at most `digits` digits with a separator between them.
fn bytes(text: &str, separator: char, count: usize, digits: usize, radix: u32) -> Option<BigUint> {
    let mut bytes = Vec::with_capacity(count);
    for part in text.split(separator) {
        let is_right = (1..=digits).contains(&part.len()) && part.chars().all(|character| character.is_digit(radix));
        bytes.push(u8::from_str_radix(part, radix).ok().filter(|_| is_right)?);
    }
    (bytes.len() == count).then(|| BigUint::from_bytes_be(&bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_numbers() {
        assert_eq!(AddressKind::Ipv4.read("10.0.0.255"), Some(0x0a00_00ffu32.into()));
        assert_eq!(AddressKind::Ipv4.read("010.000.00.1"), Some(0x0a00_0001u32.into()));
        assert_eq!(AddressKind::Mac.read("2:00:0a:FF:00:1"), Some(0x0200_0aff_0001u64.into()));
        assert_eq!(AddressKind::Ipv6.read("::"), Some(0u32.into()));
        assert_eq!(AddressKind::Ipv6.read("ff02::1:0"), Some((0xff02u128 << 112 | 0x1_0000).into()));
        assert_eq!(AddressKind::Ipv6.read("::1.2.3.4"), Some(0x0102_0304u32.into()));
    }

    #[test]
    fn other_texts_are_none() {
        for text in ["", "1.2.3", "1.2.3.4.5", "1.2.3.256", "1.2.3.0004", "1.2.3.+4", "1.2.3.", "1.2.3.a", " 1.2.3.4"] {
            assert_eq!(AddressKind::Ipv4.read(text), None, "{text:?}");
        }
        for text in ["", "0:0:0:0:0", "0:0:0:0:0:100", "0:0:0:0:0:g", "00-00-00-00-00-00"] {
            assert_eq!(AddressKind::Mac.read(text), None, "{text:?}");
        }
        for text in ["", ":", "1::2::3", "1.2.3.4", "fe80::1%eth0"] {
            assert_eq!(AddressKind::Ipv6.read(text), None, "{text:?}");
        }
    }
}
