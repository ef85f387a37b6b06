//! Packets that arrive: from guests, and through tunnels.

use std::sync::Arc;

use basis::Instant;
use node::{Outbox, Reason};
use wire::{Layers, Packet};

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

    /// Handles a packet that another switch sends.
    pub(super) fn underlay_brings(&mut self, now: Instant, underlay: &Underlay, mut packet: Packet, out: &mut Outbox) {
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
}
