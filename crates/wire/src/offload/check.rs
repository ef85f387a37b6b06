//! Checking what a stranger says was left undone in a packet.

use super::headers::{Headers, checksum_offset, headers, pseudo_header_sum};
use super::within::within;
use crate::{
    ChecksumState, Ethernet, Layers, LinkLayer, Network, Packet, Segmentation, SegmentationKind, Udp, protocol,
};
use crate::{ether_type, offload::segment::LONGEST_TRANSPORT};

const ETHERNET: usize = Ethernet::<&[u8]>::LENGTH;

impl Packet {
    /// Makes sure that what is left undone in the packet, as whoever sent it says, changes nothing but lengths and checksums. Call it
    /// before anybody decides about the packet: a guest could have a "checksum" written over an address or a port afterwards.
    ///
    /// A checksum that is to be computed stays so if its place is that of the transport header, or of one within a tunnel, and is computed
    /// here otherwise. A packet that is to be cut gets the checksum of the pseudo-header where it belongs, whatever its sender says of it,
    /// as everybody who cuts expects (Virtual I/O Device specification 1.2, section 5.1.6.2).
    ///
    /// Returns false if the work makes no sense: the place of the checksum is behind the end, or the headers are not those of the
    /// segmentation, or say another length than the packet has.
    #[must_use = "a packet of which nonsense is said is malformed"]
    pub fn check_offload(&mut self) -> bool {
        match (self.sidecar.segmentation, self.sidecar.checksum) {
            (Some(segmentation), _) => self.check_segmentation(segmentation),
            (None, ChecksumState::Partial { start, offset }) => {
                self.has_plain_checksum(start.into(), offset)
                    || self.has_checksum_of_transport(start.into(), offset)
                    || self.complete_checksum()
            }
            (None, ChecksumState::Unknown | ChecksumState::Verified) => true,
        }
    }

    /// Returns true if the checksum of a place is that of TCP or UDP behind an IP header without options, tags and extension headers:
    /// what nearly all packets are. Others are looked at in full.
    fn has_plain_checksum(&self, start: usize, offset: u8) -> bool {
        let (head, network_length) = (self.head.bytes(), start.wrapping_sub(ETHERNET));
        let is_in_head = head.len() >= start + usize::from(offset) + 2;
        if self.sidecar.link != LinkLayer::Ethernet || ![20, 40].contains(&network_length) || !is_in_head {
            return false;
        }
        let kind = u16::from_be_bytes([head[12], head[13]]);
        let carried = match network_length {
            // Not a fragment: neither an offset nor more of them.
            20 if kind == ether_type::IPV4 && head[14] == 0x45 && head[20] & 0x3F == 0 && head[21] == 0 => head[23],
            40 if kind == ether_type::IPV6 && head[14] >> 4 == 6 => head[20],
            _ => return false,
        };
        matches!((carried, offset), (protocol::TCP, 16) | (protocol::UDP, 6))
    }

    /// Returns true if the checksum of a place is that of a transport header of the packet, or of one within a tunnel.
    fn has_checksum_of_transport(&mut self, start: usize, offset: u8) -> bool {
        self.lengthen_head(start + LONGEST_TRANSPORT);
        let layers = Layers::reach(self);
        let Some(transport) = layers.transport.filter(|_| !layers.is_fragment) else { return false };
        if transport == start {
            return is_checksum_of(layers.network, layers.protocol, offset);
        }
        use SegmentationKind::{TcpIpv4, TcpIpv6, Udp};
        let mut kinds =
            [TcpIpv4, TcpIpv6, Udp].into_iter().filter(|kind| checksum_offset(*kind) == usize::from(offset));
        transport < start && kinds.any(|kind| within(self.head.bytes(), layers, start, kind).is_some())
    }

    fn check_segmentation(&mut self, segmentation: Segmentation) -> bool {
        self.reach_cut();
        let Some(headers) = headers(self, segmentation) else { return false };
        let kind = segmentation.kind;
        if let ChecksumState::Partial { start, offset } = self.sidecar.checksum
            && (usize::from(start), usize::from(offset)) != (headers.transport, checksum_offset(kind))
        {
            return false;
        }
        if !self.has_length_of(&headers, kind) {
            return false;
        }
        let sum = pseudo_header_sum(self.head.bytes(), &headers, kind, self.len() - headers.transport);
        let field = headers.transport + checksum_offset(kind);
        self.head.bytes_mut()[field..field + 2].copy_from_slice(&sum.to_be_bytes());
        let offset = checksum_offset(kind) as u8;
        self.sidecar.checksum = ChecksumState::Partial { start: headers.transport as u16, offset };
        let has_cwr = segmentation.has_cwr && kind != SegmentationKind::Udp;
        self.sidecar.segmentation = Some(Segmentation { has_cwr, ..segmentation });
        true
    }

    /// Returns true if headers say that the packet is as long as it is.
    fn has_length_of(&self, headers: &Headers, kind: SegmentationKind) -> bool {
        let (head, length) = (self.head.bytes(), self.len());
        let outermost = Layers::of(self);
        let datagram = head.get(headers.transport..).and_then(Udp::new);
        outermost.network_end == length
            && length - headers.transport <= usize::from(u16::MAX)
            && (kind != SegmentationKind::Udp
                || datagram.is_some_and(|udp| usize::from(udp.length()) == length - headers.transport))
    }
}

/// Returns true if the checksum of a transport protocol is at an offset in its header.
fn is_checksum_of(network: Network, number: u8, offset: u8) -> bool {
    match (network, number) {
        (_, protocol::TCP) => offset == 16,
        (_, protocol::UDP | protocol::UDP_LITE) => offset == 6,
        (_, protocol::SCTP) => offset == 8,
        (Network::Ipv4, protocol::ICMP) | (Network::Ipv6, protocol::ICMPV6) => offset == 2,
        _ => false,
    }
}
