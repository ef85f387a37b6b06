//! Prefixes of IP addresses.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};

/// The length of the prefix of IPv4-mapped addresses (RFC 4291, section 2.5.5.2).
const OF_IPV4: u8 = 96;

/// The addresses of one version of IP that begin with the same bits, or all addresses of both. Those of IPv4 are the IPv4-mapped ones among
/// those of IPv6, so that one number of 128 bits stands for any address; no prefix of IPv6 contains them, also if it begins with the same bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Prefix {
    address: u128,
    length: u8,
    is_of_both: bool,
}

/// Returns an address as a number of 128 bits.
pub(crate) fn number(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => address.to_ipv6_mapped().to_bits(),
        IpAddr::V6(address) => address.to_bits(),
    }
}

/// Returns true if the address of a number is one of IPv4.
pub(crate) fn is_ipv4(number: u128) -> bool {
    number >> 32 == 0xFFFF
}

/// Returns the address of a number.
pub fn address(number: u128) -> IpAddr {
    Ipv6Addr::from_bits(number).to_canonical()
}

impl Prefix {
    /// Every address of either version.
    pub const ALL: Self = Self { address: 0, length: 0, is_of_both: true };
    /// Every address of IPv4.
    pub(crate) const OF_IPV4: Self = Self { address: 0xFFFF << 32, length: OF_IPV4, is_of_both: false };

    /// The prefix of an address with so many bits, or `None` if it has not so many, or any other bit is set.
    pub fn new(address: IpAddr, length: u8) -> Option<Self> {
        let (most, before) = if address.is_ipv4() { (32, OF_IPV4) } else { (128, 0) };
        let prefix = Self { address: number(address), length: length.checked_add(before)?, is_of_both: false };
        (length <= most && prefix.address & !prefix.mask() == 0).then_some(prefix)
    }

    /// The prefix that contains one address alone.
    pub fn of_one(address: IpAddr) -> Self {
        Self { address: number(address), length: 128, is_of_both: false }
    }

    /// Returns the first address as a number of 128 bits.
    pub(crate) fn number(&self) -> u128 {
        self.address
    }

    /// Returns the number of bits of 128 that all addresses share.
    pub fn length(&self) -> u8 {
        self.length
    }

    /// Returns the number whose bits are set where all addresses are alike.
    pub(crate) fn mask(&self) -> u128 {
        u128::MAX.checked_shl(128 - u32::from(self.length)).unwrap_or(0)
    }

    /// Returns true if the prefix contains an address.
    pub fn contains(&self, address: IpAddr) -> bool {
        self.has(number(address))
    }

    /// Returns true if the prefix contains the address of a number.
    #[inline]
    pub(crate) fn has(&self, number: u128) -> bool {
        number & self.mask() == self.address && (self.is_of_both || is_ipv4(number) == self.is_of_ipv4())
    }

    fn is_of_ipv4(&self) -> bool {
        self.length >= OF_IPV4 && is_ipv4(self.address)
    }

    /// Returns the versions of IP whose addresses the prefix contains: for IPv6 and for IPv4 whether it does.
    pub(crate) fn versions(&self) -> [bool; 2] {
        [self.is_of_both || !self.is_of_ipv4(), self.is_of_both || self.is_of_ipv4()]
    }

    /// Returns the first address, as a number of 32 bits, and the length of a prefix of IPv4 in its own bits; `None` for one of
    /// IPv6.
    pub(crate) fn of_ipv4(&self) -> Option<(u32, u8)> {
        self.is_of_ipv4().then(|| (self.address as u32, self.length - OF_IPV4))
    }
}

impl fmt::Display for Prefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_of_both {
            return f.write_str("any");
        }
        let length = self.of_ipv4().map_or(self.length, |(_, length)| length);
        write!(f, "{}/{length}", address(self.address))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prefix(address: &str, length: u8) -> Option<Prefix> {
        Prefix::new(address.parse().expect("an address"), length)
    }

    #[test]
    fn prefixes_contain_what_begins_alike() {
        let contains = |prefix: Prefix, address: &str| prefix.contains(address.parse().expect("an address"));
        let ten = prefix("10.0.0.0", 8).expect("a prefix");
        assert!(contains(ten, "10.255.0.1") && !contains(ten, "11.0.0.0") && !contains(ten, "::a00:1"));
        let all_ipv4 = prefix("0.0.0.0", 0).expect("a prefix");
        assert!(contains(all_ipv4, "203.0.113.1") && !contains(all_ipv4, "2001:db8::1"));
        let ipv6 = prefix("2001:db8::", 32).expect("a prefix");
        assert!(contains(ipv6, "2001:db8:1::1") && !contains(ipv6, "2001:db9::1"));
        assert!(contains(Prefix::ALL, "10.0.0.1") && contains(Prefix::ALL, "2001:db8::1"));
        let all_ipv6 = prefix("::", 0).expect("a prefix");
        assert!(contains(all_ipv6, "2001:db8::1") && contains(all_ipv6, "::1") && !contains(all_ipv6, "10.0.0.1"));
        assert_eq!([all_ipv6, Prefix::ALL].map(|prefix| prefix.to_string()), ["::/0", "any"]);
        assert_eq!(
            [ten, all_ipv4, ipv6].map(|prefix| prefix.to_string()),
            ["10.0.0.0/8", "0.0.0.0/0", "2001:db8::/32"]
        );
    }

    #[test]
    fn impossible_prefixes_are_refused() {
        assert_eq!([prefix("10.0.0.1", 8), prefix("10.0.0.0", 33), prefix("2001:db8::", 129)], [None; 3]);
        assert_eq!(prefix("10.0.0.1", 32), Some(Prefix::of_one("10.0.0.1".parse().expect("an address"))));
    }
}
