//! Translating the addresses and ports of packets, and of the packets that ICMP errors are about.

use std::net::IpAddr;

use wire::{ChecksumState, Icmp, Ipv4, Ipv6, Layers, LinkLayer, Network, Packet, checksum, protocol};

use crate::session::FlowKey;

/// The addresses and ports that a packet is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Translation {
    /// The addresses: of the source and of the destination.
    pub addresses: [IpAddr; 2],
    /// The ports, or the identifier of an ICMP query twice.
    pub ports: [u16; 2],
}

impl Translation {
    /// The translation of a packet into one that has this key.
    pub fn into_key(key: &FlowKey) -> Self {
        Self { addresses: key.addresses(), ports: key.ports() }
    }

    fn reversed(self) -> Self {
        let ([source, destination], [from, to]) = (self.addresses, self.ports);
        Self { addresses: [destination, source], ports: [to, from] }
    }
}

/// The ports of a protocol, or what it has in their place, and the offset of its checksum.
#[derive(Clone, Copy)]
enum Field {
    Ports { checksum: usize },
    Identifier { has_pseudo_header: bool },
    None,
}

fn field_of(number: u8) -> Field {
    match number {
        protocol::TCP => Field::Ports { checksum: 16 },
        protocol::UDP | protocol::UDP_LITE => Field::Ports { checksum: 6 },
        protocol::ICMP => Field::Identifier { has_pseudo_header: false },
        protocol::ICMPV6 => Field::Identifier { has_pseudo_header: true },
        // The checksums of SCTP (a CRC) and of DCCP cover their ports; a translation of addresses alone leaves SCTP's right.
        _ => Field::None,
    }
}

/// Returns true if the packets of a protocol are given other ports, or another identifier; of others only the addresses are
/// translated.
pub fn translates_ports(protocol: u8) -> bool {
    !matches!(field_of(protocol), Field::None)
}

/// Translates a packet, or a fragment of one. Returns false if its headers do not lie within the head.
pub fn translate(packet: &mut Packet, layers: &Layers, to: &Translation) -> bool {
    let transport = layers.transport;
    let state = match packet.sidecar.checksum {
        // It is that of a packet within this one.
        ChecksumState::Partial { start, .. } if Some(usize::from(start)) != transport => ChecksumState::Unknown,
        state => state,
    };
    let head = packet.head.bytes_mut();
    let Some(changed) = set_addresses(head, layers.network_start, layers.network, to.addresses) else { return false };
    let Some(start) = transport else { return true };
    let Some(bytes) = head.get_mut(start..) else { return false };
    set_transport(bytes, layers.protocol, &changed, to.ports, state)
}

/// Translates an ICMP error that goes the way of packets that become `to`, where `peer` is the address that such packets come
/// from. Whoever else sends the error keeps its address. The packet in the error went the other way. Returns false if the
/// headers do not lie within the head.
pub fn translate_error(packet: &mut Packet, layers: &Layers, peer: IpAddr, to: &Translation) -> bool {
    let head = packet.head.bytes_mut();
    let (Some(start), Some(sender)) = (layers.transport, address_of(head, layers)) else { return false };
    let source = if sender == peer { to.addresses[0] } else { sender };
    let addresses = [source, to.addresses[1]];
    let Some(changed) = set_addresses(head, layers.network_start, layers.network, addresses) else { return false };
    let about = to.reversed();
    let inner_start = start + Icmp::<&[u8]>::LENGTH;
    let inner = Layers::parse_from(LinkLayer::Ip, head, inner_start, layers.network_end);
    let Some(before) = head.get(inner_start..).map(<[u8]>::to_vec) else { return false };
    let Some(inner_changed) = set_addresses(head, inner_start, inner.network, about.addresses) else { return false };
    if let Some(at) = inner.transport
        && let Some(bytes) = head.get_mut(at..)
    {
        // Of a short quotation perhaps only the ports are there.
        set_transport(bytes, inner.protocol, &inner_changed, about.ports, ChecksumState::Unknown);
    }
    // The message covers the packet in it, and in ICMPv6 the addresses.
    let after = head[inner_start..].to_vec();
    let Some(mut message) = Icmp::new(&mut head[start..]) else { return false };
    let mut sum = checksum::update(message.checksum(), &before, &after, false);
    if layers.protocol == protocol::ICMPV6 {
        sum = changed.update(sum);
    }
    message.set_checksum(sum);
    true
}

fn address_of(head: &[u8], layers: &Layers) -> Option<IpAddr> {
    let network = head.get(layers.network_start..)?;
    match layers.network {
        Network::Ipv4 => Some(Ipv4::new(network)?.source().into()),
        Network::Ipv6 => Some(Ipv6::new(network)?.source().into()),
        Network::None => None,
    }
}

/// The bytes of addresses before and after a change.
#[derive(Clone, Copy)]
struct Changed {
    old: [u8; 32],
    new: [u8; 32],
    length: usize,
}

impl Changed {
    /// Corrects a checksum that covers them.
    fn update(&self, sum: u16) -> u16 {
        checksum::update(sum, &self.old[..self.length], &self.new[..self.length], false)
    }
}

/// Writes the addresses of an IP header, and corrects its checksum.
fn set_addresses(head: &mut [u8], start: usize, network: Network, addresses: [IpAddr; 2]) -> Option<Changed> {
    let bytes = head.get_mut(start..)?;
    match (network, addresses) {
        (Network::Ipv4, [IpAddr::V4(source), IpAddr::V4(destination)]) => {
            let mut ip = Ipv4::new(bytes)?;
            let mut changed = Changed { old: [0; 32], new: [0; 32], length: 8 };
            changed.old[..8].copy_from_slice(&ip.bytes()[12..20]);
            ip.set_source_bits(source.to_bits());
            ip.set_destination_bits(destination.to_bits());
            changed.new[..8].copy_from_slice(&ip.bytes()[12..20]);
            let sum = changed.update(ip.checksum());
            ip.set_checksum(sum);
            Some(changed)
        }
        (Network::Ipv6, [IpAddr::V6(source), IpAddr::V6(destination)]) => {
            let mut ip = Ipv6::new(bytes)?;
            let mut changed = Changed { old: [0; 32], new: [0; 32], length: 32 };
            changed.old.copy_from_slice(&ip.bytes()[8..40]);
            ip.set_source_bits(source.to_bits());
            ip.set_destination_bits(destination.to_bits());
            changed.new.copy_from_slice(&ip.bytes()[8..40]);
            Some(changed)
        }
        _ => None,
    }
}

/// Writes the ports of a transport header, and corrects its checksum, which covers the addresses too.
fn set_transport(bytes: &mut [u8], number: u8, addresses: &Changed, ports: [u16; 2], state: ChecksumState) -> bool {
    let [from, to] = ports;
    let both = (u32::from(from) << 16 | u32::from(to)).to_be_bytes();
    // Where the ports or the identifier are, what they become, where the checksum is, and whether it covers the addresses.
    let (range, new, field, covers_addresses) = match field_of(number) {
        Field::None => return true,
        Field::Ports { checksum } => (0..4, &both[..], checksum, true),
        Field::Identifier { has_pseudo_header } => (4..6, &both[..2], 2, has_pseudo_header),
    };
    let mut old = [0; 4];
    let Some(there) = bytes.get_mut(range) else { return false };
    let old = &mut old[..there.len()];
    old.copy_from_slice(there);
    there.copy_from_slice(new);
    let Some(&[high, low]) = bytes.get(field..field + 2) else { return false };
    let stored = u16::from_be_bytes([high, low]);
    let corrected = match state {
        // The sum of the pseudo-header stands there, not complemented, and the ports are added later.
        ChecksumState::Partial { .. } => !addresses.update(!stored),
        // RFC 768: no checksum.
        _ if number == protocol::UDP && stored == 0 => return true,
        _ => {
            let sum = checksum::update(stored, old, new, false);
            let sum = if covers_addresses { addresses.update(sum) } else { sum };
            if number == protocol::UDP && sum == 0 { u16::MAX } else { sum }
        }
    };
    bytes[field..field + 2].copy_from_slice(&corrected.to_be_bytes());
    true
}
