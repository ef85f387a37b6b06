//! Which kinds of packet went over lines.

use wire::{Ethernet, Ipv4, dscp, eqds, ndp, protocol};

/// The kinds, in the order in which reports name them; the numbers that [`kind`] gives.
pub const KINDS: [&str; 12] = [
    "other packets",
    "data",
    "data trimmed",
    "data returned to sender",
    "ACK",
    "NACK",
    "PULL",
    "flow control (IEEE 802.1Qbb)",
    "TCP with payload",
    "TCP without payload",
    "CREDIT",
    "RTS",
];

/// The kind of a packet by its head: an index into [`KINDS`].
#[inline]
pub fn kind(head: &[u8]) -> u8 {
    const IP: usize = Ethernet::<&[u8]>::LENGTH;
    const UDP: usize = IP + Ipv4::<&[u8]>::LENGTH;
    const BEHIND_UDP: usize = UDP + 8;
    // Options, which nobody here sends, would move what lies behind; such packets are others.
    let (Some(&[0x08, 0x00, 0x45, traffic_class]), Some(&of_packet)) =
        (head.get(12..16).map(as_array), head.get(BEHIND_UDP))
    else {
        return if head.get(12..14) == Some(&[0x88, 0x08]) { 7 } else { 0 };
    };
    if head[IP + 9] == protocol::TCP {
        return of_tcp(&head[IP..]);
    }
    if head[IP + 9] != protocol::UDP {
        return 0;
    }
    let of_data = || match traffic_class >> 2 {
        dscp::TRIMMED | dscp::TRIMMED_AT_LAST_HOP => 2,
        dscp::RETURNED => 3,
        _ => 1,
    };
    match (u16::from_be_bytes([head[UDP + 2], head[UDP + 3]]), of_packet) {
        (ndp::PORT, ndp::kind::DATA) | (eqds::PORT, eqds::kind::DATA) => of_data(),
        (ndp::PORT, ndp::kind::ACK) | (eqds::PORT, eqds::kind::ACK) => 4,
        (ndp::PORT, ndp::kind::NACK) | (eqds::PORT, eqds::kind::NACK) => 5,
        (ndp::PORT, ndp::kind::PULL) => 6,
        (eqds::PORT, eqds::kind::CREDIT) => 10,
        (eqds::PORT, eqds::kind::RTS) => 11,
        _ => 0,
    }
}

/// Of a segment, from its IPv4 header on, which is without options and longer than its own length.
fn of_tcp(packet: &[u8]) -> u8 {
    const IP: usize = Ipv4::<&[u8]>::LENGTH;
    let total = usize::from(u16::from_be_bytes([packet[2], packet[3]]));
    let headers = packet.get(IP + 12).map_or(0, |offset| IP + usize::from(offset >> 4) * 4);
    if total > headers { 8 } else { 9 }
}

fn as_array(bytes: &[u8]) -> &[u8; 4] {
    bytes.try_into().expect("a slice of four")
}
