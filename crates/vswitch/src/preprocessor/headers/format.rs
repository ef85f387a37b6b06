//! The bytes that the program writes in front of a frame. `docs/vswitch/metadata.md` describes them.

use wire::{Layers, LinkLayer, Network, Packet, ether_type, protocol};

use super::Headers;

/// The number of bytes, as many as arrive in front of frames in all modes of all drivers.
pub const LENGTH: usize = 16;
/// The version of the layout, which changes the mark.
const VERSION: u64 = 1;

// The offsets of the parts.
pub const MARK: i16 = 0;
pub const FLAGS: i16 = 4;
/// The outer network layer; the inner one's is known from the outer transport layer and the number of inner VLAN tags.
pub const OUTER_NETWORK: i16 = 5;
pub const OUTER: Place = Place { transport: 6, payload: 7, end: 8, protocol: 10 };
pub const INNER: Place = Place { transport: 12, payload: 13, end: 14, protocol: 11 };

/// The parts that both frames have, by their offsets.
pub struct Place {
    /// The offset of the transport header; 0 in fragments other than the first.
    pub transport: i16,
    /// The offset of the payload behind it; 0 likewise.
    pub payload: i16,
    /// The end of the network layer's packet, two bytes in the order of the processor.
    pub end: i16,
    /// The protocol behind all extension headers.
    pub protocol: i16,
}

/// The flags of a frame, in the lowest bits for the outer one, and shifted by [`flag::OF_INNER`] for the inner one.
pub mod flag {
    /// The headers were found.
    pub const FOUND: u8 = 1;
    /// The network layer is IPv6, else it is IPv4.
    pub const IPV6: u8 = 2;
    /// It is a fragment.
    pub const FRAGMENT: u8 = 4;
    /// The place of the inner frame's flags.
    pub const OF_INNER: u8 = 3;
    /// The place of the number of the inner frame's VLAN tags, in two bits.
    pub const INNER_TAGS: u8 = 6;
}

/// The number of bytes of a frame in which the program looks for headers: interfaces put so many into the heads of packets, where software
/// looks for them.
pub const LOOKED_AT: usize = 128;
/// The most VLAN tags that the program reads.
pub const MOST_TAGS: usize = 2;

/// The first four bytes of what a switch's program writes. They are drawn when the switch starts, so that nobody else's bytes are taken
/// for the program's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark(pub(super) u32);

impl Mark {
    /// Returns the mark of a switch by the key of its hash, which nobody else knows.
    pub fn of(keys: [u64; 2]) -> Self {
        // The upper half is not what other marks are made of.
        Self((basis::mix(basis::mix(keys[0] ^ VERSION) ^ keys[1]) >> 32) as u32)
    }
}

/// What stands in front of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// The program has found these headers.
    Headers(Headers),
    /// The program has left them to software.
    Left,
    /// Bytes that the program has not written, or not about this packet.
    Foreign,
}

/// Reads what stands in front of a packet. Whatever that is, the headers that it returns lie within the packet's head and follow each other.
pub fn read(packet: &Packet, mark: Mark) -> Written {
    let Some(bytes) = packet.head.metadata().first_chunk::<LENGTH>() else { return Written::Foreign };
    let is_marked = bytes[..4] == mark.0.to_ne_bytes();
    // In a shorter head software would find less.
    let is_seen = packet.head.len() >= LOOKED_AT.min(packet.len());
    if !is_marked || !is_seen || packet.sidecar.link != LinkLayer::Ethernet {
        return Written::Foreign;
    }
    let flags = bytes[FLAGS as usize];
    if flags & flag::FOUND == 0 {
        return Written::Left;
    }
    let head = packet.head.len();
    let Some(outer) = layers(bytes, &OUTER, flags, 0, usize::from(bytes[OUTER_NETWORK as usize]), head) else {
        return Written::Foreign;
    };
    let of_inner = flags >> flag::OF_INNER;
    let inner = if of_inner & flag::FOUND != 0 {
        // UDP, VXLAN, Ethernet.
        let start = outer.transport.map(|transport| transport + 8 + 8);
        let network = |start| start + 14 + 4 * usize::from(flags >> flag::INNER_TAGS);
        let inner = start.and_then(|start| layers(bytes, &INNER, of_inner, start, network(start), head));
        let is_udp = outer.protocol == protocol::UDP && outer.payload.map(|payload| payload + 8) == start;
        let Some(inner) = inner.filter(|_| is_udp) else { return Written::Foreign };
        Some(inner)
    } else {
        None
    };
    Written::Headers(Headers { outer, inner })
}

/// Returns the layers of the frame that begins at `start`, with its network layer at `network`; `None` if they do not follow each other
/// within a head of so many bytes.
fn layers(bytes: &[u8; LENGTH], place: &Place, flags: u8, start: usize, network: usize, head: usize) -> Option<Layers> {
    let at = |offset: i16| usize::from(bytes[offset as usize]);
    let [transport, payload] = [at(place.transport), at(place.payload)];
    let end = usize::from(u16::from_ne_bytes([bytes[place.end as usize], bytes[place.end as usize + 1]]));
    let first_tag = start + 14;
    let tags = network.checked_sub(first_tag).filter(|length| length % 4 == 0 && *length <= 4 * MOST_TAGS)?;
    let (kind, ether_type, length) = match flags & flag::IPV6 {
        0 => (Network::Ipv4, ether_type::IPV4, 20),
        _ => (Network::Ipv6, ether_type::IPV6, 40),
    };
    let is_fragment = flags & flag::FRAGMENT != 0;
    let follow = if transport == 0 {
        is_fragment && payload == 0 && network + length <= head.min(end)
    } else {
        network + length <= transport && transport + 8 <= payload.min(head) && payload <= end
    };
    follow.then(|| Layers {
        ether_type: Some(ether_type),
        outer_vlan: (tags > 0).then_some(first_tag),
        inner_vlan: (tags > 0).then(|| network - 4),
        network: kind,
        network_start: network,
        network_end: end,
        protocol: bytes[place.protocol as usize],
        is_fragment,
        transport: (transport > 0).then_some(transport),
        payload: (payload > 0).then_some(payload),
    })
}
