//! The kinds of packets, by which hops are counted.

use wire::{Atp, Ethernet, Ipv4, atp, dscp, eqds, infiniband, ndp, protocol, switchml, trio_ml};

/// The names of the kinds, in the order of reports. [`kind`] returns an index into this list.
pub const KINDS: [&str; 22] = [
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
    "RDMA WRITE",
    "RDMA acknowledgement",
    "RDMA sequence error",
    "congestion notification",
    "gradients",
    "gradients that met a collision",
    "gradients sent again",
    "original gradients",
    "parameters",
    "requests for gradients",
];

/// Returns the kind of a packet by its head, as an index into [`KINDS`].
#[inline]
pub fn kind(head: &[u8]) -> u8 {
    const IP: usize = Ethernet::<&[u8]>::LENGTH;
    const UDP: usize = IP + Ipv4::<&[u8]>::LENGTH;
    const BEHIND_UDP: usize = UDP + 8;
    // Packets with IPv4 options, which no transport here sends, count as other packets.
    let (Some(&[0x08, 0x00, 0x45, traffic_class]), Some(&first)) =
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
    // Sums of SwitchML and Trio-ML go to the group of their workers, and contributions to switches.
    let of_switches = if head[IP + 16] >> 4 == 0b1110 { 20 } else { 16 };
    match u16::from_be_bytes([head[UDP + 2], head[UDP + 3]]) {
        ndp::PORT => of_ndp(first, traffic_class),
        eqds::PORT => of_eqds(first, traffic_class),
        infiniband::PORT => of_rocev2(&head[BEHIND_UDP..]),
        atp::PORT => of_atp(&head[BEHIND_UDP..]),
        trio_ml::PORT => of_switches,
        port if port & switchml::PORT_MASK == switchml::PORT => of_switches,
        _ => 0,
    }
}

/// Returns the kind of a packet of ATP: what becomes of gradients on their way shows in their flags.
fn of_atp(header: &[u8]) -> u8 {
    let Some(header) = Atp::new(header) else { return 0 };
    let has = |flag| header.has(flag);
    match has(atp::flag::ACK) {
        true if has(atp::flag::RESEND) || has(atp::flag::OVERFLOW) => 21,
        true => 20,
        false if has(atp::flag::OVERFLOW) => 19,
        false if has(atp::flag::COLLISION) => 17,
        false if has(atp::flag::RESEND) => 18,
        false => 16,
    }
}

/// Returns the kind of a data packet that switches may trim.
fn of_data(traffic_class: u8) -> u8 {
    match traffic_class >> 2 {
        dscp::TRIMMED | dscp::TRIMMED_AT_LAST_HOP => 2,
        dscp::RETURNED => 3,
        _ => 1,
    }
}

fn of_eqds(kind: u8, traffic_class: u8) -> u8 {
    match kind {
        eqds::kind::DATA => of_data(traffic_class),
        eqds::kind::ACK => 4,
        eqds::kind::NACK => 5,
        eqds::kind::CREDIT => 10,
        eqds::kind::RTS => 11,
        _ => 0,
    }
}

fn of_ndp(kind: u8, traffic_class: u8) -> u8 {
    match kind {
        ndp::kind::DATA => of_data(traffic_class),
        ndp::kind::ACK => 4,
        ndp::kind::NACK => 5,
        ndp::kind::PULL => 6,
        _ => 0,
    }
}

/// Returns the kind of a TCP segment. `packet` begins with the IPv4 header, which has no options.
fn of_tcp(packet: &[u8]) -> u8 {
    const IP: usize = Ipv4::<&[u8]>::LENGTH;
    let total = usize::from(u16::from_be_bytes([packet[2], packet[3]]));
    let headers = packet.get(IP + 12).map_or(0, |offset| IP + usize::from(offset >> 4) * 4);
    if total > headers { 8 } else { 9 }
}

/// Returns the kind of a RoCEv2 packet. `packet` begins with the base transport header.
fn of_rocev2(packet: &[u8]) -> u8 {
    use infiniband::{opcode, syndrome};
    match packet[0] {
        opcode::WRITE_FIRST..=opcode::WRITE_ONLY_IMMEDIATE => 12,
        opcode::ACKNOWLEDGE if packet.get(wire::Bth::<&[u8]>::LENGTH) == Some(&syndrome::SEQUENCE_ERROR) => 14,
        opcode::ACKNOWLEDGE => 13,
        opcode::CONGESTION_NOTIFICATION => 15,
        _ => 0,
    }
}

fn as_array(bytes: &[u8]) -> &[u8; 4] {
    bytes.try_into().expect("a slice of four")
}
