//! The offsets of the headers of a packet, found in one pass over its head.

mod finder;

use crate::{LinkLayer, Packet, Tail, protocol};
use finder::Finder;

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

/// Heads grow by a multiple of this, so that they do not grow for each header of a chain.
const STEP: usize = 64;

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
        Finder::find(link, head, start, length).layers
    }

    /// Finds the layers of a packet, and moves the bytes of its tail in which headers lie into its head before, as far as they are known.
    /// An interface fills the head without knowing how many headers there are.
    pub fn reach(packet: &mut Packet) -> Self {
        let (link, length) = (packet.sidecar.link, packet.len());
        Self::reach_from(link, packet, 0, length)
    }

    /// Finds the layers of a packet that stays as it is. If headers lie behind its head, as far as is known, the second is a copy whose head
    /// has them: the layers are those of the copy.
    #[inline]
    pub fn of_all(packet: &Packet) -> (Self, Option<Packet>) {
        let head = packet.head.bytes();
        let Finder { layers, wanted, .. } = Finder::find(packet.sidecar.link, head, 0, packet.len());
        if wanted <= head.len() || !matches!(packet.tail, Tail::Bytes(_)) {
            return (layers, None);
        }
        let mut copy = packet.clone();
        (Self::reach(&mut copy), Some(copy))
    }

    /// Does the same as [`Layers::reach`] with the headers of a frame that begins at an offset of the packet and ends at `end`, at most at
    /// the packet's end. Returns what [`Layers::parse_from`] returns for a head that has all of them.
    pub fn reach_from(link: LinkLayer, packet: &mut Packet, start: usize, end: usize) -> Self {
        loop {
            let head = packet.head.bytes();
            let in_head = head.len().min(end);
            let Finder { layers, wanted, .. } = Finder::find(link, &head[..in_head], start, end);
            if wanted <= in_head || !packet.lengthen_head(wanted.next_multiple_of(STEP).min(end)) {
                return layers;
            }
        }
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
}
