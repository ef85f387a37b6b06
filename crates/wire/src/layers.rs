//! Where the headers of a packet lie, found in one pass over its head.

use crate::{Ethernet, Ipv4, Ipv6, LinkLayer, Packet, Tcp, VlanTag, ether_type, protocol};

/// Which network layer a packet has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Network {
    /// None that we read, or one whose fixed header is cut or contradicts itself.
    #[default]
    None,
    /// IPv4.
    Ipv4,
    /// IPv6.
    Ipv6,
}

/// Where the headers of a packet lie: offsets in bytes from the start of its head.
///
/// A header is there when its fixed part is in the head, except for the transport header, of which a capture may
/// have cut all but the ports: whoever reads it checks the bytes that he reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Layers {
    /// The EtherType after all VLAN tags; `None` if the link layer has none or it is cut.
    pub ether_type: Option<u16>,
    /// The outermost VLAN tag.
    pub outer_vlan: Option<usize>,
    /// The innermost VLAN tag; the same as the outermost if there is one only.
    pub inner_vlan: Option<usize>,
    /// Which network layer there is.
    pub network: Network,
    /// Where it starts, if there is one.
    pub network_start: usize,
    /// Where the network layer's packet ends by its own account; beyond the head if the capture was cut. Ethernet
    /// pads short frames, and the padding is no payload.
    pub network_end: usize,
    /// What the IP packet carries, after all extension headers; meaningful if there is a network layer.
    pub protocol: u8,
    /// True if this is a fragment of a larger datagram, the first one included.
    pub is_fragment: bool,
    /// Where the transport header starts. None in fragments but the first, and where encryption or a chain of
    /// extension headers that is cut or contradicts itself hides it.
    pub transport: Option<usize>,
    /// Where the payload of TCP, UDP, UDP-Lite or ICMP starts.
    pub payload: Option<usize>,
}

/// More VLAN tags or extension headers than this in one packet are an attack or noise (RFC 8504, section 5.3, lets
/// a host refuse long chains).
const LONGEST_CHAIN: usize = 8;

impl Layers {
    /// The layers of a packet.
    pub fn of(packet: &Packet) -> Self {
        Self::parse(packet.sidecar.link, packet.head.bytes(), packet.len())
    }

    /// The layers of a packet whose first bytes are `head` and which is `length` bytes long in all.
    pub fn parse(link: LinkLayer, head: &[u8], length: usize) -> Self {
        let mut layers = Self::default();
        if let Some((ether_type, start)) = layers.parse_link(link, head) {
            match ether_type {
                ether_type::IPV4 => layers.parse_ipv4(head, start, length),
                ether_type::IPV6 => layers.parse_ipv6(head, start, length),
                _ => {}
            }
        }
        layers
    }

    /// True if the transport header starts with a source and a destination port of 16 bits.
    pub fn has_ports(&self) -> bool {
        use protocol::{DCCP, SCTP, TCP, UDP, UDP_LITE};
        self.transport.is_some() && matches!(self.protocol, TCP | UDP | SCTP | DCCP | UDP_LITE)
    }

    /// The EtherType after all tags, and where its header starts.
    fn parse_link(&mut self, link: LinkLayer, head: &[u8]) -> Option<(u16, usize)> {
        let word = |at: usize| Some(u16::from_be_bytes([*head.get(at)?, *head.get(at + 1)?]));
        let (mut ether_type, mut start) = match link {
            LinkLayer::Ethernet => (Ethernet::new(head)?.ether_type(), Ethernet::<&[u8]>::LENGTH),
            // tcpdump.org, LINKTYPE_LINUX_SLL and LINKTYPE_LINUX_SLL2: the protocol is last, or first.
            LinkLayer::LinuxCooked => (word(14)?, 16),
            LinkLayer::LinuxCookedV2 => (word(0)?, 20),
            LinkLayer::Ip => return Some((ether_type_of_version(*head.first()?)?, 0)),
            LinkLayer::Null | LinkLayer::Loopback => {
                // Families are small numbers, so the byte order shows; some writers of either type use the other.
                let family = [word(0)?, word(2)?];
                let family = if family[0] == 0 { family[1] } else { family[0].swap_bytes() };
                // 2 is IPv4 everywhere; IPv6 is 10 on Linux, 24 on NetBSD, 28 on FreeBSD, 30 on Darwin.
                return match family {
                    2 => Some((ether_type::IPV4, 4)),
                    10 | 24 | 28 | 30 => Some((ether_type::IPV6, 4)),
                    _ => None,
                };
            }
            LinkLayer::Record => return None,
        };
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
        // A total length of 0 means that a network card was to cut the packet into segments: it goes to the end.
        let total_length = match usize::from(header.total_length()) {
            0 => length - start,
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
        // A payload length of 0 is a jumbogram (RFC 2675) or work for a network card; both go to the end.
        self.network_end = match usize::from(header.payload_length()) {
            0 => length,
            payload_length => next + payload_length,
        };
        self.protocol = header.next_header();
        for _ in 0..LONGEST_CHAIN {
            let Some(extension) = head.get(next..).filter(|extension| extension.len() >= 8) else { break };
            // RFC 8200, section 4: next header, then length in units of 8 bytes without the first.
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
                // RFC 4302, section 2.2: in units of 4 bytes without the first two.
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
