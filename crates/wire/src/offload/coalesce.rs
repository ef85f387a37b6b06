//! Putting packets of one flow that follow one another into one packet that stands for them: the inverse of
//! [`Packet::segment`], by the rules of Linux's generic receive offload (`tcp_gro_receive` and `udp_gro_receive_segment` in
//! its sources).

use super::headers::{Headers, checksum_offset, pseudo_header_sum};
use super::within::Tunnels;
use super::{ChecksumState, Segmentation, SegmentationKind};
use crate::tcp::flag;
use crate::{Ipv4, Ipv6, Layers, Network, Packet, Tail, Tcp, Udp, protocol};

/// The flag of IPv4 that the packet is never cut into fragments, so that its identification has no meaning (RFC 6864, section 4.1).
const DO_NOT_FRAGMENT: u16 = 0x4000;
/// The flags of TCP that only the last of several packets may have.
const LAST: u8 = flag::FIN | flag::PSH;

/// Finds out whether packets that follow one another can leave as one packet that is to be cut into just them: segments of one
/// TCP connection, or datagrams between two ports. They have the same headers but for lengths, sequence numbers, identifications
/// and checksums, which are right, and as much payload as the first, but for the last, which may have less.
///
/// Nothing is copied: whoever sends them gathers the headers of [`Coalescer::front`] and the payload of each packet.
#[derive(Clone, Debug)]
pub struct Coalescer {
    kind: SegmentationKind,
    headers: Headers,
    /// The payload of each packet but the last, in bytes.
    size: usize,
    count: usize,
    /// The payload of all packets, in bytes.
    payload: usize,
    /// The flags that the last packet has added.
    flags: u8,
    /// Whether another packet may follow.
    is_open: bool,
}

impl Coalescer {
    /// The most packets that become one: what Linux cuts at once into datagrams of UDP (`UDP_MAX_SEGMENTS` before version 6.8).
    pub const MOST: usize = 64;

    /// Begins with a packet. Returns `None` if no packet can be put behind it.
    pub fn begin(first: &Packet) -> Option<Self> {
        if first.sidecar.segmentation.is_some() || !first.has_bytes() {
            return None;
        }
        let layers = Layers::of(first);
        let (transport, payload) = (layers.transport?, layers.payload?);
        let (kind, network) = match (layers.network, layers.protocol) {
            (Network::Ipv4, protocol::TCP) => (SegmentationKind::TcpIpv4, Ipv4::<&[u8]>::LENGTH),
            (Network::Ipv6, protocol::TCP) => (SegmentationKind::TcpIpv6, Ipv6::<&[u8]>::LENGTH),
            (Network::Ipv4, protocol::UDP) => (SegmentationKind::Udp, Ipv4::<&[u8]>::LENGTH),
            (Network::Ipv6, protocol::UDP) => (SegmentationKind::Udp, Ipv6::<&[u8]>::LENGTH),
            _ => return None,
        };
        // The kernel cuts neither packets with options or extension headers, nor tagged ones, in all of its interfaces.
        let is_plain =
            layers.outer_vlan.is_none() && !layers.is_fragment && transport == layers.network_start + network;
        if !is_plain || payload > first.head.len() || layers.network_end != first.len() || payload == first.len() {
            return None;
        }
        let headers = Headers {
            network: layers.network,
            network_start: layers.network_start,
            transport,
            payload,
            tunnels: Tunnels::default(),
        };
        let bytes = first.head.bytes();
        let is_alone = match kind {
            SegmentationKind::Udp => false,
            _ => Tcp::new(&bytes[transport..])?.flags() & !flag::ECE != flag::ACK,
        };
        let is_open = !is_alone && are_lengths_right(kind, bytes, &headers, first.len());
        let size = first.len() - payload;
        is_open.then_some(Self { kind, headers, size, count: 1, payload: size, flags: 0, is_open: true })
    }

    /// Adds a packet if it can be put behind those so far, of which the first is given again. Returns whether it was added.
    pub fn add(&mut self, first: &Packet, next: &Packet) -> bool {
        let length = next.len().saturating_sub(self.headers.payload);
        let whole = self.headers.payload - self.headers.network_start + self.payload + length;
        let has_room = self.is_open && self.count < Self::MOST && whole <= usize::from(u16::MAX);
        if !has_room || length == 0 || length > self.size || !self.follows(first, next) {
            return false;
        }
        if self.count == 1 && !self.is_checksum_right(first) {
            self.is_open = false;
        }
        if !self.is_open || !self.is_checksum_right(next) {
            return false;
        }
        if self.kind != SegmentationKind::Udp {
            self.flags = next.head.bytes()[self.headers.transport + 13] & LAST;
        }
        (self.count, self.payload) = (self.count + 1, self.payload + length);
        self.is_open = length == self.size && self.flags == 0;
        true
    }

    /// Returns the protocol by which the packets are cut again.
    pub fn kind(&self) -> SegmentationKind {
        self.kind
    }

    /// Returns the number of packets so far.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Returns the length of the headers of each packet in bytes, behind which is its payload.
    pub fn headers_length(&self) -> usize {
        self.headers.payload
    }

    /// Returns the headers of the packet that stands for all, and says in the sidecar how it is to be cut. The payload of all packets
    /// is missing behind them. The first packet is given again.
    pub fn front(&self, first: &Packet) -> Packet {
        let Headers { network_start, transport, payload, .. } = self.headers;
        let mut front = Packet::new(&first.head.bytes()[..payload], Tail::Length(0), first.sidecar);
        let bytes = front.head.bytes_mut();
        let length = payload + self.payload;
        match self.headers.network {
            Network::Ipv4 => {
                let mut ip = Ipv4::new(&mut bytes[network_start..]).expect("it was read before");
                ip.set_total_length((length - network_start) as u16);
                ip.fill_checksum();
            }
            _ => {
                let mut ip = Ipv6::new(&mut bytes[network_start..]).expect("it was read before");
                ip.set_payload_length((length - transport) as u16);
            }
        }
        match self.kind {
            SegmentationKind::Udp => {
                let mut udp = Udp::new(&mut bytes[transport..]).expect("it was read before");
                udp.set_length((length - transport) as u16);
            }
            _ => bytes[transport + 13] |= self.flags,
        }
        let sum = pseudo_header_sum(bytes, &self.headers, self.kind, length - transport);
        let offset = checksum_offset(self.kind);
        bytes[transport + offset..][..2].copy_from_slice(&sum.to_be_bytes());
        let sidecar = &mut front.sidecar;
        sidecar.checksum = ChecksumState::Partial { start: transport as u16, offset: offset as u8 };
        sidecar.segmentation = Some(Segmentation { kind: self.kind, size: self.size as u16, has_cwr: false });
        sidecar.original_length = length as u32;
        front
    }

    /// Returns true if the headers of a packet are those of the first one, counted on by the packets so far.
    fn follows(&self, first: &Packet, next: &Packet) -> bool {
        let Headers { network, network_start, transport, payload, .. } = self.headers;
        let (one, other) = (first.head.bytes(), next.head.bytes());
        if other.len() < payload || next.sidecar.segmentation.is_some() || next.sidecar.link != first.sidecar.link {
            return false;
        }
        if !next.has_bytes() || one[..network_start] != other[..network_start] {
            return false;
        }
        let same = |range: std::ops::Range<usize>, start: usize| {
            one[start + range.start..start + range.end] == other[start + range.start..start + range.end]
        };
        let is_network_same = match network {
            Network::Ipv4 => {
                // Version and class; fragmentation, time to live and protocol; addresses.
                same(0..2, network_start)
                    && same(6..10, network_start)
                    && same(12..20, network_start)
                    && self.is_counted_on(&one[network_start..], &other[network_start..])
            }
            _ => same(0..4, network_start) && same(6..40, network_start),
        };
        is_network_same
            && are_lengths_right(self.kind, other, &self.headers, next.len())
            && match self.kind {
                SegmentationKind::Udp => same(0..4, transport),
                _ => {
                    let sequence = |bytes: &[u8]| Tcp::new(&bytes[transport..]).map(|tcp| tcp.sequence());
                    let expected = sequence(one).map(|first| first.wrapping_add(self.payload as u32));
                    // Ports; acknowledgement and length; window; urgent pointer and options.
                    expected == sequence(other)
                        && same(0..4, transport)
                        && same(8..13, transport)
                        && (one[transport + 13] ^ other[transport + 13]) & !LAST == 0
                        && same(14..16, transport)
                        && same(18..payload - transport, transport)
                }
            }
    }

    /// Returns true if the checksum and the identification of an IPv4 header are those of a packet behind the ones so far.
    fn is_counted_on(&self, one: &[u8], other: &[u8]) -> bool {
        let [Some(one), Some(other)] = [Ipv4::new(one), Ipv4::new(other)] else { return false };
        let step = other.identification().wrapping_sub(one.identification());
        let is_atomic = one.fragmentation() & DO_NOT_FRAGMENT != 0;
        (usize::from(step) == self.count || is_atomic && step == 0)
            && [one.is_checksum_right(), other.is_checksum_right()] == [Some(true); 2]
    }

    /// Returns true if the transport layer's checksum of a packet is right, or will be when it is complete.
    fn is_checksum_right(&self, packet: &Packet) -> bool {
        let Headers { transport, .. } = self.headers;
        let (offset, bytes) = (checksum_offset(self.kind), packet.head.bytes());
        let length = packet.len() - transport;
        let field = [bytes[transport + offset], bytes[transport + offset + 1]];
        let of_pseudo_header = pseudo_header_sum(bytes, &self.headers, self.kind, length);
        match packet.sidecar.checksum {
            ChecksumState::Partial { start, offset: at } => {
                usize::from(start) == transport
                    && usize::from(at) == offset
                    && u16::from_be_bytes(field) == of_pseudo_header
            }
            // A datagram without a checksum stays one (RFC 768). Whoever has compared it may have changed the packet since.
            _ if self.kind == SegmentationKind::Udp && field == [0, 0] => false,
            _ => {
                let mut sum = packet.sum(transport..packet.len());
                sum.add_word(of_pseudo_header);
                sum.checksum() == 0
            }
        }
    }
}

/// Returns true if the lengths in the headers of a packet say that it ends where it does, which is `end` bytes from its beginning. A
/// length of 0 in the header of IP says nothing (RFC 2675), and would be another one in a segment.
fn are_lengths_right(kind: SegmentationKind, bytes: &[u8], headers: &Headers, end: usize) -> bool {
    let Headers { network, network_start, transport, .. } = *headers;
    let of_network = match network {
        Network::Ipv4 => Ipv4::new(&bytes[network_start..]).map(|ip| network_start + usize::from(ip.total_length())),
        _ => Ipv6::new(&bytes[network_start..]).map(|ip| transport + usize::from(ip.payload_length())),
    };
    let of_transport = match kind {
        SegmentationKind::Udp => Udp::new(&bytes[transport..]).map(|udp| transport + usize::from(udp.length())),
        _ => Some(end),
    };
    [of_network, of_transport] == [Some(end); 2]
}
