//! Packets that arrive: from guests, and through tunnels.

use std::net::IpAddr;
use std::sync::Arc;

use basis::Instant;
use node::{Outbox, Reason};
use wire::{Ipv4, Ipv6, Layers, Network, Packet};

use super::{VirtualSwitch, add};
use crate::configuration::{Underlay, number};
use crate::metadata::Metadata;
use crate::overlay::decapsulate;
use crate::policy::{Hop, Origin};
use crate::reasons;
use crate::responder::{Answered, answer, answer_echo};

impl VirtualSwitch {
    /// Handles a packet that a guest sends.
    pub(super) fn guest_sends(&mut self, now: Instant, vnic: u32, mut packet: Packet, out: &mut Outbox) {
        let policy = Arc::clone(&self.policy);
        let own = &policy.configuration().vnics[vnic as usize];
        let origin = Origin::Vnic(vnic);
        add(&mut self.of_vnics[vnic as usize].sent, packet.len() as u64);
        let layers = Layers::of(&packet);
        match answer(&policy, vnic, &packet, &layers) {
            None => {}
            Some(Answered::With(reply)) => {
                self.consumed += 1;
                self.generated += 1;
                return self.deliver(vnic, reply, out);
            }
            Some(Answered::WithNothing) => return self.consumed += 1,
            Some(Answered::Spoofed) => return self.discard(Some(origin), packet, reasons::SPOOFED, out),
            Some(Answered::Malformed) => return self.discard(Some(origin), packet, Reason::MALFORMED, out),
        }
        let head = packet.head.bytes();
        let is_group = head.first().is_some_and(|first| first & 1 != 0);
        if is_group || layers.outer_vlan.is_some() {
            return self.discard(Some(origin), packet, reasons::NOT_UNICAST_IP, out);
        }
        let vpc = own.vpc as u32;
        let metadata = match Metadata::read(&packet, layers, policy.vni(vpc)) {
            Ok(metadata) => metadata,
            Err(reason) => return self.discard(Some(origin), packet, reason, out),
        };
        let [source, destination] = metadata.addresses;
        if head[6..12] != own.mac || !own.addresses.contains(&source) {
            return self.discard(Some(origin), packet, reasons::SPOOFED, out);
        }
        let is_for_gateway = policy.hop(vpc, number(destination)) == Some(Hop::Gateway);
        if is_for_gateway && !layers.is_fragment && answer_echo(&mut packet, &layers) {
            self.consumed += 1;
            self.generated += 1;
            return self.deliver(vnic, packet, out);
        }
        self.forward(now, origin, vpc, &metadata, packet, out);
    }

    /// Handles a packet that the underlay brings: from another switch, or from outside all VPCs.
    pub(super) fn underlay_brings(&mut self, now: Instant, underlay: &Underlay, mut packet: Packet, out: &mut Outbox) {
        if let Some(destination) = destination_of(&packet)
            && self.policy.is_outside(number(destination))
        {
            return self.outside_brings(now, packet, out);
        }
        let tunnel = match decapsulate(&mut packet) {
            Ok(tunnel) => tunnel,
            Err(reason) => return self.discard(None, packet, reason, out),
        };
        let [remote, own] = tunnel.addresses;
        let vpc = self.policy.vpc(tunnel.vni).filter(|&vpc| self.policy.knows_endpoint(vpc, number(remote)));
        let Some(vpc) = vpc.filter(|_| underlay.addresses.contains(&own)) else {
            return self.discard(None, packet, reasons::UNKNOWN_TUNNEL, out);
        };
        let origin = Origin::Endpoint(number(remote));
        match Metadata::read(&packet, tunnel.layers, tunnel.vni) {
            Ok(metadata) => self.forward(now, origin, vpc, &metadata, packet, out),
            Err(reason) => self.discard(Some(origin), packet, reason, out),
        }
    }

    /// Handles a packet from outside all VPCs, to an address of a pool. It passes if a session of a guest expects it.
    fn outside_brings(&mut self, now: Instant, packet: Packet, out: &mut Outbox) {
        let layers = Layers::of(&packet);
        let origin = Origin::Outside;
        match Metadata::read(&packet, layers, OUTSIDE) {
            Ok(metadata) => self.forward(now, origin, 0, &metadata, packet, out),
            Err(reason) => self.discard(Some(origin), packet, reason, out),
        }
    }
}

/// The VXLAN network identifier that no VPC has, for the world outside all of them.
const OUTSIDE: u32 = 0;

fn destination_of(packet: &Packet) -> Option<IpAddr> {
    let layers = Layers::of(packet);
    let network = packet.head.bytes().get(layers.network_start..)?;
    match layers.network {
        Network::Ipv4 => Some(Ipv4::new(network)?.destination().into()),
        Network::Ipv6 => Some(Ipv6::new(network)?.destination().into()),
        Network::None => None,
    }
}
