//! Connections that were there before the switch was.

use basis::Instant;
use node::Reason;
use runtime::meter::Color;
use wire::{Layers, Packet};

use super::arrive::Parsed;
use super::core::Core;
use super::leave::{Tunnel, Way};
use super::made::Made;
use crate::metadata::{Metadata, Subject};
use crate::midstream::{is_midstream, number_of_question, question, reset};
use crate::policy::{Asked, Decided, Hop, Origin, Policy};
use crate::reasons;
use crate::rewrite::set_ethernet;
use crate::session::FlowKey;
use crate::slow_path::DECISION_COST;
use crate::translate::{Translation, translate};

impl Core {
    /// Looks at a segment that is discarded, because the tables do not allow its sender to begin a session. If it is of the middle of a
    /// connection that the receiver may have begun, the receiver is asked; if it comes from outside all VPCs, the sender is
    /// told that there is no such connection any more. There are no more of these than of ICMP errors.
    pub(super) fn revive(
        &mut self,
        now: Instant,
        policy: &Policy,
        (parsed, packet): (&Parsed, &Packet),
        reason: Reason,
        made: &mut impl FnMut(Made),
    ) {
        let Parsed { origin, vpc, ref metadata, .. } = *parsed;
        let Subject::Flow { key, segment: Some(segment), first_of: None } = metadata.subject else { return };
        let is_meant = [reasons::DENIED, reasons::UNEXPECTED].contains(&reason) && is_midstream(&segment);
        if !is_meant || self.notices.with(|notices| notices.0.mark(now, 1, Color::Green)) == Color::Red {
            return;
        }
        if origin == Origin::Outside {
            if let Some(reset) = reset(packet, &metadata.layers) {
                self.generated += 1;
                made(Made::send(None, None, Way::Underlay(metadata.hash), reset));
            }
            return;
        }
        let configuration = policy.configuration();
        let gateway = configuration.vpcs[vpc as usize].gateway_mac;
        let (receiver, way, mac) = match policy.hop(vpc, key.destination) {
            Some(Hop::Vnic(vnic)) => (Origin::Vnic(vnic), Way::Vnic(vnic), configuration.vnics[vnic as usize].mac),
            // What came through a tunnel never goes into another one.
            Some(Hop::Endpoint { address, mac, .. }) if matches!(origin, Origin::Vnic(_)) => {
                let tunnel = Tunnel { vni: policy.vni(vpc), remote: address, hash: metadata.hash };
                (Origin::Endpoint(address), Way::Tunnel(tunnel), mac)
            }
            _ => return,
        };
        let begun = key.reversed();
        let may_begin =
            self.begun_by(policy, (receiver, vpc), begun).is_some_and(|decided| decided.keys == [begun, key]);
        if let Some(mut question) = question(packet, &metadata.layers, None).filter(|_| may_begin) {
            self.generated += 1;
            set_ethernet(&mut question, gateway, mac);
            made(Made::send(None, None, way, question));
        }
    }

    /// Asks a guest about a segment of the middle of a connection that the switch does not know, if its sender is a back end of load balancers by
    /// which the guest may have begun it: about each of these, and about one with the back end itself. Returns false if there is no such
    /// load balancer. There are no more of these questions than of ICMP errors.
    pub(super) fn asks_client(
        &mut self,
        now: Instant,
        policy: &Policy,
        (vpc, metadata, key): (u32, &Metadata, &FlowKey),
        packet: &Packet,
        made: &mut impl FnMut(Made),
    ) -> bool {
        let mut requests = policy.requests(vpc, key).peekable();
        let Some(Hop::Vnic(guest)) = requests.peek().and_then(|_| policy.hop(vpc, key.destination)) else {
            return false;
        };
        let configuration = policy.configuration();
        let macs = (configuration.vpcs[vpc as usize].gateway_mac, configuration.vnics[guest as usize].mac);
        let mut is_balanced = false;
        for begun in requests.chain([key.reversed()]) {
            let is_direct = begun == key.reversed();
            if is_direct && !is_balanced {
                break;
            }
            if self.notices.with(|notices| notices.0.mark(now, 1, Color::Green)) == Color::Red {
                // The sender sends it again, and then there may be time for the question.
                return true;
            }
            self.further_cost += DECISION_COST;
            if self.begun_by(policy, (Origin::Vnic(guest), vpc), begun).is_none() {
                continue;
            }
            is_balanced = true;
            let number = number_of_question(self.sessions.hash(&begun));
            let Some(mut question) = question(packet, &metadata.layers, Some(number)) else { continue };
            let layers = Layers::of(&question);
            if translate(&mut question, &layers, &Translation::into_key(&begun.reversed())) {
                self.generated += 1;
                set_ethernet(&mut question, macs.0, macs.1);
                made(Made::send(None, None, Way::Vnic(guest), question));
            }
        }
        is_balanced
    }

    /// Returns what the tables decide about a session that somebody begins with a key, if they allow it.
    fn begun_by(&self, policy: &Policy, (origin, vpc): (Origin, u32), key: FlowKey) -> Option<Decided> {
        let (hash, is_free) = (self.sessions.hash(&key), |_: &_| true);
        policy.decide(&Asked { origin, vpc, key, hash, kept: None, is_free: &is_free }).ok()
    }
}
