//! Connections that were there before the switch was.

use basis::Instant;
use node::Reason;
use runtime::meter::Color;
use wire::Packet;

use super::arrive::Parsed;
use super::core::Core;
use super::leave::{Tunnel, Way};
use super::made::Made;
use crate::metadata::Subject;
use crate::midstream::{is_midstream, question, reset};
use crate::policy::{Asked, Decided, Hop, Origin, Policy};
use crate::reasons;
use crate::rewrite::set_ethernet;

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
        let (begun, is_free) = (key.reversed(), |_: &_| true);
        let hash = self.sessions.hash(&begun);
        let asked = Asked { origin: receiver, vpc, key: begun, hash, kept: None, is_free: &is_free };
        let may_begin = policy.decide(&asked).is_ok_and(|Decided { keys, .. }| keys == [begun, key]);
        if let Some(mut question) = question(packet, &metadata.layers).filter(|_| may_begin) {
            self.generated += 1;
            set_ethernet(&mut question, gateway, mac);
            made(Made::send(None, None, way, question));
        }
    }
}
