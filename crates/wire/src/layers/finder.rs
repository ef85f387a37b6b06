//! The search for the headers of a packet.

use super::{Layers, Network};
use crate::{Ethernet, Ipv4, Ipv6, LinkLayer, Tcp, VlanTag, ether_type, protocol};

/// The most VLAN tags, and the most extension headers, that are looked for in one packet. Longer chains are an attack or
/// noise (RFC 8504, section 5.3, lets a host refuse them).
const LONGEST_CHAIN: usize = 8;
/// The length of the shortest transport header that is wanted whole. Those of all protocols that have ports are at least so long.
const SHORTEST_TRANSPORT: usize = 8;

/// The search for the headers of a packet, in one pass over the bytes at hand.
pub(super) struct Finder<'h> {
    head: &'h [u8],
    /// What was found.
    pub layers: Layers,
    /// The end of the header at which the search has stopped because `head` ends within it or before it; 0 if there is none.
    pub wanted: usize,
}

impl<'h> Finder<'h> {
    /// Looks for the headers of a frame that begins at an offset of `head` and ends at `length`.
    #[inline]
    pub fn find(link: LinkLayer, head: &'h [u8], start: usize, length: usize) -> Self {
        let mut finder = Self { head, layers: Layers::default(), wanted: 0 };
        if let Some((ether_type, start)) = finder.find_link(link, start) {
            match ether_type {
                ether_type::IPV4 => finder.find_ipv4(start, length),
                ether_type::IPV6 => finder.find_ipv6(start, length),
                _ => {}
            }
        }
        finder
    }

    /// Returns the bytes at hand from an offset on, at least so many; `None` if there are fewer, which are wanted then.
    #[inline]
    fn bytes(&mut self, start: usize, length: usize) -> Option<&'h [u8]> {
        let bytes = self.head.get(start..).filter(|bytes| bytes.len() >= length);
        if bytes.is_none() {
            self.wanted = start + length;
        }
        bytes
    }

    /// Returns the EtherType after all tags and the offset of the header that it announces.
    fn find_link(&mut self, link: LinkLayer, frame: usize) -> Option<(u16, usize)> {
        let length = match link {
            LinkLayer::Ethernet => Ethernet::<&[u8]>::LENGTH,
            LinkLayer::LinuxCooked => 16,
            LinkLayer::LinuxCookedV2 => 20,
            LinkLayer::Ip => 1,
            LinkLayer::Null | LinkLayer::Loopback => 4,
            LinkLayer::Record => return None,
        };
        let header = self.bytes(frame, length)?;
        let word = |at: usize| u16::from_be_bytes([header[at], header[at + 1]]);
        let mut ether_type = match link {
            LinkLayer::Ethernet => word(12),
            // tcpdump.org, LINKTYPE_LINUX_SLL and LINKTYPE_LINUX_SLL2: the protocol is the last field of the former
            // and the first of the latter.
            LinkLayer::LinuxCooked => word(14),
            LinkLayer::LinuxCookedV2 => word(0),
            LinkLayer::Ip => return Some((ether_type_of_version(header[0])?, frame)),
            LinkLayer::Null | LinkLayer::Loopback | LinkLayer::Record => {
                // Address families are small numbers, so the byte order can be detected; some writers of either link
                // type use the wrong one.
                let family = [word(0), word(2)];
                let family = if family[0] == 0 { family[1] } else { family[0].swap_bytes() };
                // 2 is IPv4 everywhere; IPv6 is 10 on Linux, 24 on NetBSD, 28 on FreeBSD, 30 on Darwin.
                return match family {
                    2 => Some((ether_type::IPV4, frame + 4)),
                    10 | 24 | 28 | 30 => Some((ether_type::IPV6, frame + 4)),
                    _ => None,
                };
            }
        };
        let mut start = frame + length;
        let mut tags = 0;
        while ether_type::is_vlan(ether_type) && tags < LONGEST_CHAIN {
            let Some(tag) = self.bytes(start, VlanTag::<&[u8]>::LENGTH).and_then(VlanTag::new) else { break };
            self.layers.outer_vlan.get_or_insert(start);
            self.layers.inner_vlan = Some(start);
            ether_type = tag.ether_type();
            start += VlanTag::<&[u8]>::LENGTH;
            tags += 1;
        }
        self.layers.ether_type = Some(ether_type);
        Some((ether_type, start))
    }

    fn find_ipv4(&mut self, start: usize, length: usize) {
        let Some(header) = self.bytes(start, Ipv4::<&[u8]>::LENGTH).and_then(Ipv4::new) else { return };
        let header_length = header.header_length();
        // A total length of 0 means that segmentation was left to the network card: the packet extends to the end.
        let total_length = match usize::from(header.total_length()) {
            0 => length.saturating_sub(start),
            total_length => total_length,
        };
        if header.version() != 4 || header_length < Ipv4::<&[u8]>::LENGTH || total_length < header_length {
            return;
        }
        let layers = &mut self.layers;
        layers.network = Network::Ipv4;
        layers.network_start = start;
        layers.network_end = start + total_length;
        layers.protocol = header.protocol();
        layers.is_fragment = header.more_fragments() || header.fragment_offset() != 0;
        // The options of fragments without a transport header are wanted too.
        self.bytes(start, header_length);
        if header.fragment_offset() == 0 {
            self.find_transport(start + header_length);
        }
    }

    fn find_ipv6(&mut self, start: usize, length: usize) {
        let Some(header) = self.bytes(start, Ipv6::<&[u8]>::LENGTH).and_then(Ipv6::new) else { return };
        if header.version() != 6 {
            return;
        }
        let mut next = start + Ipv6::<&[u8]>::LENGTH;
        self.layers.network = Network::Ipv6;
        self.layers.network_start = start;
        // A payload length of 0 means a jumbogram (RFC 2675) or segmentation offload; both extend to the end.
        self.layers.network_end = match usize::from(header.payload_length()) {
            0 => length,
            payload_length => next + payload_length,
        };
        self.layers.protocol = header.next_header();
        for _ in 0..LONGEST_CHAIN {
            let number = self.layers.protocol;
            if !is_extension(number) {
                break;
            }
            let Some(extension) = self.bytes(next, 8) else { break };
            // RFC 8200, section 4: next header, then the length in units of 8 bytes, not counting the first 8 bytes.
            let units = usize::from(extension[1]);
            let extension_length = match number {
                protocol::FRAGMENT => {
                    let fragmentation = u16::from_be_bytes([extension[2], extension[3]]);
                    self.layers.is_fragment |= fragmentation & 0xFFF9 != 0;
                    if fragmentation & 0xFFF8 != 0 {
                        self.layers.protocol = extension[0];
                        return;
                    }
                    8
                }
                // RFC 4302, section 2.2: the length in units of 4 bytes, not counting the first two units.
                protocol::AUTHENTICATION => (units + 2) * 4,
                _ => (units + 1) * 8,
            };
            self.layers.protocol = extension[0];
            next += extension_length;
        }
        if !is_extension(self.layers.protocol) && self.layers.protocol != protocol::NO_NEXT_HEADER {
            self.find_transport(next);
        }
    }

    fn find_transport(&mut self, start: usize) {
        let number = self.layers.protocol;
        if number == protocol::ESP {
            return;
        }
        let end = self.layers.network_end.min(self.head.len());
        if start >= end {
            self.bytes(start, SHORTEST_TRANSPORT);
            return;
        }
        self.layers.transport = Some(start);
        let header_length = match number {
            protocol::TCP => {
                self.bytes(start, Tcp::<&[u8]>::LENGTH);
                match Tcp::new(&self.head[start..end]) {
                    Some(header) if header.header_length() >= Tcp::<&[u8]>::LENGTH => header.header_length(),
                    _ => return,
                }
            }
            protocol::UDP | protocol::UDP_LITE | protocol::ICMP | protocol::ICMPV6 => 8,
            _ => {
                self.bytes(start, SHORTEST_TRANSPORT);
                return;
            }
        };
        self.bytes(start, header_length);
        let payload = start + header_length;
        self.layers.payload = (payload <= self.layers.network_end).then_some(payload);
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
