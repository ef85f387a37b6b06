//! Neighbour discovery (RFC 4861) of guests.

use std::net::Ipv6Addr;

use wire::Layers;

use super::{Answered, is_answered_for, of};
use crate::configuration::number;
use crate::policy::{Hop, Policy};
use crate::resolution::{DiscoveryKind, DiscoveryMessage, flag};

const ALL_NODES: Ipv6Addr = Ipv6Addr::new(0xFF02, 0, 0, 0, 0, 0, 0, 1);

pub fn answer(policy: &Policy, vnic: u32, head: &[u8], layers: &Layers) -> Option<Answered> {
    let (source, target) = match DiscoveryMessage::read(head, layers)? {
        Ok(DiscoveryMessage { kind: DiscoveryKind::Solicitation, source, target, .. }) => (source, target),
        Ok(_) => return None,
        Err(_) => return Some(Answered::Malformed),
    };
    let own = of(policy, vnic);
    let is_own = source.is_unspecified() || source.is_unicast_link_local() || own.addresses.contains(&source.into());
    if head[6..12] != own.mac || !is_own {
        return Some(Answered::Spoofed);
    }
    if !is_answered_for(policy, vnic, target.into()) {
        return Some(Answered::WithNothing);
    }
    let is_gateway = policy.hop(own.vpc as u32, number(target.into())) == Some(Hop::Gateway);
    // Somebody without an address is answered by telling everybody (section 7.2.4).
    let (destination, solicited) = if source.is_unspecified() { (ALL_NODES, 0) } else { (source, flag::SOLICITED) };
    let gateway = policy.configuration().vpcs[own.vpc].gateway_mac;
    let flags = if is_gateway { flag::ROUTER } else { 0 } | solicited | flag::OVERRIDE;
    let kind = DiscoveryKind::Advertisement(flags);
    let reply = DiscoveryMessage { kind, source: target, destination, target, mac: Some(gateway) };
    Some(Answered::With(reply.frame([gateway, own.mac])))
}
