//! The offsets of the headers of a packet, found in one pass over its head.

use crate::{Ethernet, Ipv4, Ipv6, LinkLayer, Packet, Tcp, VlanTag, ether_type, protocol};

/// The network layer of a packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Network {
    /// No supported network layer, or one whose fixed header is truncated or inconsistent.
    #[default]
    None,
    /// IPv4.
    Ipv4,
    /// IPv6.
    Ipv6,
}

/// The offsets of a packet's headers, in bytes from the start of its head. Of a packet in a tunnel, they are those of the
/// outer headers; [`crate::Tunnel`] has the others.
///
/// A header is reported if its fixed part is in the head. The transport header is an exception: a capture may have
/// truncated everything behind the ports, so readers must check the bytes that they read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Layers {
    /// The EtherType after all VLAN tags; `None` if the link layer has none or it is truncated.
    pub ether_type: Option<u16>,
    /// The offset of the outermost VLAN tag.
    pub outer_vlan: Option<usize>,
    /// The offset of the innermost VLAN tag, which is the outermost one if there is only one.
    pub inner_vlan: Option<usize>,
    /// The network layer.
    pub network: Network,
    /// The offset of the network header, if there is one.
    pub network_start: usize,
    /// The end of the network layer's packet according to its own length field, which lies beyond the head if the
    /// capture was truncated. The padding of short Ethernet frames lies behind it.
    pub network_end: usize,
    /// The protocol that the IP packet carries, after all extension headers; meaningful only if there is a network
    /// layer.
    pub protocol: u8,
    /// True if this is a fragment of a larger datagram, including the first one.
    pub is_fragment: bool,
    /// The offset of the transport header. `None` in fragments other than the first, and where the header is hidden by
    /// encryption or by a chain of extension headers that is truncated or inconsistent.
    pub transport: Option<usize>,
    /// The offset of the payload of TCP, UDP, UDP-Lite or ICMP.
    pub payload: Option<usize>,
}

/// The most VLAN tags, and the most extension headers, that are parsed in one packet. Longer chains are an attack or
/// noise (RFC 8504, section 5.3, lets a host refuse them).
const LONGEST_CHAIN: usize = 8;

impl Layers {
    /// Finds the layers of a packet.
    pub fn of(packet: &Packet) -> Self {
        Self::parse(packet.sidecar.link, packet.head.bytes(), packet.len())
    }

    /// Finds the layers of a packet that begins with `head` and is `length` bytes long in all, which is at least the
    /// length of `head`.
    pub fn parse(link: LinkLayer, head: &[u8], length: usize) -> Self {
        Self::parse_from(link, head, 0, length)
    }

    /// Finds the layers of a frame that begins at an offset of `head`. All offsets, as well as the end of the frame at
    /// `length`, count from the start of `head`.
    pub fn parse_from(link: LinkLayer, head: &[u8], start: usize, length: usize) -> Self {
        let mut layers = Self::default();
        if let Some((ether_type, start)) = layers.parse_link(link, head, start) {
            match ether_type {
                ether_type::IPV4 => layers.parse_ipv4(head, start, length),
                ether_type::IPV6 => layers.parse_ipv6(head, start, length),
                _ => {}
            }
        }
        layers
    }

    /// Returns the layers of the packet that is left when so many bytes in front of all of them are removed.
    #[must_use]
    pub fn without_front(self, bytes: usize) -> Self {
        let moved = |at: Option<usize>| at.map(|at| at - bytes);
        let start = |at: usize| if self.network == Network::None { 0 } else { at - bytes };
        Self {
            outer_vlan: moved(self.outer_vlan),
            inner_vlan: moved(self.inner_vlan),
            network_start: start(self.network_start),
            network_end: start(self.network_end),
            transport: moved(self.transport),
            payload: moved(self.payload),
            ..self
        }
    }

    /// Returns true if the transport header starts with a source and a destination port of 16 bits each.
    pub fn has_ports(&self) -> bool {
        use protocol::{DCCP, SCTP, TCP, UDP, UDP_LITE};
        self.transport.is_some() && matches!(self.protocol, TCP | UDP | SCTP | DCCP | UDP_LITE)
    }

    /// Returns the EtherType after all tags and the offset of the header that it announces.
    fn parse_link(&mut self, link: LinkLayer, head: &[u8], frame: usize) -> Option<(u16, usize)> {
        let word = |at: usize| Some(u16::from_be_bytes([*head.get(frame + at)?, *head.get(frame + at + 1)?]));
        let (mut ether_type, mut start) = match link {
            LinkLayer::Ethernet => (Ethernet::new(head.get(frame..)?)?.ether_type(), Ethernet::<&[u8]>::LENGTH),
            // tcpdump.org, LINKTYPE_LINUX_SLL and LINKTYPE_LINUX_SLL2: the protocol is the last field of the former
            // and the first of the latter.
            LinkLayer::LinuxCooked => (word(14)?, 16),
            LinkLayer::LinuxCookedV2 => (word(0)?, 20),
            LinkLayer::Ip => return Some((ether_type_of_version(*head.get(frame)?)?, frame)),
            LinkLayer::Null | LinkLayer::Loopback => {
                // Address families are small numbers, so the byte order can be detected; some writers of either link
                // type use the wrong one.
                let family = [word(0)?, word(2)?];
                let family = if family[0] == 0 { family[1] } else { family[0].swap_bytes() };
                // 2 is IPv4 everywhere; IPv6 is 10 on Linux, 24 on NetBSD, 28 on FreeBSD, 30 on Darwin.
                return match family {
                    2 => Some((ether_type::IPV4, frame + 4)),
                    10 | 24 | 28 | 30 => Some((ether_type::IPV6, frame + 4)),
                    _ => None,
                };
            }
            LinkLayer::Record => return None,
        };
        start += frame;
        let mut tags = 0;
        while ether_type::is_vlan(ether_type) && tags < LONGEST_CHAIN {
            let Some(tag) = head.get(start..).and_then(VlanTag::new) else { break };
            self.outer_vlan.get_or_insert(start);
            self.inner_vlan = Some(start);
            ether_type = tag.ether_type();
            start += VlanTag::<&[u8]>::LENGTH;
            tags += 1;
        }
        self.ether_type = Some(ether_type);
        Some((ether_type, start))
    }

    fn parse_ipv4(&mut self, head: &[u8], start: usize, length: usize) {
        let Some(header) = head.get(start..).and_then(Ipv4::new) else { return };
        let header_length = header.header_length();
        // A total length of 0 means that segmentation was left to the network card: the packet extends to the end.
        let total_length = match usize::from(header.total_length()) {
            0 => length.saturating_sub(start),
            total_length => total_length,
        };
        if header.version() != 4 || header_length < Ipv4::<&[u8]>::LENGTH || total_length < header_length {
            return;
        }
        self.network = Network::Ipv4;
        self.network_start = start;
        self.network_end = start + total_length;
        self.protocol = header.protocol();
        self.is_fragment = header.more_fragments() || header.fragment_offset() != 0;
        if header.fragment_offset() == 0 {
            self.parse_transport(head, start + header_length);
        }
    }

    fn parse_ipv6(&mut self, head: &[u8], start: usize, length: usize) {
        let Some(header) = head.get(start..).and_then(Ipv6::new) else { return };
        if header.version() != 6 {
            return;
        }
        let mut next = start + Ipv6::<&[u8]>::LENGTH;
        self.network = Network::Ipv6;
        self.network_start = start;
        // A payload length of 0 means a jumbogram (RFC 2675) or segmentation offload; both extend to the end.
        self.network_end = match usize::from(header.payload_length()) {
            0 => length,
            payload_length => next + payload_length,
        };
        self.protocol = header.next_header();
        for _ in 0..LONGEST_CHAIN {
            let Some(extension) = head.get(next..).filter(|extension| extension.len() >= 8) else { break };
            // RFC 8200, section 4: next header, then the length in units of 8 bytes, not counting the first 8 bytes.
            let units = usize::from(extension[1]);
            let extension_length = match self.protocol {
                protocol::FRAGMENT => {
                    let fragmentation = u16::from_be_bytes([extension[2], extension[3]]);
                    self.is_fragment |= fragmentation & 0xFFF9 != 0;
                    if fragmentation & 0xFFF8 != 0 {
                        self.protocol = extension[0];
                        return;
                    }
                    8
                }
                // RFC 4302, section 2.2: the length in units of 4 bytes, not counting the first two units.
                protocol::AUTHENTICATION => (units + 2) * 4,
                number if is_extension(number) => (units + 1) * 8,
                _ => break,
            };
            self.protocol = extension[0];
            next += extension_length;
        }
        if !is_extension(self.protocol) && self.protocol != protocol::NO_NEXT_HEADER {
            self.parse_transport(head, next);
        }
    }

    fn parse_transport(&mut self, head: &[u8], start: usize) {
        let end = self.network_end.min(head.len());
        if start >= end || self.protocol == protocol::ESP {
            return;
        }
        self.transport = Some(start);
        let header_length = match self.protocol {
            protocol::TCP => match Tcp::new(&head[start..end]) {
                Some(header) if header.header_length() >= Tcp::<&[u8]>::LENGTH => header.header_length(),
                _ => return,
            },
            protocol::UDP | protocol::UDP_LITE | protocol::ICMP | protocol::ICMPV6 => 8,
            _ => return,
        };
        let payload = start + header_length;
        self.payload = (payload <= self.network_end).then_some(payload);
    }
}

fn ether_type_of_version(first_byte: u8) -> Option<u16> {
    match first_byte >> 4 {
        4 => Some(ether_type::IPV4),
        6 => Some(ether_type::IPV6),
        _ => None,
    }
}

const fn is_extension(number: u8) -> bool {
    use protocol::{
        AUTHENTICATION, DESTINATION_OPTIONS, FRAGMENT, HOP_BY_HOP, HOST_IDENTITY, MOBILITY, ROUTING, SHIM6,
    };
    matches!(
        number,
        HOP_BY_HOP | ROUTING | FRAGMENT | AUTHENTICATION | DESTINATION_OPTIONS | MOBILITY | HOST_IDENTITY | SHIM6
    )
}
