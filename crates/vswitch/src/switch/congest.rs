//! Noticing guests that do not read and cores that have too much to do, and slowing those that send to them.

use basis::Instant;
use node::Outbox;
use wire::Packet;

use super::arrive::Parsed;
use super::edge::Edge;
use super::leave::Tunnel;
use super::made::Sender;
use crate::configuration::number;
use crate::congestion::{Entered, message};
use crate::events::EventKind;
use crate::policy::{Hop, Origin, Policy};

impl Edge {
    /// Returns true if a packet for a guest is not to be sent, because too much waits for the guest. Its sender is slowed then: a
    /// guest of this switch at once, one behind a tunnel by a message to its switch.
    pub(super) fn is_congested(
        &mut self,
        now: Instant,
        policy: &Policy,
        (origin, sender): (Option<Origin>, Sender),
        (vnic, packet): (u32, &Packet),
        out: &mut Outbox,
    ) -> bool {
        let Some(congestion) = &mut self.congestion else { return false };
        let has_room = out.has_room(policy.configuration().vnics[vnic as usize].port);
        if !congestion.receivers.is_congested(vnic, packet.segments().count, has_room) {
            return false;
        }
        self.events.happens(now, vnic, EventKind::NotRead);
        self.slow_sender(now, policy, (origin, sender), out);
        true
    }

    /// Returns true if the ring of a core has room for a packet, which is recorded. While much waits for the core, the sender is slowed
    /// if the core has more to do for that one than for others.
    pub(super) fn enters_ring(
        &mut self,
        now: Instant,
        policy: &Policy,
        (core, parsed): (u16, &Parsed),
        out: &mut Outbox,
    ) -> bool {
        let Parsed { origin, vpc, ref metadata, .. } = *parsed;
        let [address, _] = metadata.addresses;
        let has_congestion = self.congestion.is_some();
        let Entered { is_in, is_noisy } = self.rings.enter(core, (origin, number(address)), has_congestion);
        if is_noisy {
            let sender = Sender { vpc, address, hash: metadata.hash };
            self.slow_sender(now, policy, (Some(origin), sender), out);
        }
        is_in
    }

    /// Slows a sender: a guest of this switch at once, one behind a tunnel by a message to its switch.
    fn slow_sender(
        &mut self,
        now: Instant,
        policy: &Policy,
        (origin, sender): (Option<Origin>, Sender),
        out: &mut Outbox,
    ) {
        let Sender { vpc, address, hash } = sender;
        let sender = number(address);
        let Some(congestion) = &mut self.congestion else { return };
        match origin {
            Some(Origin::Vnic(vnic)) => self.slow(now, vnic),
            Some(Origin::Endpoint(remote)) if congestion.is_to_be_told(now, vpc, sender) => {
                let gateway = policy.configuration().vpcs[vpc as usize].gateway_mac;
                let tunnel = Tunnel { vni: policy.vni(vpc), remote, hash };
                self.generated += 1;
                self.send_through(policy, tunnel, None, message::make(gateway, sender), out);
            }
            _ => {}
        }
    }

    /// Obeys the message of another switch that a guest of a VPC, by its address, is to be slowed.
    pub(super) fn told_of_congestion(&mut self, now: Instant, policy: &Policy, vpc: u32, guest: u128) {
        if let Some(Hop::Vnic(vnic)) = policy.hop(vpc, guest) {
            self.slow(now, vnic);
        }
    }

    fn slow(&mut self, now: Instant, vnic: u32) {
        if self.congestion.as_mut().is_some_and(|congestion| congestion.senders.slow(now, vnic)) {
            self.events.happens(now, vnic, EventKind::Slowed);
        }
    }
}
