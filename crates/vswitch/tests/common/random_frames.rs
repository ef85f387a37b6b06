//! Frames with random layers.

use basis::Random;
use wire::{Ipv4, Ipv6, Layers, LinkLayer, protocol};

/// Returns an IP packet with random options or extension headers for a payload of a protocol.
pub fn ip(random: &mut Random, number: u8, payload: &[u8], is_first: bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    if random.below(2) == 0 {
        let options = random.below(4) as usize * 4;
        let length = 20 + options;
        bytes.resize(length, 1);
        let mut ip = Ipv4::new(&mut bytes[..]).expect("long enough");
        ip.set_version_and_length(0x40 | (length / 4) as u8);
        ip.set_traffic_class(0);
        ip.set_total_length((length + payload.len()) as u16);
        ip.set_identification(random.below(1 << 16) as u16);
        ip.set_fragmentation(match random.below(6) {
            0 if is_first => 0x2000,
            1 if is_first => 0x2000 | (1 + random.below(100) as u16),
            _ => 0x4000,
        });
        ip.set_time_to_live(64);
        ip.set_protocol(number);
        ip.set_source_bits(0x0A00_0000 | random.below(1 << 16) as u32);
        ip.set_destination_bits(0x0A01_0000 | random.below(1 << 16) as u32);
        ip.fill_checksum();
    } else {
        // Extension headers, from the last to the first.
        let (mut next, mut extensions) = (number, Vec::new());
        if is_first && random.below(4) == 0 {
            let field = if random.below(2) == 0 { 1 } else { (1 + random.below(100) as u16) << 3 | 1 };
            let mut header = vec![next, 0];
            header.extend_from_slice(&field.to_be_bytes());
            header.extend_from_slice(&(random.below(1 << 32) as u32).to_be_bytes());
            (next, extensions) = (protocol::FRAGMENT, header);
        }
        for kind in [protocol::DESTINATION_OPTIONS, protocol::HOP_BY_HOP] {
            if random.below(3) == 0 {
                // An option that fills the header: PadN.
                let units = random.below(3) as u8;
                let padding = usize::from(units) * 8 + 4;
                let mut header = vec![next, units, 1, padding as u8];
                header.resize(4 + padding, 0);
                header.extend_from_slice(&extensions);
                (next, extensions) = (kind, header);
            }
        }
        bytes.resize(40, 0);
        let mut ip = Ipv6::new(&mut bytes[..]).expect("long enough");
        ip.set_version_class_flow(6 << 28);
        ip.set_payload_length((extensions.len() + payload.len()) as u16);
        ip.set_next_header(next);
        ip.set_hop_limit(64);
        ip.set_source_bits(0xFD00 << 112 | u128::from(random.below(1 << 16)));
        ip.set_destination_bits(0xFD01 << 112 | u128::from(random.below(1 << 16)));
        bytes.extend_from_slice(&extensions);
    }
    bytes.extend_from_slice(payload);
    bytes
}

/// Returns a transport header of a random protocol with a payload behind it, or a tunnel with a frame in it.
fn transport(random: &mut Random, may_be_tunnel: bool) -> (u8, Vec<u8>) {
    // Ports that nothing is known to use.
    let port = |random: &mut Random| (40_000 + random.below(4000) as u16).to_be_bytes();
    let payload = vec![0xFF; random.below(40) as usize];
    let ports = [port(random), port(random)].concat();
    match random.below(if may_be_tunnel { 8 } else { 4 }) {
        0 => {
            let mut header = ports;
            header.extend_from_slice(&(random.below(1 << 32) as u32).to_be_bytes());
            header.extend_from_slice(&[0, 0, 0, 1]);
            let words = random.below(4) as u8;
            header.extend_from_slice(&[(5 + words) << 4, 0x10, 4, 0, 0, 0, 0, 0]);
            header.resize(header.len() + usize::from(words) * 4, 1);
            (protocol::TCP, [header, payload].concat())
        }
        1 => {
            let mut header = ports;
            header.extend_from_slice(&(8 + payload.len() as u16).to_be_bytes());
            header.extend_from_slice(&[0, 0]);
            (protocol::UDP, [header, payload].concat())
        }
        2 => {
            // One chunk: a heartbeat.
            let mut header = ports;
            header.extend_from_slice(&[0, 0, 0, 1, 0, 0, 0, 0, 4, 0, 0, 8, 0, 1, 0, 4]);
            (protocol::SCTP, header)
        }
        3 => (protocol::ICMP, vec![if random.below(2) == 0 { 8 } else { 0 }, 0, 0, 0, 0, 7, 0, 1]),
        _ => {
            let inner = frame(random, false);
            let mut header = [port(random), 4789u16.to_be_bytes()].concat();
            header.extend_from_slice(&(16 + inner.len() as u16).to_be_bytes());
            header.extend_from_slice(&[0, 0, 8, 0, 0, 0]);
            header.extend_from_slice(&((random.below(1 << 24) as u32) << 8).to_be_bytes());
            (protocol::UDP, [header, inner].concat())
        }
    }
}

/// Returns a frame, which has VLAN tags and may be one of a tunnel if it is the first.
pub fn frame(random: &mut Random, is_first: bool) -> Vec<u8> {
    let (mut number, payload) = transport(random, is_first);
    let is_tunnel = payload.get(2..4) == Some(&4789u16.to_be_bytes());
    let packet = ip(random, number, &payload, is_first && !is_tunnel);
    let is_ipv4 = packet[0] >> 4 == 4;
    let mut packet = packet;
    if number == protocol::ICMP && !is_ipv4 {
        // ICMP belongs to IPv4, and its like to IPv6.
        number = protocol::ICMPV6;
        let layers = Layers::parse_from(LinkLayer::Ip, &packet, 0, packet.len());
        let start = layers.transport.unwrap_or(0);
        if start > 0 {
            packet[start] = if packet[start] == 8 { 128 } else { 129 };
        }
        replace_protocol(&mut packet, protocol::ICMP, number);
    }
    let mut bytes = vec![2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2];
    for _ in 0..if is_first { random.below(3) } else { 0 } {
        bytes.extend_from_slice(&[0x81, 0]);
        bytes.extend_from_slice(&(1 + random.below(4000) as u16).to_be_bytes());
    }
    bytes.extend_from_slice(if is_ipv4 { &[8, 0] } else { &[0x86, 0xDD] });
    bytes.extend_from_slice(&packet);
    bytes
}

/// Replaces the protocol at the end of the chain of extension headers.
fn replace_protocol(packet: &mut [u8], old: u8, new: u8) {
    let (mut at, mut next) = (6, 40);
    while packet[at] != old {
        let is_fragment = packet[at] == protocol::FRAGMENT;
        let units = usize::from(packet[next + 1]);
        at = next;
        next += if is_fragment { 8 } else { (units + 1) * 8 };
    }
    packet[at] = new;
}
