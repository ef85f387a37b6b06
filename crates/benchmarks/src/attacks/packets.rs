//! The packets of attacks.

use wire::{Ethernet, Ipv4, Ipv6, Packet, Tcp, Udp, ether_type, protocol, tcp::flag};

/// The number of a guest: the last byte of its addresses.
pub const ATTACKER: u8 = 1;
pub const VICTIM: u8 = 2;
pub const NEIGHBOUR: u8 = 3;

/// Makes the packet of a number.
pub type Attack = fn(u32) -> Packet;

pub const ATTACKS: [(&str, Attack); 11] = [
    ("datagrams of 64 connections", |number| connection(ATTACKER, number)),
    ("spoofed source address", |number| udp([ATTACKER, 9], number as u16, 53)),
    ("a flood of SYN", |number| syn(number, 80 + (number >> 16) as u16 % 8)),
    ("a scan of denied ports", |number| syn(number, 1000 + (number >> 16) as u16)),
    ("datagrams to ever new ports", |number| udp([ATTACKER; 2], number as u16, (1000 + (number >> 16)) as u16)),
    ("fragments without a first one", |number| fragment(number, 185)),
    ("first fragments without further ones", |number| fragment(number, 0)),
    ("IPv4 with 40 bytes of options", |number| options(7000 + (number % 64) as u16)),
    ("IPv6 with eight extension headers", |number| extensions(number, 8)),
    ("IPv6 with sixty extension headers", |number| extensions(number, 60)),
    ("frames that are no packets", |number| {
        let mut packet = udp([ATTACKER; 2], number as u16, 53);
        packet.head.bytes_mut()[14] = 0x4F;
        packet
    }),
];

/// Makes the packet of a number of a guest that has 64 connections to the victim.
pub fn connection(guest: u8, number: u32) -> Packet {
    udp([guest; 2], 7000 + (number % 64) as u16, 53)
}

/// Returns the Ethernet address of a guest.
fn mac(guest: u8) -> [u8; 6] {
    [2, 0, 0, 0, 0, guest]
}

/// Makes an Ethernet header of a frame from a guest to the victim.
fn ethernet(guest: u8, kind: u16) -> Vec<u8> {
    let mut bytes = vec![0; 14];
    bytes[..6].copy_from_slice(&mac(VICTIM));
    bytes[6..12].copy_from_slice(&mac(guest));
    Ethernet::new(&mut bytes[..]).expect("there is room").set_ether_type(kind);
    bytes
}

/// Makes an IPv4 packet of a transport header. `from` are the guest that sends it and the one whose source address it has.
fn ip(from: [u8; 2], number: u8, [fragment, identification]: [u16; 2], options: &[u8], transport: &[u8]) -> Packet {
    let [guest, source] = from;
    let mut bytes = ethernet(guest, ether_type::IPV4);
    let header = 20 + options.len();
    bytes.resize(14 + 20, 0);
    bytes.extend_from_slice(options);
    bytes.extend_from_slice(transport);
    bytes.resize(bytes.len().max(60), 0);
    bytes[18..20].copy_from_slice(&identification.to_be_bytes());
    bytes[20..22].copy_from_slice(&fragment.to_be_bytes());
    let mut ip = Ipv4::new(&mut bytes[14..]).expect("there is room");
    ip.set_version_and_length(0x40 | (header / 4) as u8);
    ip.set_total_length((header + transport.len()) as u16);
    ip.set_time_to_live(64);
    ip.set_protocol(number);
    ip.set_source_bits(0x0A00_0100 | u32::from(source));
    ip.set_destination_bits(0x0A00_0100 | u32::from(VICTIM));
    let sum = wire::checksum::of(&bytes[14..14 + header]);
    bytes[24..26].copy_from_slice(&sum.to_be_bytes());
    Packet::of_bytes(&bytes)
}

fn datagram(from: u16, to: u16) -> [u8; 26] {
    let mut bytes = [0; 26];
    bytes[..2].copy_from_slice(&from.to_be_bytes());
    bytes[2..4].copy_from_slice(&to.to_be_bytes());
    Udp::new(&mut bytes[..]).expect("there is room").set_length(26);
    bytes
}

fn udp(from: [u8; 2], source_port: u16, to: u16) -> Packet {
    ip(from, protocol::UDP, [0; 2], &[], &datagram(source_port, to))
}

/// A fragment behind so many units of eight bytes, of a datagram of its own; others follow.
fn fragment(number: u32, offset: u16) -> Packet {
    const MORE: u16 = 0x2000;
    ip([ATTACKER; 2], protocol::UDP, [MORE | offset, number as u16], &[], &datagram(7000, 53)[..24])
}

fn syn(number: u32, to: u16) -> Packet {
    let mut bytes = [0; 20];
    bytes[..2].copy_from_slice(&(number as u16).to_be_bytes());
    bytes[2..4].copy_from_slice(&to.to_be_bytes());
    Tcp::new(&mut bytes[..]).expect("there is room").set_header_length_and_flags(20, flag::SYN);
    ip([ATTACKER; 2], protocol::TCP, [0; 2], &[], &bytes)
}

/// As many options as IPv4 has room for, each of one byte (RFC 791, section 3.1: no operation).
fn options(from: u16) -> Packet {
    ip([ATTACKER; 2], protocol::UDP, [0; 2], &[1; 40], &datagram(from, 53))
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
    payload.extend_from_slice(&datagram(7000 + (number % 64) as u16, 53));
    let mut bytes = ethernet(ATTACKER, ether_type::IPV6);
    bytes.resize(14 + 40, 0);
    bytes.extend_from_slice(&payload);
    let mut ip = Ipv6::new(&mut bytes[14..]).expect("there is room");
    ip.set_version_class_flow(6 << 28);
    ip.set_payload_length(payload.len() as u16);
    ip.set_next_header(DESTINATION_OPTIONS);
    ip.set_hop_limit(64);
    ip.set_source_bits(0xFD00 << 112 | u128::from(ATTACKER));
    ip.set_destination_bits(0xFD00 << 112 | u128::from(VICTIM));
    Packet::of_bytes(&bytes)
}
