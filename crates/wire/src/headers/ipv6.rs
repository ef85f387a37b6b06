//! IPv6 (RFC 8200).

use std::net::Ipv6Addr;

super::header! {
    /// An IPv6 header without its extension headers.
    Ipv6, 40 bytes:
    /// The version (4 bits), traffic class (8 bits) and flow label (20 bits).
    version_class_flow, set_version_class_flow: u32 = 0;
    /// The length in bytes of what follows this header.
    payload_length, set_payload_length: u16 = 4;
    /// The extension header or protocol that follows; see [`crate::protocol`].
    next_header, set_next_header: u8 = 6;
    /// The number of hops that are left.
    hop_limit, set_hop_limit: u8 = 7;
    /// The source address, as a number.
    source_bits, set_source_bits: u128 = 8;
    /// The destination address, as a number.
    destination_bits, set_destination_bits: u128 = 24;
}

impl<T: AsRef<[u8]>> Ipv6<T> {
    /// Returns the version, which is 6 in a valid header.
    pub fn version(&self) -> u8 {
        (self.version_class_flow() >> 28) as u8
    }

    /// Returns DSCP (6 bits) and ECN (2 bits).
    pub fn traffic_class(&self) -> u8 {
        (self.version_class_flow() >> 20) as u8
    }

    /// Returns the flow label, 20 bits.
    pub fn flow_label(&self) -> u32 {
        self.version_class_flow() & 0x000F_FFFF
    }

    /// Returns the source address.
    pub fn source(&self) -> Ipv6Addr {
        Ipv6Addr::from_bits(self.source_bits())
    }

    /// Returns the destination address.
    pub fn destination(&self) -> Ipv6Addr {
        Ipv6Addr::from_bits(self.destination_bits())
    }
}
