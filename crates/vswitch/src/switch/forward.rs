//! Finding the session of a packet, or beginning it.

use basis::Instant;
use node::{Outbox, Reason};
use wire::Packet;

use super::{Verdict, VirtualSwitch};
use crate::metadata::{Metadata, Subject};
use crate::policy::{Asked, Decided, Origin};
use crate::reasons;
use crate::session::{FlowId, FlowKey, Judged, NewSession, Segment};
use crate::translate::Translation;

/// The properties of a packet that is on its way through the switch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Passing<'m> {
    /// Where it came from.
    pub origin: Origin,
    /// The position of its VPC.
    pub vpc: u32,
    pub metadata: &'m Metadata,
    /// The hash of its flow.
    pub hash: u64,
    /// The key of its flow, and what its addresses and ports become if they are translated.
    pub key: FlowKey,
    pub translation: Translation,
}

impl VirtualSwitch {
    /// Finds the session of a packet, or begins it, and does what was decided.
    pub(super) fn forward(
        &mut self,
        now: Instant,
        origin: Origin,
        vpc: u32,
        metadata: &Metadata,
        packet: Packet,
        out: &mut Outbox,
    ) {
        let found = match &metadata.subject {
            Subject::Flow { key, segment, first_of } => {
                let is_new = first_of.is_none_or(|identification| self.fragments.first(now, *key, identification));
                if is_new { self.flow(now, (origin, vpc), *key, segment.as_ref()) } else { Err(reasons::FRAGMENT) }
            }
            Subject::Datagram { key, identification } => match self.fragments.key(now, *key, *identification) {
                Some(key) => self.flow(now, (origin, vpc), key, None),
                None => Err(reasons::FRAGMENT),
            },
            // An error passes because the packet did that it is about, and goes where replies to that go.
            Subject::Error { about } => self.known_flow(about.reversed(), reasons::UNSUPPORTED),
        };
        let flow = match found {
            Ok(flow) => flow,
            Err(reason) => return self.discard(Some(origin), packet, reason, out),
        };
        let segment = match &metadata.subject {
            Subject::Flow { segment, .. } => segment.as_ref(),
            _ => None,
        };
        let bytes = packet.len() as u64;
        if self.sessions.packet(now, flow, bytes, segment) == Judged::ResetOutOfWindow {
            return self.discard(Some(origin), packet, reasons::OUT_OF_WINDOW, out);
        }
        let Some(session) = self.sessions.get(flow) else { return };
        let list = session.decision.actions[flow.direction()];
        let key = session.keys[flow.direction()];
        let translation = Translation::into_key(&session.keys[1 - flow.direction()].reversed());
        let hash = self.sessions.hash(&key);
        let vpc = session.decision.vpc;
        self.act(now, list, Passing { origin, vpc, metadata, hash, key, translation }, packet, out);
    }

    /// Returns the flow of a key: that of its session, if the session was decided by today's tables, and else one that the
    /// tables allow.
    fn flow(
        &mut self,
        now: Instant,
        (origin, vpc): (Origin, u32),
        key: FlowKey,
        segment: Option<&Segment>,
    ) -> Result<FlowId, Reason> {
        let hash = self.sessions.hash(&key);
        if let Some(flow) = self.sessions.find(&key, hash) {
            let Some(session) = self.sessions.get(flow) else { return Err(reasons::NO_ROUTE) };
            let is_over = segment.is_some_and(|segment| session.tcp.is_replaced_by(segment));
            if !is_over {
                return self.decided(flow);
            }
            self.end(flow);
        }
        if origin == Origin::Outside {
            return Err(reasons::UNEXPECTED);
        }
        self.slow += 1;
        let is_free = |key: &FlowKey| self.sessions.find(key, self.sessions.hash(key)).is_none();
        let asked = Asked { origin, vpc, key, hash, kept: None, is_free: &is_free };
        let decided = self.policy.decide(&asked).map_err(|denied| denied.reason)?;
        self.begin(now, origin, vpc, decided)
    }

    /// Returns the flow of a key that has a session; `otherwise` is the reason if it has none.
    fn known_flow(&mut self, key: FlowKey, otherwise: Reason) -> Result<FlowId, Reason> {
        let flow = self.sessions.find(&key, self.sessions.hash(&key)).ok_or(otherwise)?;
        self.decided(flow)
    }

    fn begin(&mut self, now: Instant, origin: Origin, vpc: u32, decided: Decided) -> Result<FlowId, Reason> {
        let Decided { keys, actions, owner } = decided;
        let actions = actions.map(|actions| self.lists.hold(&actions));
        let decision = Verdict { origin, vpc, actions };
        let new = NewSession { keys, decision, owner, epoch: self.policy.epoch() };
        let mut ended = Vec::new();
        let begun = self.sessions.insert(now, new, &mut |session, _| ended.push(session.decision));
        ended.into_iter().for_each(|decision| self.release(decision));
        begun.map_err(|(_, decision)| {
            self.release(decision);
            reasons::TOO_MANY_SESSIONS
        })
    }

    /// Decides a session of an older epoch by today's tables. It ends if they do not allow it.
    fn decided(&mut self, flow: FlowId) -> Result<FlowId, Reason> {
        let Some(session) = self.sessions.get(flow) else { return Err(reasons::NO_ROUTE) };
        if session.epoch == self.policy.epoch() {
            return Ok(flow);
        }
        self.slow += 1;
        let Verdict { origin, vpc, .. } = session.decision;
        let [key, kept] = session.keys;
        let hash = self.sessions.hash(&key);
        let is_free = |key: &FlowKey| self.sessions.find(key, self.sessions.hash(key)).is_none();
        let asked = Asked { origin, vpc, key, hash, kept: Some(kept), is_free: &is_free };
        match self.policy.decide(&asked) {
            // What was chosen for the session is not there any more: its other end would not know it.
            Ok(Decided { keys, .. }) if keys[1] != kept => {
                self.end(flow);
                Err(reasons::NO_ROUTE)
            }
            Ok(Decided { actions, .. }) => {
                let actions = actions.map(|actions| self.lists.hold(&actions));
                let epoch = self.policy.epoch();
                if let Some(decision) = self.sessions.decision_mut(flow, epoch) {
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
            self.release(session.decision);
        }
    }

    pub(super) fn release(&mut self, decision: Verdict) {
        decision.actions.into_iter().for_each(|list| self.lists.release(list));
    }
}
