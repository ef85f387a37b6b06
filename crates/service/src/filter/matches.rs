//! Whether a packet matches a filter.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use wire::{Ethernet, Layers, LinkLayer, Packet, VlanTag};

use super::{Expression, Test, Way};

impl Expression {
    pub(super) fn matches(&self, packet: &Packet, layers: &Layers) -> bool {
        match self {
            Self::All => true,
            Self::Test(way, test) => test.holds(*way, packet, layers),
            Self::Not(inside) => !inside.matches(packet, layers),
            Self::And(parts) => parts.iter().all(|part| part.matches(packet, layers)),
            Self::Or(parts) => parts.iter().any(|part| part.matches(packet, layers)),
        }
    }
}

impl Test {
    fn holds(&self, way: Way, packet: &Packet, layers: &Layers) -> bool {
        let head = packet.head.bytes();
        match *self {
            Self::EtherType(kind) => layers.ether_type == Some(kind),
            Self::Protocol(number) => layers.network != wire::Network::None && layers.protocol == number,
            Self::Length(least, most) => (least..=most).contains(&packet.len()),
            Self::Vlan(identifier) => {
                let tags = [layers.outer_vlan, layers.inner_vlan];
                tags.into_iter().flatten().any(|start| {
                    let tag = head.get(start..).and_then(VlanTag::new);
                    tag.is_some_and(|tag| identifier.is_none_or(|identifier| tag.vlan() == identifier))
                })
            }
            Self::Ports(low, high) => {
                let Some(start) = layers.transport.filter(|_| layers.has_ports()) else { return false };
                let at = |at: usize| Some(u16::from_be_bytes([*head.get(at)?, *head.get(at + 1)?]));
                of_ends(way, at(start), at(start + 2), |port| (low..=high).contains(&port))
            }
            Self::Ether(address) => {
                let Some(header) = Ethernet::new(head).filter(|_| packet.sidecar.link == LinkLayer::Ethernet) else {
                    return false;
                };
                of_ends(way, Some(header.source()), Some(header.destination()), |own| own == address)
            }
            Self::Network(address, length) => {
                let [source, destination] = addresses(head, layers);
                of_ends(way, source, destination, |own| is_in(own, address, length))
            }
        }
    }
}

fn of_ends<T>(way: Way, source: Option<T>, destination: Option<T>, holds: impl Fn(T) -> bool) -> bool {
    let of_source = way != Way::Destination && source.is_some_and(&holds);
    of_source || (way != Way::Source && destination.is_some_and(&holds))
}

/// Returns source and destination of an IP packet, or of what an ARP packet asks and answers (RFC 826).
fn addresses(head: &[u8], layers: &Layers) -> [Option<IpAddr>; 2] {
    let v4 = |at: usize| Some(IpAddr::V4(Ipv4Addr::from(<[u8; 4]>::try_from(head.get(at..at + 4)?).ok()?)));
    let v6 = |at: usize| Some(IpAddr::V6(Ipv6Addr::from(<[u8; 16]>::try_from(head.get(at..at + 16)?).ok()?)));
    let start = layers.network_start;
    match layers.network {
        wire::Network::Ipv4 => [v4(start + 12), v4(start + 16)],
        wire::Network::Ipv6 => [v6(start + 8), v6(start + 24)],
        wire::Network::None if layers.ether_type == Some(wire::ether_type::ARP) => {
            let start = layers.inner_vlan.map_or(14, |tag| tag + 4);
            [v4(start + 14), v4(start + 24)]
        }
        wire::Network::None => [None, None],
    }
}

fn is_in(address: IpAddr, network: IpAddr, length: u8) -> bool {
    match (address, network) {
        (IpAddr::V4(address), IpAddr::V4(network)) => {
            let differing = address.to_bits() ^ network.to_bits();
            differing.leading_zeros() >= u32::from(length)
        }
        (IpAddr::V6(address), IpAddr::V6(network)) => {
            let differing = address.to_bits() ^ network.to_bits();
            differing.leading_zeros() >= u32::from(length)
        }
        _ => false,
    }
}
