//! Addresses of hosts.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

/// An address with the length of its network's prefix, such as 10.0.1.1/24.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cidr {
    /// The address.
    pub address: IpAddr,
    /// The length of the prefix in bits: at most 32, or 128 for IPv6.
    pub length: u8,
}

impl FromStr for Cidr {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const FORM: &str = "an address and the length of its prefix, such as 10.0.1.1/24 or 2001:db8::1/64";
        let (address, length) = text.split_once('/').ok_or(FORM)?;
        let address: IpAddr = address.parse().map_err(|_| FORM)?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let length = length.parse().ok().filter(|length| *length <= most).ok_or(FORM)?;
        Ok(Self { address, length })
    }
}

impl fmt::Display for Cidr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.length)
    }
}

/// A MAC address of one station (IEEE 802), so that it is no group address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MacAddress([u8; 6]);

impl FromStr for MacAddress {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const FORM: &str = "six bytes in hexadecimal, such as 08:00:00:00:01:11";
        let mut bytes = [0; 6];
        let mut parts = text.split(':');
        for byte in &mut bytes {
            let part = parts.next().filter(|part| matches!(part.len(), 1 | 2)).ok_or(FORM)?;
            *byte = u8::from_str_radix(part, 16).map_err(|_| FORM)?;
        }
        if parts.next().is_some() {
            return Err(FORM);
        }
        if bytes[0] & 1 == 1 || bytes == [0; 6] {
            return Err("the address of one station: its first byte is even, and not all bytes are zero");
        }
        Ok(Self(bytes))
    }
}

impl fmt::Display for MacAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c, d, e, g] = self.0;
        write!(f, "{a:02x}:{b:02x}:{c:02x}:{d:02x}:{e:02x}:{g:02x}")
    }
}
