//! The frames that guests send.

use wire::{Ethernet, Ipv4, Packet, Tcp, Udp, ether_type, protocol};

/// The ends of a frame: guests, by the last byte of their addresses.
#[derive(Clone, Copy, Debug)]
pub struct Ends {
    /// The guest that sends the frame.
    pub sender: u8,
    /// The guest whose IP address is its source address.
    pub source: u8,
    /// The guest that it is for.
    pub receiver: u8,
}

impl Ends {
    /// Returns the ends of a frame that has the source address of its sender.
    pub fn new(sender: u8, receiver: u8) -> Self {
        Self { sender, source: sender, receiver }
    }
}

/// Returns the Ethernet address of a guest.
fn mac(guest: u8) -> [u8; 6] {
    [2, 0, 0, 0, 0, guest]
}

/// Makes an Ethernet header.
pub fn ethernet(ends: Ends, kind: u16) -> Vec<u8> {
    let mut bytes = vec![0; 14];
    bytes[..6].copy_from_slice(&mac(ends.receiver));
    bytes[6..12].copy_from_slice(&mac(ends.sender));
    Ethernet::new(&mut bytes[..]).expect("there is room").set_ether_type(kind);
    bytes
}

/// Makes an IPv4 packet of a transport header and its payload, in a frame of at least 60 bytes.
pub fn ip(ends: Ends, number: u8, [fragment, identification]: [u16; 2], options: &[u8], transport: &[u8]) -> Packet {
    let mut bytes = ethernet(ends, ether_type::IPV4);
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
    ip.set_source_bits(0x0A00_0100 | u32::from(ends.source));
    ip.set_destination_bits(0x0A00_0100 | u32::from(ends.receiver));
    let sum = wire::checksum::of(&bytes[14..14 + header]);
    bytes[24..26].copy_from_slice(&sum.to_be_bytes());
    Packet::of_bytes(&bytes)
}

/// Makes a datagram of 18 bytes of data.
pub fn datagram([from, to]: [u16; 2]) -> [u8; 26] {
    let mut bytes = [0; 26];
    bytes[..2].copy_from_slice(&from.to_be_bytes());
    bytes[2..4].copy_from_slice(&to.to_be_bytes());
    Udp::new(&mut bytes[..]).expect("there is room").set_length(26);
    bytes
}

/// Makes a frame with a datagram of 18 bytes of data.
pub fn udp(ends: Ends, ports: [u16; 2]) -> Packet {
    ip(ends, protocol::UDP, [0; 2], &[], &datagram(ports))
}

/// Makes a frame with a segment of TCP, with a sequence number, an acknowledged one, and so much data.
pub fn tcp(ends: Ends, [from, to]: [u16; 2], flags: u8, [sequence, acknowledged]: [u32; 2], data: usize) -> Packet {
    let mut bytes = vec![0; 20 + data];
    bytes[..2].copy_from_slice(&from.to_be_bytes());
    bytes[2..4].copy_from_slice(&to.to_be_bytes());
    bytes[4..8].copy_from_slice(&sequence.to_be_bytes());
    bytes[8..12].copy_from_slice(&acknowledged.to_be_bytes());
    // The window.
    bytes[14..16].copy_from_slice(&u16::MAX.to_be_bytes());
    Tcp::new(&mut bytes[..]).expect("there is room").set_header_length_and_flags(20, flags);
    ip(ends, protocol::TCP, [0; 2], &[], &bytes)
}
