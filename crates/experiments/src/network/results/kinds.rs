//! Which kinds of packet went over lines.

use wire::{Ethernet, Ipv4, dscp, ndp, protocol};

/// The kinds, in the order in which reports name them; the numbers that [`kind`] gives.
pub const KINDS: [&str; 10] = [
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
];

/// The kind of a packet by its head: an index into [`KINDS`].
#[inline]
pub fn kind(head: &[u8]) -> u8 {
    const IP: usize = Ethernet::<&[u8]>::LENGTH;
    const UDP: usize = IP + Ipv4::<&[u8]>::LENGTH;
    const NDP: usize = UDP + 8;
    // Options, which nobody here sends, would move what lies behind; such packets are others.
    let (Some(&[0x08, 0x00, 0x45, traffic_class]), Some(&of_packet)) = (head.get(12..16).map(as_array), head.get(NDP))
    else {
        return if head.get(12..14) == Some(&[0x88, 0x08]) { 7 } else { 0 };
    };
    if head[IP + 9] == protocol::TCP {
        return of_tcp(&head[IP..]);
    }
    if head[IP + 9] != protocol::UDP || head[UDP + 2..UDP + 4] != ndp::PORT.to_be_bytes() {
        return 0;
    }
    match of_packet {
        ndp::kind::DATA => match traffic_class >> 2 {
            dscp::TRIMMED | dscp::TRIMMED_AT_LAST_HOP => 2,
            dscp::RETURNED => 3,
            _ => 1,
        },
        ndp::kind::ACK => 4,
        ndp::kind::NACK => 5,
        ndp::kind::PULL => 6,
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
