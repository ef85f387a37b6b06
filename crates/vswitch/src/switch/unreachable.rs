//! Packets that have waited in vain for a neighbour of the underlay, and telling the guests that have sent them (RFC 4861, section
//! 7.2.2; RFC 1812, section 5.2.7.1).

use std::sync::Arc;

use basis::Instant;
use node::Outbox;
use runtime::meter::Color;
use wire::{Layers, Packet};

use super::arrive::{OUTSIDE, Parsed, ends_of};
use super::notify::gateway_of;
use super::{VirtualSwitch, lock};
use crate::configuration::number;
use crate::metadata::{Metadata, Subject};
use crate::notice::{Problem, error};
use crate::overlay::decapsulate;
use crate::policy::{Origin, Policy};
use crate::preprocessor::headers::{Headers, reach};
use crate::reasons;
use crate::reliable;
use crate::underlay::Waiting;

impl VirtualSwitch {
    /// Discards what has waited in vain, and tells the guests of this switch that have sent it. There are no more of these messages than of
    /// other ICMP errors. About what was encrypted nobody is told, because nobody can say any more what it was about.
    pub(super) fn give_up(&mut self, now: Instant, out: &mut Outbox) {
        if self.edge.in_vain.is_empty() {
            return;
        }
        let policy = Arc::clone(self.policy());
        for Waiting { packet, origin } in std::mem::take(&mut self.edge.in_vain) {
            if let Some(Origin::Vnic(vnic)) = origin
                && lock(&self.cores[0]).notices.with(|notices| notices.0.mark(now, 1, Color::Green)) != Color::Red
            {
                let layers = Layers::of(&packet);
                // Of some packets nobody can be told.
                let _: Option<()> = match ends_of(&packet, &layers) {
                    Some([source, _]) if policy.is_outside(number(source)) => {
                        self.tell_translated(now, &policy, (&packet, &layers), out)
                    }
                    _ => self.tell_of_inner(&policy, vnic, packet.clone(), out),
                };
            }
            self.edge.discard(origin, packet, reasons::UNRESOLVED, out);
        }
    }

    /// Tells a guest about the packet in one of a tunnel.
    fn tell_of_inner(&mut self, policy: &Policy, vnic: u32, mut packet: Packet, out: &mut Outbox) -> Option<()> {
        let headers = Headers::of(&mut packet);
        let tunnel = decapsulate(&mut packet, &headers).ok()?;
        let mut layers = tunnel.layers;
        if let Some(reliable::Read::Data(_)) = reliable::read(&packet, &layers) {
            reliable::unwrap(&mut packet);
            layers = reach(&mut packet);
        }
        let vpc = policy.vpc(tunnel.vni)?;
        let metadata = Metadata::read(&packet, layers, tunnel.vni, &self.edge.hasher).ok()?;
        // No error is about an error, or about a fragment behind the first (RFC 1812, section 4.3.2.7).
        let Subject::Flow { .. } = metadata.subject else { return None };
        let sender = metadata.addresses[0];
        let configuration = policy.configuration();
        let own = configuration.vnics.get(vnic as usize).filter(|own| !own.is_vacant())?;
        let macs = [configuration.vpcs[vpc as usize].gateway_mac, own.mac];
        let ends = [gateway_of(policy, vpc, sender)?, sender];
        let notice = error(&packet, &layers, Problem::Unreachable, ends, macs)?;
        self.edge.generated += 1;
        self.edge.deliver(policy, vnic, notice, out);
        Some(())
    }

    /// Tells a guest about a packet that a pool has translated, as a router outside would: the session of the packet says who the guest is.
    fn tell_translated(
        &mut self,
        now: Instant,
        policy: &Policy,
        (packet, layers): (&Packet, &Layers),
        out: &mut Outbox,
    ) -> Option<()> {
        let [source, destination] = ends_of(packet, layers)?;
        let read = Metadata::read(packet, *layers, OUTSIDE, &self.edge.hasher).ok()?;
        let Subject::Flow { .. } = read.subject else { return None };
        let own = policy.configuration().underlay.as_ref()?.own(destination)?;
        let notice = error(packet, layers, Problem::Unreachable, [own, source], Default::default())?;
        let metadata = Metadata::read(&notice, Layers::of(&notice), OUTSIDE, &self.edge.hasher).ok()?;
        let parsed = Parsed { origin: Origin::Outside, vpc: 0, metadata, packet: Some(notice) };
        self.edge.generated += 1;
        let core = self.edge.core_of(now, policy, &parsed);
        let Self { edge, cores, .. } = self;
        let mut core = lock(&cores[usize::from(core)]);
        let mut finish = |made| edge.finish(now, policy, made, out);
        core.work(now, parsed, &mut finish);
        core.finish(&mut finish);
        Some(())
    }
}
