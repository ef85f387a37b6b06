//! The hash of a flow, by which switches choose paths and hosts choose cores.

use basis::mix;

use crate::{Ethernet, Ipv4, Ipv6, ether_type, protocol};

/// Returns a hash of the addresses, protocol and ports of an Ethernet frame without VLAN tags, which depends on
/// `salt`. Frames without IP all hash to the same value. Fragments are hashed by addresses and protocol only, because
/// only the first fragment has ports; so are IPv6 packets with extension headers.
pub fn flow_hash(frame: &[u8], salt: u64) -> u64 {
    let Some(ethernet) = Ethernet::new(frame) else { return mix(salt) };
    let network = &frame[Ethernet::<&[u8]>::LENGTH..];
    let hash = match ethernet.ether_type() {
        ether_type::IPV4 => Ipv4::new(network).and_then(|ip| hash_of_ipv4(&ip, salt)),
        ether_type::IPV6 => Ipv6::new(network).map(|ip| hash_of_ipv6(&ip, salt)),
        _ => None,
    };
    hash.unwrap_or_else(|| mix(salt))
}

fn hash_of_ipv4(ip: &Ipv4<&[u8]>, salt: u64) -> Option<u64> {
    let rest = ip.bytes().get(ip.header_length()..)?;
    let addresses = u64::from(ip.source_bits()) << 32 | u64::from(ip.destination_bits());
    let is_whole = ip.fragmentation() & 0x3FFF == 0;
    Some(mix(mix(salt ^ addresses) ^ ports_and_protocol(rest, ip.protocol(), is_whole)))
}

fn hash_of_ipv6(ip: &Ipv6<&[u8]>, salt: u64) -> u64 {
    let (source, destination) = (ip.source().to_bits(), ip.destination().to_bits());
    let words = [source >> 64, source, destination >> 64, destination].map(|word| word as u64);
    let addresses = words.into_iter().fold(salt, |hash, word| mix(hash ^ word));
    let rest = ip.bytes().get(Ipv6::<&[u8]>::LENGTH..).unwrap_or(&[]);
    mix(addresses ^ ports_and_protocol(rest, ip.next_header(), true))
}

/// Returns the ports, if there are any, and the protocol as one number.
fn ports_and_protocol(transport: &[u8], protocol: u8, is_whole: bool) -> u64 {
    let has_ports = matches!(protocol, protocol::TCP | protocol::UDP) && is_whole;
    let ports = transport.first_chunk::<4>().filter(|_| has_ports).map_or(0, |ports| u32::from_be_bytes(*ports));
    u64::from(ports) << 8 | u64::from(protocol)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(ether_type: u16, network: &[u8]) -> Vec<u8> {
        let mut frame = vec![0; Ethernet::<&[u8]>::LENGTH];
        Ethernet::new(&mut frame[..]).expect("long enough").set_ether_type(ether_type);
        frame.extend_from_slice(network);
        frame
    }

    fn ipv6(next_header: u8, last_of_source: u8, ports: [u8; 4]) -> Vec<u8> {
        let mut header = [0; 40];
        header[0] = 0x60;
        header[6] = next_header;
        header[23] = last_of_source;
        frame(ether_type::IPV6, &[&header[..], &ports].concat())
    }

    #[test]
    fn ipv6_flows_differ_by_addresses_protocol_and_ports() {
        let udp = protocol::UDP;
        let same = flow_hash(&ipv6(udp, 1, [0, 1, 0, 2]), 7);
        assert_eq!(same, flow_hash(&ipv6(udp, 1, [0, 1, 0, 2]), 7));
        for other in [ipv6(udp, 2, [0, 1, 0, 2]), ipv6(protocol::TCP, 1, [0, 1, 0, 2]), ipv6(udp, 1, [0, 2, 0, 1])] {
            assert_ne!(same, flow_hash(&other, 7));
        }
        assert_ne!(same, flow_hash(&ipv6(udp, 1, [0, 1, 0, 2]), 8));
        // The bytes behind other headers are no ports.
        let fragments = [1, 2].map(|port| flow_hash(&ipv6(protocol::FRAGMENT, 1, [0, port, 0, 2]), 7));
        assert_eq!(fragments[0], fragments[1]);
    }

    #[test]
    fn frames_without_ip_all_hash_to_the_same_value() {
        let other = |network: &[u8]| flow_hash(&frame(0x0806, network), 3);
        assert_eq!(other(&[1; 40]), other(&[2; 50]));
        assert_eq!(other(&[]), flow_hash(&[], 3));
        assert_eq!(other(&[]), flow_hash(&frame(ether_type::IPV6, &[0x60; 39]), 3));
    }
}
