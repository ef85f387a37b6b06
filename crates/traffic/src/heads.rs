//! The heads of generated packets: Ethernet, IPv4, and TCP or UDP, with valid lengths and checksums.

use std::fmt;
use std::net::Ipv4Addr;

use wire::checksum::Sum;
use wire::{Ethernet, FiveTuple, Ipv4, Packet, Sidecar, Tail, Tcp, Udp, ether_type, protocol};

/// The transport of generated packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// TCP without options; every packet carries the ACK flag only.
    Tcp,
    /// UDP.
    Udp,
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if *self == Self::Tcp { "tcp" } else { "udp" })
    }
}

/// The ports of the services that flows go to.
const SERVICES: [u16; 8] = [80, 443, 53, 22, 8080, 3306, 5201, 9000];

const ETHERNET: usize = 14;
const IPV4: usize = 20;
/// The length of a packet's head: the headers and the first zeros of the payload.
const HEAD: usize = 64;

/// Returns the five-tuple of a flow, which is a function of its number alone. Flows below 2^39 differ in source
/// address or source port, and consecutive flows are neighbours in neither.
pub fn flow_tuple(flow: u64, transport: Protocol) -> FiveTuple {
    let scrambled = scramble(flow);
    let spread = scrambled.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let source = 0x0A00_0000 | (scrambled >> 15) as u32;
    let destination = 0xAC10_0000 | (spread >> 44) as u32 & 0x000F_FFFF;
    let source_port = 0x8000 | (scrambled & 0x7FFF) as u16;
    FiveTuple {
        source: Ipv4Addr::from_bits(source).into(),
        destination: Ipv4Addr::from_bits(destination).into(),
        protocol: if transport == Protocol::Tcp { protocol::TCP } else { protocol::UDP },
        ports: Some((source_port, SERVICES[(spread >> 41 & 7) as usize])),
    }
}

/// Permutes the numbers below 2^39 by multiplications with odd numbers and by folds, each of which is invertible.
fn scramble(flow: u64) -> u64 {
    const MASK: u64 = (1 << 39) - 1;
    let mut bits = flow & MASK;
    bits = bits.wrapping_mul(0x00E9_5C9D_2B4F_6D35) & MASK;
    bits ^= bits >> 21;
    bits = bits.wrapping_mul(0x0075_1B9D_9C8E_34C7) & MASK;
    bits ^ bits >> 20
}

/// The fields that differ between the packets of generated traffic.
pub(crate) struct Content {
    pub(crate) flow: u64,
    /// The size in bytes, at least 64.
    pub(crate) size: u32,
    /// The number of payload bytes of the flow before this packet.
    pub(crate) offset: u32,
    /// The packet's position among all packets.
    pub(crate) sequence: u64,
}

/// Returns a packet with real headers and a payload of zeros, which beyond the head is only a length.
pub(crate) fn packet(content: &Content, transport: Protocol) -> Packet {
    let tuple = flow_tuple(content.flow, transport);
    let (std::net::IpAddr::V4(source), std::net::IpAddr::V4(destination)) = (tuple.source, tuple.destination) else {
        unreachable!("flow tuples have IPv4 addresses")
    };
    let (source_port, destination_port) = tuple.ports.expect("flow tuples have ports");
    let mut bytes = [0; HEAD];
    let mut ethernet = Ethernet::new(&mut bytes[..]).expect("long enough");
    ethernet.set_destination([2, 0, 0, 0, 0, 1]);
    ethernet.set_source([2, 0, 0, 0, 0, 2]);
    ethernet.set_ether_type(ether_type::IPV4);

    let total_length = (content.size as usize - ETHERNET) as u16; // sizes are at most 65,535
    let mut ip = Ipv4::new(&mut bytes[ETHERNET..]).expect("long enough");
    ip.set_version_and_length(0x45);
    ip.set_total_length(total_length);
    ip.set_identification(content.sequence as u16);
    ip.set_time_to_live(64);
    ip.set_protocol(tuple.protocol);
    ip.set_source_bits(source.to_bits());
    ip.set_destination_bits(destination.to_bits());
    ip.fill_checksum();

    let transport_length = total_length - IPV4 as u16;
    let mut sum = Sum::default();
    sum.add(&bytes[ETHERNET + 12..ETHERNET + IPV4]);
    sum.add_word(u16::from(tuple.protocol));
    sum.add_word(transport_length);
    let transport_bytes = &mut bytes[ETHERNET + IPV4..];
    match transport {
        Protocol::Tcp => {
            let mut tcp = Tcp::new(transport_bytes).expect("long enough");
            tcp.set_source_port(source_port);
            tcp.set_destination_port(destination_port);
            tcp.set_sequence(content.offset);
            tcp.set_offset_and_flags(0x5010);
            tcp.set_window(0xFFFF);
            sum.add(&tcp.bytes()[..20]);
            tcp.set_checksum(sum.checksum());
        }
        Protocol::Udp => {
            let mut udp = Udp::new(transport_bytes).expect("long enough");
            udp.set_source_port(source_port);
            udp.set_destination_port(destination_port);
            udp.set_length(transport_length);
            sum.add(&udp.bytes()[..8]);
            // RFC 768: a checksum of zero would mean that there is none.
            udp.set_checksum(if sum.checksum() == 0 { 0xFFFF } else { sum.checksum() });
        }
    }
    let sidecar = Sidecar { original_length: content.size, ..Sidecar::default() };
    Packet::new(&bytes, Tail::Length(content.size - HEAD as u32), sidecar)
}

/// Returns how many bytes of a packet are headers.
pub(crate) fn overhead(transport: Protocol) -> u32 {
    let transport = if transport == Protocol::Tcp { 20 } else { 8 };
    (ETHERNET + IPV4) as u32 + transport
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn heads_have_valid_lengths_and_checksums() {
        for transport in [Protocol::Tcp, Protocol::Udp] {
            for (flow, size) in [(0, 64), (1, 65), (77, 1500), ((1 << 39) - 1, 9216)] {
                let packet = packet(&Content { flow, size, offset: 1 << 31, sequence: 70_000 }, transport);
                assert_eq!(packet.len(), size as usize);
                assert_eq!(FiveTuple::of(&packet), Some(flow_tuple(flow, transport)));
                let mut bytes = packet.head.bytes().to_vec();
                bytes.resize(size as usize, 0);
                assert_eq!(Ipv4::new(&bytes[14..]).unwrap().is_checksum_right(), Some(true));
                let mut sum = Sum::default();
                sum.add(&bytes[26..]);
                sum.add_word(u16::from(bytes[23]));
                sum.add_word(size as u16 - 34);
                assert_eq!(sum.checksum(), 0, "{transport} {flow} {size}");
            }
        }
    }

    #[test]
    fn flows_differ_and_neighbours_are_far_apart() {
        let flows: BTreeSet<_> = (0..50_000).map(|flow| flow_tuple(flow, Protocol::Udp)).collect();
        assert_eq!(flows.len(), 50_000);
        let sources: BTreeSet<_> = (0..1000).map(|flow| flow_tuple(flow, Protocol::Udp).source).collect();
        let ports: BTreeSet<_> = (0..1000).map(|flow| flow_tuple(flow, Protocol::Udp).ports).collect();
        assert!(sources.len() > 990 && ports.len() > 980, "{} {}", sources.len(), ports.len());
    }
}
