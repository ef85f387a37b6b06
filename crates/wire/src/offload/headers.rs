//! The headers of packets that are cut, or put together: where they are, and what of them depends on lengths.

use super::within::{Tunnels, within};
use super::{Segmentation, SegmentationKind};
use crate::checksum::Sum;
use crate::{ChecksumState, Ipv4, Ipv6, Layers, Network, Packet, Udp, protocol};

/// The offsets in a packet that is cut, or put together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Headers {
    pub network: Network,
    pub network_start: usize,
    pub transport: usize,
    /// The offset of the payload, which is the length of all headers.
    pub payload: usize,
    /// The tunnels around the packet.
    pub tunnels: Tunnels,
}

/// The offsets of the headers of a tunnel.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OuterHeaders {
    pub network: Network,
    pub network_start: usize,
    /// The offset of what follows the IP header, and its protocol.
    pub transport: usize,
    pub protocol: u8,
}

impl Headers {
    /// Returns the number of segments of a packet of `length` bytes.
    pub fn segments(&self, length: usize, segmentation: Segmentation) -> usize {
        (length - self.payload).div_ceil(usize::from(segmentation.size)).max(1)
    }
}

/// Returns the offsets of the headers; `None` if they are not those of the segmentation.
pub(super) fn headers(packet: &Packet, segmentation: Segmentation) -> Option<Headers> {
    let outermost = Layers::of(packet);
    let (layers, tunnels) = match packet.sidecar.checksum {
        // Whoever left the packet to be cut left its checksum as well, which says what is cut.
        ChecksumState::Partial { start, .. } if outermost.transport.is_some_and(|own| own < usize::from(start)) => {
            within(packet.head.bytes(), outermost, start.into(), segmentation.kind)?
        }
        _ => (outermost, Tunnels::default()),
    };
    let (transport, payload) = (layers.transport?, layers.payload?);
    let start = outermost.network_start;
    // A partial checksum names its field with 16 bits.
    let is_possible = is_of_kind(&layers, segmentation.kind)
        && segmentation.size > 0
        && !layers.is_fragment
        && payload <= packet.head.len()
        && u16::try_from(payload).is_ok()
        && payload + usize::from(segmentation.size) - start <= usize::from(u16::MAX);
    let Layers { network, network_start, .. } = layers;
    is_possible.then_some(Headers { network, network_start, transport, payload, tunnels })
}

/// Returns true if headers are those of a segmentation.
pub(super) fn is_of_kind(layers: &Layers, kind: SegmentationKind) -> bool {
    match kind {
        SegmentationKind::TcpIpv4 => layers.network == Network::Ipv4 && layers.protocol == protocol::TCP,
        SegmentationKind::TcpIpv6 => layers.network == Network::Ipv6 && layers.protocol == protocol::TCP,
        SegmentationKind::Udp => layers.network != Network::None && layers.protocol == protocol::UDP,
    }
}

/// Changes the network header of a segment, by the length of the whole segment and its number.
pub(super) fn write_network(bytes: &mut [u8], network: Network, start: usize, (length, number): (usize, usize)) {
    let header = &mut bytes[start..];
    match network {
        Network::Ipv4 => {
            let mut ipv4 = Ipv4::new(header).expect("it was read before");
            ipv4.set_total_length((length - start) as u16);
            ipv4.set_identification(ipv4.identification().wrapping_add(number as u16));
            ipv4.fill_checksum();
        }
        Network::Ipv6 => {
            let mut ipv6 = Ipv6::new(header).expect("it was read before");
            ipv6.set_payload_length((length - start - Ipv6::<&[u8]>::LENGTH) as u16);
        }
        Network::None => unreachable!("headers without a network layer are refused"),
    }
}

/// Changes the headers of a tunnel around a segment, of which the offset of the transport header and the sum in its checksum field are given,
/// by the length of the whole segment and its number. An outer checksum is right once the inner one is complete: all that is summed from
/// there on then is the complement of what stands in its field now (Linux, Documentation/networking/checksum-offloads.rst, "LCO").
pub(super) fn write_tunnel(
    bytes: &mut [u8],
    outer: &OuterHeaders,
    (inner, sum_within): (usize, u16),
    (length, number): (usize, usize),
) {
    let start = outer.transport;
    write_network(bytes, outer.network, outer.network_start, (length, number));
    let mut sum = Sum::default();
    let field = match outer.protocol {
        protocol::UDP => {
            let mut udp = Udp::new(&mut bytes[start..]).expect("it was read before");
            udp.set_length((length - start) as u16);
            // There is none if it is zero (RFC 768), and then each segment has none.
            if udp.checksum() == 0 {
                return;
            }
            add_pseudo_header(&mut sum, bytes, (outer.network, outer.network_start), protocol::UDP, length - start);
            start + 6
        }
        // RFC 2784, section 2.1: a checksum of all that follows, if the first bit says so.
        protocol::GRE if bytes[start] & 0x80 != 0 => start + 4,
        _ => return,
    };
    bytes[field..field + 2].fill(0);
    sum.add_word(if (inner - start).is_multiple_of(2) { !sum_within } else { (!sum_within).swap_bytes() });
    sum.add(&bytes[start..inner]);
    let checksum = if sum.checksum() == 0 { u16::MAX } else { sum.checksum() };
    bytes[field..field + 2].copy_from_slice(&checksum.to_be_bytes());
}

/// Returns the offset of the checksum in the transport header.
pub(super) const fn checksum_offset(kind: SegmentationKind) -> usize {
    match kind {
        SegmentationKind::TcpIpv4 | SegmentationKind::TcpIpv6 => 16,
        SegmentationKind::Udp => 6,
    }
}

/// Returns the sum of the pseudo-header, folded and not complemented.
pub(super) fn pseudo_header_sum(bytes: &[u8], headers: &Headers, kind: SegmentationKind, length: usize) -> u16 {
    let number = if kind == SegmentationKind::Udp { protocol::UDP } else { protocol::TCP };
    let mut sum = Sum::default();
    add_pseudo_header(&mut sum, bytes, (headers.network, headers.network_start), number, length);
    sum.folded()
}

/// Adds the pseudo-header (RFC 9293, section 3.1; RFC 8200, section 8.1) of a transport layer with a protocol number and a length.
fn add_pseudo_header(sum: &mut Sum, bytes: &[u8], (network, start): (Network, usize), number: u8, length: usize) {
    let addresses = match network {
        Network::Ipv4 => 12..20,
        _ => 8..40,
    };
    sum.add(&bytes[start..][addresses]);
    sum.add_word(u16::from(number));
    // Segments are shorter than 64 KB, which `headers` has checked.
    sum.add_word(length as u16);
}
