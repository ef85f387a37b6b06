//! What a core tells of its sessions: for the flow log, and as events of vNICs.

use super::Verdict;
use super::core::Core;
use super::made::{Made, Outcome};
use crate::action_lists::ActionLists;
use crate::configuration::Course;
use crate::events::EventKind;
use crate::flow_log::FlowPart;
use crate::policy::{Denied, Origin};
use crate::reasons;
use crate::session::{Count, FlowHasher, FlowKey, Session};

impl Core {
    /// Records the packets of sessions in some slots from a number on that no record has yet. Returns the number of the next slot.
    pub(super) fn record(&mut self, from: usize, slots: usize, made: &mut impl FnMut(Made)) -> Option<usize> {
        let Self { sessions, lists, .. } = self;
        let hasher = *sessions.hasher();
        sessions.visit(from, slots, &mut |session| record(session, (lists, &hasher), made))
    }

    /// Records a session that has ended, and releases what was decided about it.
    pub(super) fn retire(&mut self, mut session: Session<Verdict>, made: &mut impl FnMut(Made)) {
        if self.policy.configuration().flow_log.is_some() {
            record(&mut session, (&self.lists, self.sessions.hasher()), made);
        }
        self.tell_way(&session.keys, false, made);
        self.tell_binding(&session.keys, false, made);
        session.decision.actions.into_iter().for_each(|list| self.lists.release(list));
    }
}

/// Records packets that begin no session, because the policy tables do not allow it.
pub(super) fn tell_of_denied(
    (origin, key): (Origin, FlowKey),
    packets: Count,
    denied: &Denied,
    made: &mut impl FnMut(Made),
) {
    if let Origin::Vnic(vnic) = origin
        && denied.reason == reasons::NO_FREE_PORT
    {
        made(Made::happened(vnic, EventKind::NoFreePort));
    }
    if let Some((vnic, seen)) = denied.at {
        let course = if origin == Origin::Vnic(vnic) { Course::Egress } else { Course::Ingress };
        made(Made(Outcome::Refused { flow: FlowPart { key: seen, vnic, course, is_accepted: false }, packets }));
        // The sender's own rules accept what the receiver's do not.
        if let Origin::Vnic(sender) = origin
            && sender != vnic
        {
            let flow = FlowPart { key, vnic: sender, course: Course::Egress, is_accepted: true };
            made(Made(Outcome::Refused { flow, packets }));
        }
    }
}

/// Records what has passed in both directions of a session, for the vNICs at its ends.
fn record(session: &mut Session<Verdict>, (lists, hasher): (&ActionLists, &FlowHasher), made: &mut impl FnMut(Made)) {
    for direction in [0, 1] {
        let [was_sent, has_passed] = session.take_unlogged(direction);
        for (end, vnic) in session.decision.ends.into_iter().enumerate() {
            let Some(vnic) = vnic else { continue };
            // Each end sees its own packets as they are sent, and those of the other one reversed.
            let [sent, of_peer] = [session.keys[end], session.keys[1 - end]];
            let (key, course, peer, unlogged) = if end == direction {
                (sent, Course::Egress, of_peer.reversed(), was_sent)
            } else {
                (sent.reversed(), Course::Ingress, of_peer, has_passed)
            };
            let Some(unlogged) = unlogged else { continue };
            let flow = FlowPart { key, vnic, course, is_accepted: true };
            let goes = (lists.get(session.decision.actions[end]).last().copied(), hasher.hash(&sent));
            made(Made(Outcome::Recorded { flow, unlogged, began: session.began, peer, goes }));
        }
    }
}
