//! Putting a frame into a tunnel.

use std::net::IpAddr;

use wire::checksum::Sum;
use wire::{ChecksumState, Ethernet, Ipv4, Ipv6, Layers, Packet, Udp, Vxlan, ether_type, protocol, vxlan};

use super::congestion;
use crate::configuration::MacAddress;

const ETHERNET: usize = Ethernet::<&[u8]>::LENGTH;
const IPV4: usize = Ipv4::<&[u8]>::LENGTH;
const IPV6: usize = Ipv6::<&[u8]>::LENGTH;
const UDP: usize = Udp::<&[u8]>::LENGTH;
const VXLAN: usize = Vxlan::<&[u8]>::LENGTH;
/// The first source port of tunnels, and how many there are: the dynamic ports (RFC 7348, section 4).
const FIRST_PORT: u16 = 49_152;
const PORTS: u16 = 16_384;
/// The time to live of packets between endpoints.
const HOPS: u8 = 64;

/// The headers of the packet around a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outer {
    /// The Ethernet addresses of this switch and of the next hop.
    pub ethernet: [MacAddress; 2],
    /// The addresses of the two endpoints, both of one version.
    pub addresses: [IpAddr; 2],
    /// The VXLAN network identifier.
    pub vni: u32,
    /// A hash of the inner flow, from which the source port is taken, so that the network spreads flows over its paths
    /// (RFC 7348, section 4).
    pub hash: u64,
}

/// Puts a frame into a packet for a tunnel. The inner checksum must not be partial; the outer one is, so that an interface which
/// computes checksums need not have it computed here. Returns false, and changes nothing, if the two addresses are not of one version.
pub fn encapsulate(packet: &mut Packet, inner: &Layers, outer: &Outer) -> bool {
    debug_assert!(!matches!(packet.sidecar.checksum, ChecksumState::Partial { .. }));
    let mark = congestion::mark_of(packet.head.bytes(), inner);
    let mut front = [0; ETHERNET + IPV6 + UDP + VXLAN];
    let datagram = UDP + VXLAN + packet.len();
    let ip = match outer.addresses {
        [IpAddr::V4(_), IpAddr::V4(_)] => IPV4,
        [IpAddr::V6(_), IpAddr::V6(_)] => IPV6,
        _ => return false,
    };
    let front = &mut front[..ETHERNET + ip + UDP + VXLAN];
    let (link, rest) = front.split_at_mut(ETHERNET);
    let (network, rest) = rest.split_at_mut(ip);
    let (transport, header) = rest.split_at_mut(UDP);
    let mut ethernet = Ethernet::new(link).expect("split to fit");
    ethernet.set_source(outer.ethernet[0]);
    ethernet.set_destination(outer.ethernet[1]);
    let mut sum = Sum::default();
    match outer.addresses {
        [IpAddr::V4(source), IpAddr::V4(destination)] => {
            ethernet.set_ether_type(ether_type::IPV4);
            let mut ip = Ipv4::new(network).expect("split to fit");
            ip.set_version_and_length(0x45);
            ip.set_traffic_class(mark);
            ip.set_total_length((IPV4 + datagram) as u16);
            // Never fragmented, so that the identification has no meaning (RFC 7348, section 4.3; RFC 6864, section 4.1).
            ip.set_fragmentation(0x4000);
            ip.set_time_to_live(HOPS);
            ip.set_protocol(protocol::UDP);
            ip.set_source_bits(source.to_bits());
            ip.set_destination_bits(destination.to_bits());
            ip.fill_checksum();
            sum.add(&ip.bytes()[12..20]);
        }
        [source, destination] => {
            let [IpAddr::V6(source), IpAddr::V6(destination)] = [source, destination] else { return false };
            ethernet.set_ether_type(ether_type::IPV6);
            let mut ip = Ipv6::new(network).expect("split to fit");
            ip.set_version_class_flow(6 << 28 | u32::from(mark) << 20);
            ip.set_payload_length(datagram as u16);
            ip.set_next_header(protocol::UDP);
            ip.set_hop_limit(HOPS);
            ip.set_source_bits(source.to_bits());
            ip.set_destination_bits(destination.to_bits());
            sum.add(&ip.bytes()[8..40]);
        }
    }
    let mut vxlan = Vxlan::new(header).expect("split to fit");
    vxlan.set_flags(vxlan::VNI_IS_VALID);
    vxlan.set_vni(outer.vni);
    let mut udp = Udp::new(transport).expect("split to fit");
    udp.set_source_port(FIRST_PORT + (outer.hash % u64::from(PORTS)) as u16);
    udp.set_destination_port(vxlan::PORT);
    udp.set_length(datagram as u16);
    sum.add_word(u16::from(protocol::UDP));
    sum.add_word(datagram as u16);
    udp.set_checksum(sum.folded());
    packet.replace_front(0, front);
    packet.sidecar.checksum = ChecksumState::Partial { start: (ETHERNET + ip) as u16, offset: 6 };
    packet.sidecar.original_length = packet.len() as u32;
    true
}
