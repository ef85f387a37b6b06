//! Frames that guests send, and what can be read in those that they are given.

use std::net::IpAddr;

use wire::checksum::Sum;
use wire::{ChecksumState, Segmentation, SegmentationKind};
use wire::{Ethernet, FiveTuple, Icmp, Ipv4, Ipv6, Layers, Packet, Tcp, Udp, ether_type, protocol};

use crate::site::Guest;

/// The Ethernet address of gateways.
pub const GATEWAY: [u8; 6] = [2, 0, 0, 0, 0, 0xFE];

/// Returns a frame of a guest to an address, with a transport header and payload of a protocol.
pub fn ip(from: &Guest, to: &str, number: u8, transport: &[u8]) -> Packet {
    let to: IpAddr = to.parse().expect("an address");
    let source = from.addresses.iter().copied().find(|own| own.is_ipv4() == to.is_ipv4()).expect("an address");
    let network = if to.is_ipv4() { 20 } else { 40 };
    let mut bytes = vec![0; 14 + network];
    bytes.extend_from_slice(transport);
    let mut ethernet = Ethernet::new(&mut bytes[..]).expect("long enough");
    ethernet.set_source(from.mac);
    ethernet.set_destination(GATEWAY);
    let mut sum = Sum::default();
    match (source, to) {
        (IpAddr::V4(source), IpAddr::V4(to)) => {
            ethernet.set_ether_type(ether_type::IPV4);
            let mut ip = Ipv4::new(&mut bytes[14..]).expect("long enough");
            ip.set_version_and_length(0x45);
            ip.set_total_length((20 + transport.len()) as u16);
            ip.set_fragmentation(0x4000);
            ip.set_time_to_live(64);
            ip.set_protocol(number);
            ip.set_source_bits(source.to_bits());
            ip.set_destination_bits(to.to_bits());
            ip.fill_checksum();
            sum.add(&bytes[26..34]);
        }
        (IpAddr::V6(source), IpAddr::V6(to)) => {
            ethernet.set_ether_type(ether_type::IPV6);
            let mut ip = Ipv6::new(&mut bytes[14..]).expect("long enough");
            ip.set_version_class_flow(6 << 28);
            ip.set_payload_length(transport.len() as u16);
            ip.set_next_header(number);
            ip.set_hop_limit(64);
            ip.set_source_bits(source.to_bits());
            ip.set_destination_bits(to.to_bits());
            sum.add(&bytes[22..54]);
        }
        _ => unreachable!("the source was chosen so"),
    }
    if number != protocol::ICMP {
        sum.add_word(u16::from(number));
        sum.add_word(transport.len() as u16);
    } else {
        sum = Sum::default();
    }
    sum.add(transport);
    let at = match number {
        protocol::TCP => 16,
        protocol::UDP => 6,
        protocol::ICMP | protocol::ICMPV6 => 2,
        _ => return Packet::of_bytes(&bytes),
    };
    let field = 14 + network + at;
    bytes[field..field + 2].copy_from_slice(&sum.checksum().to_be_bytes());
    Packet::of_bytes(&bytes)
}

/// Returns a UDP datagram from a guest to an address.
pub fn udp(from: &Guest, to: &str, ports: [u16; 2], payload: &[u8]) -> Packet {
    let mut datagram = vec![0; 8];
    datagram.extend_from_slice(payload);
    let length = datagram.len() as u16;
    let mut header = Udp::new(&mut datagram[..]).expect("long enough");
    header.set_source_port(ports[0]);
    header.set_destination_port(ports[1]);
    header.set_length(length);
    ip(from, to, protocol::UDP, &datagram)
}

/// Returns a TCP segment without payload from a guest to an address.
pub fn tcp(from: &Guest, to: &str, ports: [u16; 2], flags: u8, [sequence, acknowledgement]: [u32; 2]) -> Packet {
    let mut segment = [0; 20];
    let mut header = Tcp::new(&mut segment[..]).expect("long enough");
    header.set_source_port(ports[0]);
    header.set_destination_port(ports[1]);
    header.set_sequence(sequence);
    header.set_acknowledgement(acknowledgement);
    header.set_window(1000);
    header.set_header_length_and_flags(20, flags);
    ip(from, to, protocol::TCP, &segment)
}

/// Returns an ICMP echo request, or a reply, of a guest.
pub fn echo(from: &Guest, to: &str, is_request: bool, identifier: u16) -> Packet {
    let is_ipv4 = to.parse::<IpAddr>().expect("an address").is_ipv4();
    let mut message = *b"\0\0\0\0\0\0\0\x01ping";
    let mut header = Icmp::new(&mut message[..]).expect("long enough");
    header.set_kind(match (is_ipv4, is_request) {
        (true, true) => 8,
        (true, false) => 0,
        (false, true) => 128,
        (false, false) => 129,
    });
    header.set_identifier(identifier);
    ip(from, to, if is_ipv4 { protocol::ICMP } else { protocol::ICMPV6 }, &message)
}

/// Returns what can be read in a frame: the Ethernet addresses, the flow, the time to live, and whether every checksum is
/// right.
pub fn described(packet: &Packet) -> String {
    let mut bytes = Vec::new();
    packet.append_to(&mut bytes);
    let layers = Layers::of(packet);
    let ethernet = Ethernet::new(&bytes[..]).expect("a frame");
    let last = |address: [u8; 6]| format!("{:02x}", address[5]);
    let flow = FiveTuple::of(packet).expect("an IP packet");
    let ports = flow.ports.map_or(String::new(), |(from, to)| format!(" {from}>{to}"));
    let hops = match flow.source {
        IpAddr::V4(_) => bytes[layers.network_start + 8],
        IpAddr::V6(_) => bytes[layers.network_start + 7],
    };
    let ok = if are_checksums_right(&bytes, &layers, flow.source.is_ipv4()) { "ok" } else { "wrong" };
    let [from, to] = [ethernet.source(), ethernet.destination()].map(last);
    let (source, destination) = (flow.source, flow.destination);
    format!("{from}>{to} {source}>{destination} {}{ports} ttl {hops} {ok}", flow.protocol)
}

fn are_checksums_right(bytes: &[u8], layers: &Layers, is_ipv4: bool) -> bool {
    let network = &bytes[layers.network_start..];
    if is_ipv4 && Ipv4::new(network).and_then(|ip| ip.is_checksum_right()) != Some(true) {
        return false;
    }
    let transport = &bytes[layers.transport.expect("a transport layer")..layers.network_end];
    let mut sum = Sum::default();
    if layers.protocol != protocol::ICMP {
        sum.add(if is_ipv4 { &network[12..20] } else { &network[8..40] });
        sum.add_word(u16::from(layers.protocol));
        sum.add_word(transport.len() as u16);
    }
    sum.add(transport);
    sum.checksum() == 0
}

/// Returns a superframe of TCP of a guest, as an interface hands it over.
pub fn superframe(packet: Packet, payload: usize, size: u16) -> Packet {
    let mut packet = packet;
    let mut bytes = packet.head.bytes().to_vec();
    bytes.extend((0..payload).map(|at| (at % 251) as u8));
    let mut ip = Ipv4::new(&mut bytes[14..]).expect("an IPv4 header");
    ip.set_total_length((40 + payload) as u16);
    ip.fill_checksum();
    let mut sum = Sum::default();
    sum.add(&bytes[26..34]);
    sum.add_word(6);
    sum.add_word((20 + payload) as u16);
    bytes[50..52].copy_from_slice(&sum.folded().to_be_bytes());
    packet = Packet::of_bytes(&bytes);
    packet.sidecar.checksum = ChecksumState::Partial { start: 34, offset: 16 };
    packet.sidecar.segmentation = Some(Segmentation { kind: SegmentationKind::TcpIpv4, size, has_cwr: false });
    packet
}
