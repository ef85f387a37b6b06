//! The sources of field values.

use std::fmt;

use basis::Instant;
use wire::{FiveTuple, Layers, Network, Packet, protocol};

/// The source of a field's value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A constant.
    Constant(u64),
    /// The time of arrival, in microseconds modulo 2^32.
    Arrival,
    /// The length of the packet on arrival, in bytes, including its link-layer header.
    Length,
    /// The port on which the packet arrived.
    Port,
    /// The EtherType that follows all VLAN tags.
    EtherType,
    /// The IP version, 4 or 6.
    IpVersion,
    /// The source address: the 32 bits of an IPv4 address, or the exclusive or of the four words of an IPv6 address.
    IpSource,
    /// The destination address, folded like the source.
    IpDestination,
    /// The protocol that IP carries, after all extension headers.
    IpProtocol,
    /// The length of the IP packet with its header, in bytes.
    IpLength,
    /// The length of the payload of TCP, UDP or ICMP, in bytes.
    PayloadLength,
    /// The upper 31 bits of [`FiveTuple::hash`].
    FlowHash,
    /// Bits of a header.
    Header(HeaderBits),
}

/// Bits of a header; of an IP header, in either version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeaderBits {
    /// The path in the syntax of binding files.
    pub(super) path: String,
    pub(super) bits: Bits,
    /// The corresponding bits in IPv6, if `bits` are in IPv4 and there are such bits.
    pub(super) in_ipv6: Option<Bits>,
}

/// Up to eight bytes of a header, and the bits of them that are selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bits {
    pub(super) layer: Layer,
    pub(super) offset: u16,
    /// The length in bytes, 1 to 8.
    pub(super) length: u8,
    pub(super) shift: u8,
    pub(super) mask: u64,
}

impl Bits {
    /// Returns the selected bits of one byte of the layer.
    fn within(&self, byte: u16) -> u8 {
        let end = self.offset + u16::from(self.length);
        if byte < self.offset || byte >= end {
            return 0;
        }
        // `shift` counts from the least significant bit of the last byte.
        let counted = u128::from(self.mask) << self.shift;
        (counted >> (8 * u32::from(end - 1 - byte))) as u8
    }

    /// Returns true if both select a common bit of a packet.
    pub(super) fn overlaps(&self, other: &Self) -> bool {
        let bytes = self.offset..self.offset + u16::from(self.length);
        self.layer == other.layer && bytes.into_iter().any(|byte| self.within(byte) & other.within(byte) != 0)
    }
}

/// A header, or the data that follows one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layer {
    /// The Ethernet header, which starts at the first byte.
    Ethernet,
    /// The outermost VLAN tag, without the EtherType that precedes it.
    Vlan,
    /// IPv4 or IPv6.
    Ip,
    Ipv4,
    Ipv6,
    /// A transport header that starts with two ports.
    Ports,
    Tcp,
    Udp,
    /// ICMP for either IP version.
    Icmp,
    /// The data that TCP, UDP or ICMP carries.
    Payload,
}

/// A packet whose layers have been located.
pub(super) struct View<'p> {
    pub(super) packet: &'p Packet,
    pub(super) head: &'p [u8],
    pub(super) layers: Layers,
    pub(super) port: u16,
}

impl Layer {
    /// Returns the start of the layer, if the packet has it.
    #[inline]
    pub(super) fn start(self, layers: &Layers) -> Option<usize> {
        let transport = |is_it: bool| if is_it { layers.transport } else { None };
        let network = |is_it: bool| is_it.then_some(layers.network_start);
        match self {
            Self::Ethernet => layers.ether_type.map(|_| 0),
            Self::Vlan => layers.outer_vlan,
            Self::Ip => network(layers.network != Network::None),
            Self::Ipv4 => network(layers.network == Network::Ipv4),
            Self::Ipv6 => network(layers.network == Network::Ipv6),
            Self::Ports => transport(layers.has_ports()),
            Self::Tcp => transport(layers.protocol == protocol::TCP),
            Self::Udp => transport(layers.protocol == protocol::UDP),
            Self::Icmp => transport(is_icmp(layers)),
            // The payload of UDP-Lite is excluded because its checksum covers only what its header says.
            Self::Payload => layers.payload.filter(|_| layers.protocol != protocol::UDP_LITE),
        }
    }

    /// Returns the end of the bytes that belong to the layer or follow it. Ethernet padding does not belong to an IP
    /// packet.
    #[inline]
    fn end(self, layers: &Layers, head: &[u8]) -> usize {
        match self {
            Self::Ethernet | Self::Vlan => head.len(),
            _ => layers.network_end.min(head.len()),
        }
    }
}

/// Returns true for ICMP in IPv4 and ICMPv6 in IPv6.
pub(super) fn is_icmp(layers: &Layers) -> bool {
    matches!((layers.network, layers.protocol), (Network::Ipv4, protocol::ICMP) | (Network::Ipv6, protocol::ICMPV6))
}

impl Bits {
    /// Returns the range of bytes in the head that contains the bits, if all of them are present.
    #[inline]
    pub(super) fn range(&self, layers: &Layers, head: &[u8]) -> Option<std::ops::Range<usize>> {
        let start = self.layer.start(layers)? + usize::from(self.offset);
        let end = start + usize::from(self.length);
        (end <= self.layer.end(layers, head)).then_some(start..end)
    }

    #[inline]
    fn load(&self, view: &View<'_>) -> Option<u64> {
        let range = self.range(&view.layers, view.head)?;
        Some((number(&view.head[range]) >> self.shift) & self.mask)
    }
}

/// Reads up to eight bytes as a big-endian number.
#[inline]
pub(super) fn number(bytes: &[u8]) -> u64 {
    match *bytes {
        [a] => u64::from(a),
        [a, b] => u64::from(u16::from_be_bytes([a, b])),
        [a, b, c, d] => u64::from(u32::from_be_bytes([a, b, c, d])),
        _ => bytes.iter().fold(0, |number, &byte| number << 8 | u64::from(byte)),
    }
}

impl HeaderBits {
    /// Returns the number of bytes from the start of the header to the end of the bits, in either IP version.
    pub(super) fn depth(&self) -> usize {
        let ends =
            [Some(self.bits), self.in_ipv6].map(|bits| bits.map_or(0, |bits| bits.offset + u16::from(bits.length)));
        usize::from(ends[0].max(ends[1]))
    }

    /// Returns the bits in the IP version of a packet.
    #[inline]
    pub(super) fn bits(&self, layers: &Layers) -> &Bits {
        match &self.in_ipv6 {
            Some(bits) if layers.network == Network::Ipv6 => bits,
            _ => &self.bits,
        }
    }
}

impl Source {
    /// Returns the time of arrival as programs see it: microseconds modulo 2^32.
    #[inline]
    pub fn value_of_arrival(at: Instant) -> u64 {
        at.microseconds() & 0xFFFF_FFFF
    }

    /// Returns the value for a packet; `None` if the packet has no such part.
    #[inline]
    pub(super) fn load(&self, view: &View<'_>) -> Option<u64> {
        let layers = &view.layers;
        Some(match self {
            Self::Constant(value) => *value,
            Self::Arrival => Self::value_of_arrival(view.packet.sidecar.arrival),
            Self::Length => u64::from(view.packet.sidecar.original_length),
            Self::Port => u64::from(view.port),
            Self::EtherType => u64::from(layers.ether_type?),
            Self::IpVersion => match layers.network {
                Network::None => return None,
                Network::Ipv4 => 4,
                Network::Ipv6 => 6,
            },
            Self::IpSource => address(view, 12, 8)?,
            Self::IpDestination => address(view, 16, 24)?,
            Self::IpProtocol => {
                Layer::Ip.start(layers)?;
                u64::from(layers.protocol)
            }
            Self::IpLength => (layers.network_end - Layer::Ip.start(layers)?) as u64,
            Self::PayloadLength => (layers.network_end - Layer::Payload.start(layers)?) as u64,
            Self::FlowHash => FiveTuple::at(layers, view.head)?.hash() >> 33,
            Self::Header(field) => field.bits(layers).load(view)?,
        })
    }
}

/// Reads an address at its offset in the header of either version.
#[inline]
fn address(view: &View<'_>, in_ipv4: usize, in_ipv6: usize) -> Option<u64> {
    let start = view.layers.network_start;
    match view.layers.network {
        Network::None => None,
        Network::Ipv4 => Some(number(view.head.get(start + in_ipv4..start + in_ipv4 + 4)?)),
        Network::Ipv6 => {
            let words = view.head.get(start + in_ipv6..start + in_ipv6 + 16)?.chunks_exact(4);
            Some(words.fold(0, |folded, word| folded ^ number(word)))
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Constant(value) => write!(f, "{value}"),
            Self::Header(field) => f.write_str(&field.path),
            other => f.write_str(super::path::name_of(other)),
        }
    }
}
