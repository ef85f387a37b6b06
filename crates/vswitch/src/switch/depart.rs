//! Packets that leave: to guests, through tunnels, and to the world outside.

use node::{Outbox, Reason};
use wire::{Layers, Packet};

use super::add;
use super::arrive::ends_of;
use super::edge::Edge;
use super::leave::{Tunnel, Way};
use crate::configuration::address;
use crate::overlay::{Outer, encapsulate};
use crate::policy::{Origin, Policy};
use crate::reasons;
use crate::reliable::Sent;

impl Edge {
    /// Records that one packet has become so many, at least one.
    fn becomes(&mut self, pieces: u64) {
        self.replicated += pieces.saturating_sub(1);
    }

    /// Sends a frame that fits its way. If it cannot be sent, it counts as one of `origin`.
    pub(super) fn send(&mut self, policy: &Policy, origin: Option<Origin>, way: Way, packet: Packet, out: &mut Outbox) {
        match way {
            Way::Vnic(vnic) => self.deliver(policy, vnic, packet, out),
            Way::Tunnel(tunnel) => self.send_through(policy, tunnel, origin, packet, out),
            Way::Underlay(hash) => match ends_of(&packet, &Layers::of(&packet)) {
                Some([_, destination]) => self.send_to_underlay(policy, origin, (hash, destination), packet, out),
                None => self.discard(origin, packet, Reason::MALFORMED, out),
            },
        }
    }

    /// Puts a frame into a tunnel, with a number if that is a reliable one. A superframe is cut before, for no interface cuts frames
    /// inside a tunnel.
    pub(super) fn send_through(
        &mut self,
        policy: &Policy,
        tunnel: Tunnel,
        origin: Option<Origin>,
        packet: Packet,
        out: &mut Outbox,
    ) {
        let mut pieces = 0;
        let cut = packet.segment(|mut segment| {
            pieces += 1;
            if !segment.complete_checksum() {
                return self.discard(origin, segment, Reason::MALFORMED, out);
            }
            match self.numbered(policy, tunnel, &mut segment) {
                Sent::Plain => self.enter(policy, tunnel, origin, segment, out),
                Sent::Numbered(hash) => self.enter(policy, Tunnel { hash, ..tunnel }, origin, segment, out),
                Sent::Refused => self.discard(origin, segment, reasons::NOT_RELIABLE, out),
            }
        });
        match cut {
            Ok(()) => self.becomes(pieces),
            Err(packet) => self.discard(origin, packet, Reason::MALFORMED, out),
        }
    }

    /// Encapsulates a frame that is no superframe and has its checksum, encrypts it if its VPC is, and transmits it.
    pub(super) fn enter(
        &mut self,
        policy: &Policy,
        tunnel: Tunnel,
        origin: Option<Origin>,
        mut packet: Packet,
        out: &mut Outbox,
    ) {
        let Tunnel { vni, remote, hash } = tunnel;
        let underlay = policy.configuration().underlay.as_ref();
        let own = underlay.and_then(|underlay| underlay.own(address(remote)));
        let Some(own) = own else {
            return self.discard(origin, packet, reasons::NO_ROUTE, out);
        };
        // The Ethernet addresses are those of the path.
        let outer = Outer { ethernet: Default::default(), addresses: [own, address(remote)], vni, hash };
        let layers = Layers::of(&packet);
        if !encapsulate(&mut packet, &layers, &outer) {
            return self.discard(origin, packet, Reason::MALFORMED, out);
        }
        match self.associations.seal(vni, &mut packet) {
            Ok(()) => self.send_to_underlay(policy, origin, (hash, address(remote)), packet, out),
            Err(reason) => self.discard(origin, packet, reason, out),
        }
    }

    pub(super) fn deliver(&mut self, policy: &Policy, vnic: u32, packet: Packet, out: &mut Outbox) {
        add(&mut self.of_vnics[vnic as usize].received, &packet);
        out.transmit(policy.configuration().vnics[vnic as usize].port, packet);
    }
}
