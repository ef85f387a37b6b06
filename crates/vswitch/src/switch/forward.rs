//! Finding the session of a packet, or beginning it.

use basis::Instant;
use node::Reason;
use wire::tcp::flag;

use super::Verdict;
use super::arrive::Parsed;
use super::core::Core;
use super::made::{Made, Outcome};
use super::report::tell_of_denied;
use crate::configuration::Direction;
use crate::events::EventKind;
use crate::metadata::{Metadata, Subject};
use crate::midstream::{is_midstream, is_no};
use crate::policy::{Asked, Decided, Hop, Origin, Policy};
use crate::preprocessor::IndexUpdate;
use crate::reasons;
use crate::session::{Count, FlowId, FlowKey, Judged, NewSession, Refused, Segment};
use crate::slow_path::{DECISION_COST, NOTE_COST, REPLACEMENT_COST};

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

/// The match of a packet, for those behind it in its vector.
#[derive(Clone, Copy, Debug)]
pub(super) struct Matched {
    key: FlowKey,
    flow: FlowId,
    /// The number of sessions that had ended then.
    ended: u64,
}

impl Core {
    /// Finds the session of a packet, or begins it, and does what was decided.
    pub(super) fn forward(&mut self, now: Instant, policy: &Policy, parsed: &mut Parsed, made: &mut impl FnMut(Made)) {
        self.forward_behind(now, policy, None, parsed, made);
    }

    /// Forwards a packet behind another one of its vector. If it is of the same flow, it needs no match of its own. Returns the
    /// match for the next one.
    pub(super) fn forward_behind(
        &mut self,
        now: Instant,
        policy: &Policy,
        before: Option<Matched>,
        parsed: &mut Parsed,
        made: &mut impl FnMut(Made),
    ) -> Option<Matched> {
        if let Some(matched) = before.filter(|matched| self.is_same(matched, &parsed.metadata)) {
            self.matches.by_vector += 1;
            self.pass(now, policy, matched.flow, parsed, made);
            return before;
        }
        let origin = parsed.origin;
        match self.matched(now, policy, parsed, made) {
            Ok(flow) => {
                let matched = match parsed.metadata.subject {
                    Subject::Flow { key, .. } => Some(Matched { key, flow, ended: self.sessions.ended() }),
                    _ => None,
                };
                self.pass(now, policy, flow, parsed, made);
                matched
            }
            Err(reason) => {
                update_index(&parsed.metadata, made);
                if let Some(packet) = parsed.packet.take() {
                    self.revive(now, policy, (parsed, &packet), reason, made);
                    made(Made::discard(Some(origin), packet, reason));
                }
                None
            }
        }
    }

    /// Returns true if a packet belongs to a flow that was matched before. The first segment of a connection may begin another
    /// session, and is matched by itself.
    fn is_same(&self, matched: &Matched, metadata: &Metadata) -> bool {
        let Subject::Flow { key, segment, first_of: None } = metadata.subject else { return false };
        let is_first = segment.is_some_and(|segment| segment.flags & flag::SYN != 0);
        matched.key == key && matched.ended == self.sessions.ended() && !is_first
    }

    /// Finds the flow of a packet.
    fn matched(
        &mut self,
        now: Instant,
        policy: &Policy,
        parsed: &mut Parsed,
        made: &mut impl FnMut(Made),
    ) -> Result<FlowId, Reason> {
        match parsed.metadata.subject {
            Subject::Flow { key, segment, .. } => self.flow(now, policy, parsed, (key, segment.as_ref()), made),
            Subject::Datagram { key, .. } => self.flow(now, policy, parsed, (key, None), made),
            // An error passes because the packet did that it is about, and goes where replies to that go.
            Subject::Error { about } => {
                let found = self.found(&mut parsed.metadata, &about.reversed());
                self.decided(policy, found.ok_or(reasons::UNSUPPORTED)?, made)
            }
        }
    }

    /// Finds the flow of a key by the flow id in the metadata if there is one, and else by the hash (Triton, section 4.2), and
    /// writes into the metadata what the flow index has to learn.
    fn found(&mut self, metadata: &mut Metadata, key: &FlowKey) -> Option<FlowId> {
        if let Some(flow) = metadata.flow {
            if self.sessions.is_flow(flow, key) {
                self.matches.by_flow_id += 1;
                return Some(flow);
            }
            self.matches.stale += 1;
        }
        let found = self.sessions.find(key, metadata.hash);
        metadata.update = match found {
            Some(flow) => Some(IndexUpdate::Enter(flow)),
            None => metadata.flow.map(|_| IndexUpdate::Remove),
        };
        self.matches.by_hash += u64::from(found.is_some());
        found
    }

    /// Records a packet of a flow, and does what was decided about it.
    fn pass(&mut self, now: Instant, policy: &Policy, flow: FlowId, parsed: &mut Parsed, made: &mut impl FnMut(Made)) {
        let Parsed { origin, ref metadata, ref mut packet, .. } = *parsed;
        let Some(packet) = packet.take() else { return };
        // What a guest of this switch sends comes from nowhere else.
        if !matches!(origin, Origin::Vnic(_))
            && self.sessions.get(flow).is_some_and(|session| session.decision.ends[flow.direction()].is_some())
        {
            return made(Made::discard(Some(origin), packet, reasons::SPOOFED));
        }
        let judged = match &metadata.subject {
            Subject::Flow { segment, .. } => self.sessions.packet(now, flow, packet.segments(), segment.as_ref()),
            Subject::Datagram { .. } => self.sessions.packet(now, flow, packet.segments(), None),
            Subject::Error { .. } => {
                self.sessions.error(now, flow, packet.segments());
                Judged::Accepted
            }
        };
        if judged == Judged::ResetOutOfWindow {
            return made(Made::discard(Some(origin), packet, reasons::OUT_OF_WINDOW));
        }
        if let Some(session) = self.sessions.get(flow) {
            let list = session.decision.actions[flow.direction()];
            let vpc = session.decision.vpc;
            let mut discarded = Count::default();
            let mut tell = |own: Made| {
                if let Outcome::Discard { packet, .. } = &own.0 {
                    discarded.add(&packet.segments());
                }
                made(own);
            };
            self.act(now, (list, 0), Passing { policy, origin, vpc, metadata, flow }, packet, &mut tell);
            if discarded.packets > 0 {
                self.sessions.stopped(flow, discarded);
            }
        }
        update_index(metadata, made);
    }

    /// Returns the flow of a key: that of its session, if the session was decided by today's tables, and else one that the
    /// tables allow.
    fn flow(
        &mut self,
        now: Instant,
        policy: &Policy,
        parsed: &mut Parsed,
        (key, segment): (FlowKey, Option<&Segment>),
        made: &mut impl FnMut(Made),
    ) -> Result<FlowId, Reason> {
        let Parsed { origin, vpc, ref mut metadata, ref packet } = *parsed;
        if let Some(flow) = self.found(metadata, &key) {
            let Some(session) = self.sessions.get(flow) else { return Err(reasons::NO_ROUTE) };
            let is_over = segment.is_some_and(|segment| session.tcp.is_replaced_by(segment));
            if !is_over {
                return self.decided(policy, flow, made);
            }
            self.end(flow, made);
        }
        if origin == Origin::Outside {
            return Err(reasons::UNEXPECTED);
        }
        if key.is_answer() {
            return Err(reasons::UNASKED);
        }
        if let Some((segment, packet)) = segment.zip(packet.as_ref()) {
            if is_no(segment, metadata.hash) {
                return Err(reasons::OUT_OF_WINDOW);
            }
            if is_midstream(segment) && self.asks_client(now, policy, (vpc, &*metadata, &key), packet, made) {
                return Err(reasons::ASKED);
            }
        }
        let payer = self.may_be_decided(now, policy, (origin, vpc, &key), made)?;
        self.matches.by_policy += 1;
        // Replies come to the core that their hash gives, and no other core may take what they are known by.
        let is_free =
            |key: &FlowKey| self.is_home_of(key) && self.sessions.find(key, self.sessions.hash(key)).is_none();
        let asked = Asked { origin, vpc, key, hash: metadata.hash, kept: None, is_free: &is_free };
        match policy.decide(&asked) {
            Ok(decided) => {
                if payer.is_none() {
                    self.spend(now, (decided.owner, Direction::In), false, made)?;
                }
                let begun = self.begin(now, policy, (origin, vpc), decided, made);
                metadata.update = begun.ok().map(IndexUpdate::Enter);
                begun
            }
            Err(denied) => {
                let mut packets = Count::default();
                packet.iter().for_each(|packet| packets.add(&packet.segments()));
                tell_of_denied((origin, key), packets, &denied, made);
                Err(denied.reason)
            }
        }
    }

    /// Returns the vNIC by whose budget the policy tables may decide about the packet that begins a session: the one that sends
    /// it, or else the one that it is for, if that is known before.
    fn may_be_decided(
        &mut self,
        now: Instant,
        policy: &Policy,
        (origin, vpc, key): (Origin, u32, &FlowKey),
        made: &mut impl FnMut(Made),
    ) -> Result<Option<(u32, Direction)>, Reason> {
        let payer = match origin {
            Origin::Vnic(vnic) => Some((vnic, Direction::Out)),
            _ => match policy.hop(vpc, key.destination) {
                Some(Hop::Vnic(vnic)) => Some((vnic, Direction::In)),
                // The receiver is known when a back end was chosen, and for others there is none.
                _ => None,
            },
        };
        let limits = policy.configuration().limits;
        let is_full = |vnic| self.sessions.of_vnic(vnic) >= limits.per_vnic;
        let replaces = self.sessions.occupied() >= limits.sessions || payer.is_some_and(|(vnic, _)| is_full(vnic));
        payer.map_or(Ok(()), |payer| self.spend(now, payer, replaces, made))?;
        self.further_cost += if replaces { REPLACEMENT_COST } else { DECISION_COST };
        Ok(payer)
    }

    /// Takes a packet from the budget of a vNIC, if so much is left.
    fn spend(
        &mut self,
        now: Instant,
        (vnic, direction): (u32, Direction),
        replaces: bool,
        made: &mut impl FnMut(Made),
    ) -> Result<(), Reason> {
        if self.budgets.with(|budgets| budgets.spend(now, vnic, direction, replaces)) {
            return Ok(());
        }
        self.further_cost += NOTE_COST;
        made(Made::happened(vnic, EventKind::OverSessionRate));
        Err(reasons::OVER_SESSION_RATE)
    }

    pub(super) fn begin(
        &mut self,
        now: Instant,
        policy: &Policy,
        (origin, vpc): (Origin, u32),
        decided: Decided,
        made: &mut impl FnMut(Made),
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
            made(Made::happened(owner, kind));
        }
        ended.into_iter().for_each(|session| self.retire(session, made));
        if begun.is_ok() {
            self.tell_way(&keys, true, made);
            self.tell_binding(&keys, true, made);
        }
        begun.map_err(|(_, decision)| {
            decision.actions.into_iter().for_each(|list| self.lists.release(list));
            reasons::TOO_MANY_SESSIONS
        })
    }

    /// Decides a session of an older epoch by today's tables. It ends if they do not allow it.
    fn decided(&mut self, policy: &Policy, flow: FlowId, made: &mut impl FnMut(Made)) -> Result<FlowId, Reason> {
        let Some(session) = self.sessions.get(flow) else { return Err(reasons::NO_ROUTE) };
        if policy.still_holds(session.epoch) {
            return Ok(flow);
        }
        self.matches.by_policy += 1;
        self.decide_anew(policy, flow, made).map_err(|denied| denied.reason)
    }

    pub(super) fn end(&mut self, flow: FlowId, made: &mut impl FnMut(Made)) {
        if let Some(session) = self.sessions.remove(flow) {
            self.retire(session, made);
        }
    }
}

/// Tells the flow index what the metadata of a packet says, now that the packet has left.
fn update_index(metadata: &Metadata, made: &mut impl FnMut(Made)) {
    if let Some(update) = metadata.update {
        made(Made::index(metadata.hash, update));
    }
}
