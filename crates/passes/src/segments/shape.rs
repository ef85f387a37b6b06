//! The shape of a superframe: what all superframes that are treated alike have in common.

/// The place of each header in a superframe, and what else is known of all superframes of the shape: an Ethernet frame,
/// with at most one VLAN tag, of IPv4 or IPv6 without extension headers, and TCP or UDP. IPv4 is no fragment, and TCP
/// has neither SYN nor RST. Lengths are in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// The tag protocol identifier of the frame's VLAN tag.
    pub tag: Option<u16>,
    /// Whether the network layer is IPv6 and not IPv4.
    pub is_ipv6: bool,
    /// The length of the network layer's header: 20 to 60 for IPv4, 40 for IPv6.
    pub network_length: u8,
    /// Whether the transport layer is UDP and not TCP.
    pub is_udp: bool,
    /// The length of the transport layer's header: 20 to 60 for TCP, 8 for UDP.
    pub transport_length: u8,
}

/// The value of a field of a known header.
type Known = (u32, u32, u64);

/// Linux, include/uapi/linux/if_ether.h.
const IPV4: u64 = 0x0800;
const IPV6: u64 = 0x86DD;
const TCP: u64 = 6;
const UDP: u64 = 17;

impl Shape {
    /// The offset of the network layer's header in bits.
    pub(super) fn network(&self) -> u32 {
        if self.tag.is_some() { 18 * 8 } else { 14 * 8 }
    }

    /// The offset of the transport layer's header in bits.
    pub(super) fn transport(&self) -> u32 {
        self.network() + u32::from(self.network_length) * 8
    }

    /// The offset of the payload in bits.
    pub(super) fn payload(&self) -> u32 {
        self.transport() + u32::from(self.transport_length) * 8
    }

    /// The fields whose values are known: offset and width in bits, and value.
    fn known(&self) -> impl Iterator<Item = Known> {
        let (network, transport) = (self.network(), self.transport());
        let ether_type = (network - 16, 16, if self.is_ipv6 { IPV6 } else { IPV4 });
        let tag = self.tag.map(|tag| (96, 16, u64::from(tag)));
        let protocol = if self.is_udp { UDP } else { TCP };
        let network = if self.is_ipv6 {
            vec![(network, 4, 6), (network + 48, 8, protocol)]
        } else {
            let version_and_length = 0x40 | u64::from(self.network_length / 4);
            // Neither more fragments follow nor is this a later one.
            vec![(network, 8, version_and_length), (network + 50, 14, 0), (network + 72, 8, protocol)]
        };
        let tcp = [(transport + 96, 4, u64::from(self.transport_length / 4)), (transport + 109, 2, 0)];
        let tcp = tcp.into_iter().take(if self.is_udp { 0 } else { tcp.len() });
        tag.into_iter().chain([ether_type]).chain(network).chain(tcp)
    }

    /// The value of a bit, if it is the same in all packets of the shape.
    pub(super) fn bit(&self, offset: u32) -> Option<bool> {
        let (start, width, value) = self.known().find(|&(start, width, _)| (start..start + width).contains(&offset))?;
        Some(value >> (start + width - 1 - offset) & 1 == 1)
    }

    /// The fields that hold the length of the packet from some offset on: the offset of each field in bits, and the
    /// number of bytes in front of what it measures. All have 16 bits.
    pub(super) fn lengths(&self) -> impl Iterator<Item = (u32, i64)> {
        let (network, transport) = (self.network(), self.transport());
        let bytes = |bits: u32| i64::from(bits / 8);
        let of_network =
            if self.is_ipv6 { (network + 32, bytes(network) + 40) } else { (network + 16, bytes(network)) };
        [of_network].into_iter().chain(self.is_udp.then(|| (transport + 32, bytes(transport))))
    }

    /// The offset of IPv4's header checksum in bits.
    pub(super) fn header_checksum(&self) -> Option<u32> {
        (!self.is_ipv6).then(|| self.network() + 80)
    }

    /// The ranges of bits that differ between the segments of one superframe, apart from the payload.
    fn differing(&self) -> impl Iterator<Item = (u32, u32)> {
        let (network, transport) = (self.network(), self.transport());
        // Identification and header checksum (RFC 791).
        let ipv4 = [(network + 32, 16), (network + 80, 16)];
        let ipv4 = ipv4.into_iter().take(if self.is_ipv6 { 0 } else { ipv4.len() });
        let lengths = self.lengths().map(|(start, _)| (start, 16));
        let of_transport = if self.is_udp {
            vec![(transport + 48, 16)]
        } else {
            // Sequence number; CWR, PSH and FIN; checksum (RFC 9293, section 3.1).
            vec![
                (transport + 32, 32),
                (transport + 104, 1),
                (transport + 108, 1),
                (transport + 111, 1),
                (transport + 128, 16),
            ]
        };
        ipv4.chain(lengths).chain(of_transport)
    }

    /// Whether bits of the packet as it arrives may differ between segments.
    pub(super) fn varies(&self, start: u32, width: u32) -> bool {
        let end = start + width;
        end > self.payload() || self.differing().any(|(from, bits)| from < end && start < from + bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_bits_and_differing_bits_are_where_the_headers_have_them() {
        let shape =
            Shape { tag: Some(0x8100), is_ipv6: false, network_length: 24, is_udp: false, transport_length: 32 };
        let known = |start: u32, width: u32| {
            (start..start + width).try_fold(0u64, |value, at| Some(value << 1 | u64::from(shape.bit(at)?)))
        };
        assert_eq!(known(96, 16), Some(0x8100));
        assert_eq!(known(128, 16), Some(0x0800));
        assert_eq!(known(18 * 8, 8), Some(0x46));
        assert_eq!(known((18 + 9) * 8, 8), Some(6));
        assert_eq!(known((18 + 24 + 12) * 8, 4), Some(8));
        assert_eq!(known(0, 1), None);
        assert!(shape.varies((18 + 4) * 8, 1) && shape.varies((18 + 2) * 8, 16) && shape.varies((18 + 24 + 4) * 8, 32));
        // Acknowledgement number and window are the same in all segments.
        assert!(!shape.varies((18 + 24 + 8) * 8, 32) && !shape.varies((18 + 24 + 14) * 8, 16));
        assert!(shape.varies((18 + 24 + 32) * 8, 1), "the payload differs");
    }
}
