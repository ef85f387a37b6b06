//! Neighbour discovery (RFC 4861).

use std::net::Ipv6Addr;

use wire::checksum::Sum;
use wire::{Ethernet, Icmp, Ipv6, Layers, Network, Packet, ether_type, protocol};

use super::{Answered, is_answered_for, of};
use crate::configuration::number;
use crate::policy::{Hop, Policy};

const ETHERNET: usize = Ethernet::<&[u8]>::LENGTH;
const IPV6: usize = Ipv6::<&[u8]>::LENGTH;
const SOLICITATION: u8 = 135;
const ADVERTISEMENT: u8 = 136;
/// The length of a solicitation without options.
const SHORTEST: usize = 24;
/// The length of an advertisement with the option for the target's Ethernet address.
const LENGTH: usize = 32;
/// The flags of advertisements: from a router, in answer to a solicitation, and to take the place of what is known.
const ROUTER: u8 = 0x80;
const SOLICITED: u8 = 0x40;
const OVERRIDE: u8 = 0x20;
const ALL_NODES: Ipv6Addr = Ipv6Addr::new(0xFF02, 0, 0, 0, 0, 0, 0, 1);

pub fn answer(policy: &Policy, vnic: u32, head: &[u8], layers: &Layers) -> Option<Answered> {
    let transport = layers.transport.and_then(|start| head.get(start..layers.network_end.min(head.len())))?;
    let is_message = layers.network == Network::Ipv6 && layers.protocol == protocol::ICMPV6 && !layers.is_fragment;
    if !is_message || Icmp::new(transport)?.kind() != SOLICITATION {
        return None;
    }
    let ip = Ipv6::new(&head[layers.network_start..])?;
    let own = of(policy, vnic);
    let source = ip.source();
    let is_own = source.is_unspecified() || source.is_unicast_link_local() || own.addresses.contains(&source.into());
    if head[6..12] != own.mac || !is_own {
        return Some(Answered::Spoofed);
    }
    // RFC 4861, section 7.1.1.
    if ip.hop_limit() != 255 || transport.len() < SHORTEST || !is_checksum_right(&ip, transport) {
        return Some(Answered::Malformed);
    }
    let target = Ipv6Addr::from_bits(u128::from_be_bytes(transport[8..24].try_into().expect("16 bytes")));
    if !is_answered_for(policy, vnic, target.into()) {
        return Some(Answered::WithNothing);
    }
    let is_gateway = policy.hop(own.vpc as u32, number(target.into())) == Some(Hop::Gateway);
    // Somebody without an address is answered by telling everybody (section 7.2.4).
    let (destination, solicited) = if source.is_unspecified() { (ALL_NODES, 0) } else { (source, SOLICITED) };
    let gateway = policy.configuration().vpcs[own.vpc].gateway_mac;
    let mut frame = [0; ETHERNET + IPV6 + LENGTH];
    let mut ethernet = Ethernet::new(&mut frame[..]).expect("long enough");
    ethernet.set_destination(own.mac);
    ethernet.set_source(gateway);
    ethernet.set_ether_type(ether_type::IPV6);
    let message = &mut frame[ETHERNET + IPV6..];
    message[0] = ADVERTISEMENT;
    message[4] = if is_gateway { ROUTER } else { 0 } | solicited | OVERRIDE;
    message[8..24].copy_from_slice(&target.octets());
    // The option: type, length in units of 8 bytes, address.
    message[24..26].copy_from_slice(&[2, 1]);
    message[26..32].copy_from_slice(&gateway);
    let mut ip = Ipv6::new(&mut frame[ETHERNET..]).expect("long enough");
    ip.set_version_class_flow(6 << 28);
    ip.set_payload_length(LENGTH as u16);
    ip.set_next_header(protocol::ICMPV6);
    ip.set_hop_limit(255);
    ip.set_source_bits(target.to_bits());
    ip.set_destination_bits(destination.to_bits());
    let checksum = sum(&ip, &ip.bytes()[IPV6..]).checksum();
    Icmp::new(&mut frame[ETHERNET + IPV6..]).expect("long enough").set_checksum(checksum);
    Some(Answered::With(Packet::of_bytes(&frame)))
}

fn is_checksum_right<T: AsRef<[u8]>>(ip: &Ipv6<T>, message: &[u8]) -> bool {
    sum(ip, message).checksum() == 0
}

/// Returns the sum of the pseudo-header (RFC 8200, section 8.1) and of a message of ICMPv6.
fn sum<T: AsRef<[u8]>>(ip: &Ipv6<T>, message: &[u8]) -> Sum {
    let mut sum = Sum::default();
    sum.add(&ip.bytes()[8..40]);
    sum.add_word(message.len() as u16);
    sum.add_word(u16::from(protocol::ICMPV6));
    sum.add(message);
    sum
}
