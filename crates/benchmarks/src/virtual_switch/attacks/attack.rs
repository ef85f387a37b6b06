//! The packets of attacks.

use wire::{Ipv6, Packet, ether_type, protocol, tcp::flag};

use crate::virtual_switch::frames::{Ends, datagram, ethernet, ip, tcp, udp};
use crate::virtual_switch::network::{CLIENT, NEIGHBOUR, SERVER};

/// Makes the packet of a number.
pub type Attack = fn(u32) -> Packet;

/// The guest that attacks, and the one that it attacks.
const ATTACKER: u8 = CLIENT;
const ENDS: Ends = Ends { sender: ATTACKER, source: ATTACKER, receiver: SERVER };

pub const ATTACKS: [(&str, Attack); 11] = [
    ("datagrams of 64 connections", harmless),
    ("spoofed source address", |number| udp(Ends { source: 9, ..ENDS }, [number as u16, 53])),
    ("a flood of SYN", |number| syn(number, 80 + (number >> 16) as u16 % 8)),
    ("a scan of denied ports", |number| syn(number, 1000 + (number >> 16) as u16)),
    ("datagrams to ever new ports", |number| udp(ENDS, [number as u16, (1000 + (number >> 16)) as u16])),
    ("fragments without a first one", |number| fragment(number, 185)),
    ("first fragments without further ones", |number| fragment(number, 0)),
    ("IPv4 with 40 bytes of options", |number| options(7000 + (number % 64) as u16)),
    ("IPv6 with eight extension headers", |number| extensions(number, 8)),
    ("IPv6 with sixty extension headers", |number| extensions(number, 60)),
    ("frames that are no packets", |number| {
        let mut packet = udp(ENDS, [number as u16, 53]);
        packet.head.bytes_mut()[14] = 0x4F;
        packet
    }),
];

/// Makes the packet of a number of a guest that has 64 connections and does not attack.
pub fn harmless(number: u32) -> Packet {
    connection(ATTACKER, number)
}

/// Makes the packet of a number of the neighbour.
pub fn of_neighbour(number: u32) -> Packet {
    connection(NEIGHBOUR, number)
}

/// Makes the packet of a number of a guest that has 64 connections to the one that is attacked.
fn connection(guest: u8, number: u32) -> Packet {
    udp(Ends::new(guest, SERVER), [7000 + (number % 64) as u16, 53])
}

/// A fragment behind so many units of eight bytes, of a datagram of its own; others follow.
fn fragment(number: u32, offset: u16) -> Packet {
    const MORE: u16 = 0x2000;
    ip(ENDS, protocol::UDP, [MORE | offset, number as u16], &[], &datagram([7000, 53])[..24])
}

fn syn(number: u32, to: u16) -> Packet {
    tcp(ENDS, [number as u16, to], flag::SYN, [0; 2], 0)
}

/// As many options as IPv4 has room for, each of one byte (RFC 791, section 3.1: no operation).
fn options(from: u16) -> Packet {
    ip(ENDS, protocol::UDP, [0; 2], &[1; 40], &datagram([from, 53]))
}

/// A datagram behind so many headers with destination options (RFC 8200, section 4.6).
fn extensions(number: u32, count: usize) -> Packet {
    const DESTINATION_OPTIONS: u8 = 60;
    let mut payload = Vec::new();
    for left in (0..count).rev() {
        let next = if left == 0 { protocol::UDP } else { DESTINATION_OPTIONS };
        // Four bytes of padding in an option PadN.
        payload.extend_from_slice(&[next, 0, 1, 4, 0, 0, 0, 0]);
    }
    payload.extend_from_slice(&datagram([7000 + (number % 64) as u16, 53]));
    let mut bytes = ethernet(ENDS, ether_type::IPV6);
    bytes.resize(14 + 40, 0);
    bytes.extend_from_slice(&payload);
    let mut ip = Ipv6::new(&mut bytes[14..]).expect("there is room");
    ip.set_version_class_flow(6 << 28);
    ip.set_payload_length(payload.len() as u16);
    ip.set_next_header(DESTINATION_OPTIONS);
    ip.set_hop_limit(64);
    ip.set_source_bits(0xFD00 << 112 | u128::from(ATTACKER));
    ip.set_destination_bits(0xFD00 << 112 | u128::from(SERVER));
    Packet::of_bytes(&bytes)
}
