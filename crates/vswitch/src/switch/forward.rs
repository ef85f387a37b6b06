//! Finding the session of a packet, or beginning it.

use basis::Instant;
use node::{Outbox, Reason};
use wire::Packet;

use super::arrive::Parsed;
use super::{Verdict, VirtualSwitch};
use crate::events::EventKind;
use crate::metadata::{Metadata, Subject};
use crate::policy::{Asked, Decided, Origin, Policy};
use crate::reasons;
use crate::session::{Count, FlowId, FlowKey, Judged, NewSession, Refused, Segment};

/// The properties of a packet that is on its way through the switch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Passing<'m> {
    /// The policy tables by which its session was decided.
    pub policy: &'m Policy,
    /// Where it came from.
    pub origin: Origin,
    /// The position of the VPC of its session.
    pub vpc: u32,
    pub metadata: &'m Metadata,
    /// The direction of the session that it belongs to.
    pub flow: FlowId,
}

impl VirtualSwitch {
    /// Finds the session of a packet, or begins it, and does what was decided.
    pub(super) fn forward(&mut self, now: Instant, policy: &Policy, mut parsed: Parsed, out: &mut Outbox) {
        match self.matched(now, policy, &mut parsed) {
            Ok(flow) => self.pass(now, policy, flow, parsed, out),
            Err(reason) => self.discard(Some(parsed.origin), parsed.packet, reason, out),
        }
    }

    /// Finds the flow of a packet, and writes its hash into the metadata if it was not known before.
    fn matched(&mut self, now: Instant, policy: &Policy, parsed: &mut Parsed) -> Result<FlowId, Reason> {
        let Parsed { origin, vpc, metadata, packet } = parsed;
        let from = (*origin, *vpc, &*packet);
        match metadata.subject {
            Subject::Flow { key, ref segment, first_of } => {
                let is_new = first_of.is_none_or(|identification| self.fragments.first(now, key, identification));
                if is_new {
                    self.flow(now, policy, from, (key, metadata.hash), segment.as_ref())
                } else {
                    Err(reasons::FRAGMENT)
                }
            }
            Subject::Datagram { key, identification } => {
                let key = self.fragments.key(now, key, identification).ok_or(reasons::FRAGMENT)?;
                metadata.hash = self.sessions.hasher().hash(&key);
                self.flow(now, policy, from, (key, metadata.hash), None)
            }
            // An error passes because the packet did that it is about, and goes where replies to that go.
            Subject::Error { about } => {
                let found = self.sessions.find(&about.reversed(), metadata.hash);
                self.decided(policy, found.ok_or(reasons::UNSUPPORTED)?)
            }
        }
    }

    /// Records a packet of a flow, and does what was decided about it.
    fn pass(&mut self, now: Instant, policy: &Policy, flow: FlowId, parsed: Parsed, out: &mut Outbox) {
        let Parsed { origin, ref metadata, packet, .. } = parsed;
        let segment = match &metadata.subject {
            Subject::Flow { segment, .. } => segment.as_ref(),
            _ => None,
        };
        if self.sessions.packet(now, flow, packet.segments(), segment) == Judged::ResetOutOfWindow {
            return self.discard(Some(origin), packet, reasons::OUT_OF_WINDOW, out);
        }
        let Some(session) = self.sessions.get(flow) else { return };
        let list = session.decision.actions[flow.direction()];
        let vpc = session.decision.vpc;
        self.act(now, (list, 0), Passing { policy, origin, vpc, metadata, flow }, packet, out);
    }

    /// Returns the flow of a key with its hash: that of its session, if the session was decided by today's tables, and else
    /// one that the tables allow.
    fn flow(
        &mut self,
        now: Instant,
        policy: &Policy,
        (origin, vpc, packet): (Origin, u32, &Packet),
        (key, hash): (FlowKey, u64),
        segment: Option<&Segment>,
    ) -> Result<FlowId, Reason> {
        if let Some(flow) = self.sessions.find(&key, hash) {
            let Some(session) = self.sessions.get(flow) else { return Err(reasons::NO_ROUTE) };
            let is_over = segment.is_some_and(|segment| session.tcp.is_replaced_by(segment));
            if !is_over {
                return self.decided(policy, flow);
            }
            self.end(flow);
        }
        if origin == Origin::Outside {
            return Err(reasons::UNEXPECTED);
        }
        self.slow += 1;
        let is_free = |key: &FlowKey| self.sessions.find(key, self.sessions.hash(key)).is_none();
        let asked = Asked { origin, vpc, key, hash, kept: None, is_free: &is_free };
        match policy.decide(&asked) {
            Ok(decided) => self.begin(now, policy, origin, vpc, decided),
            Err(denied) => {
                let mut packets = Count::default();
                packets.add(&packet.segments());
                self.record_denied(now, origin, key, packets, &denied);
                Err(denied.reason)
            }
        }
    }

    fn begin(
        &mut self,
        now: Instant,
        policy: &Policy,
        origin: Origin,
        vpc: u32,
        decided: Decided,
    ) -> Result<FlowId, Reason> {
        let Decided { keys, actions, ends, owner } = decided;
        let actions = actions.map(|actions| self.lists.hold(&actions));
        let decision = Verdict { origin, vpc, ends, actions };
        let new = NewSession { keys, decision, owner, epoch: policy.epoch() };
        let is_vnic_full = self.sessions.of_vnic(owner) >= policy.configuration().limits.per_vnic;
        let mut ended = Vec::new();
        let begun = self.sessions.insert(now, new, &mut |session, _| ended.push(session));
        if !ended.is_empty() || matches!(begun, Err((Refused::TableFull | Refused::VnicFull, _))) {
            let kind = if is_vnic_full { EventKind::VnicFull } else { EventKind::TableFull };
            self.events.happens(now, owner, kind);
        }
        ended.into_iter().for_each(|session| self.retire(session));
        begun.map_err(|(_, decision)| {
            decision.actions.into_iter().for_each(|list| self.lists.release(list));
            reasons::TOO_MANY_SESSIONS
        })
    }

    /// Decides a session of an older epoch by today's tables. It ends if they do not allow it.
    fn decided(&mut self, policy: &Policy, flow: FlowId) -> Result<FlowId, Reason> {
        let Some(session) = self.sessions.get(flow) else { return Err(reasons::NO_ROUTE) };
        if session.epoch == policy.epoch() {
            return Ok(flow);
        }
        self.slow += 1;
        let Verdict { origin, vpc, .. } = session.decision;
        let [key, kept] = session.keys;
        let hash = self.sessions.hash(&key);
        let is_free = |key: &FlowKey| self.sessions.find(key, self.sessions.hash(key)).is_none();
        let asked = Asked { origin, vpc, key, hash, kept: Some(kept), is_free: &is_free };
        match policy.decide(&asked) {
            // What was chosen for the session is not there any more: its other end would not know it.
            Ok(Decided { keys, .. }) if keys[1] != kept => {
                self.end(flow);
                Err(reasons::NO_ROUTE)
            }
            Ok(Decided { actions, ends, .. }) => {
                let actions = actions.map(|actions| self.lists.hold(&actions));
                if let Some(decision) = self.sessions.decision_mut(flow, policy.epoch()) {
                    decision.ends = ends;
                    let old = std::mem::replace(&mut decision.actions, actions);
                    old.into_iter().for_each(|list| self.lists.release(list));
                }
                Ok(flow)
            }
            Err(denied) => {
                self.end(flow);
                Err(denied.reason)
            }
        }
    }

    fn end(&mut self, flow: FlowId) {
        if let Some(session) = self.sessions.remove(flow) {
            self.retire(session);
        }
    }
}
