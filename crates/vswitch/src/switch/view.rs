//! Sessions as others see them: copies, for showing them and for saying what other tables would do.

use basis::Instant;

use super::{Verdict, VirtualSwitch};
use crate::action::Action;
use crate::policy::Known;
use crate::session::{Count, FlowId, FlowKey, Seen, Session, TcpPhase};

/// A copy of a session, which may have ended since.
#[derive(Clone, Debug)]
pub struct SessionView {
    /// The flow id of the first direction.
    pub flow: FlowId,
    /// What the policy tables must know to decide it anew.
    pub known: Known,
    /// The number of the tables by which it was decided.
    pub epoch: u32,
    /// The positions of the vNICs of this switch at its two ends.
    pub ends: [Option<u32>; 2],
    /// What is done with the packets of each direction.
    pub actions: [Vec<Action>; 2],
    /// What has passed in each direction.
    pub counts: [Count; 2],
    /// What else was seen of each direction.
    pub seen: [Seen; 2],
    /// The phase of the connection, if it is one of TCP.
    pub phase: Option<TcpPhase>,
    /// The time at which it began.
    pub began: Instant,
    /// The time of its last packet.
    pub last: Instant,
    /// The time at which it ends if no packet comes.
    pub end: Instant,
}

impl VirtualSwitch {
    fn view(&self, flow: FlowId, session: &Session<Verdict>) -> SessionView {
        let is_tcp = session.keys[0].protocol() == wire::protocol::TCP;
        SessionView {
            flow,
            known: self.known(session),
            epoch: session.epoch,
            ends: session.decision.ends,
            actions: session.decision.actions.map(|list| self.lists.get(list).to_vec()),
            counts: session.counts,
            seen: session.seen,
            phase: is_tcp.then(|| session.tcp.phase()),
            began: session.began,
            last: session.last,
            end: session.ends(self.sessions.timeouts()),
        }
    }

    /// Returns copies of the sessions in some slots from a number on, and the number of the next slot, if there is another one,
    /// so that many sessions can be copied in short turns.
    pub fn sessions_from(&self, slot: u32, slots: u32) -> (Vec<SessionView>, Option<u32>) {
        let end = slot.saturating_add(slots).min(self.sessions.slots());
        let view = |slot: u32| {
            let flow = self.sessions.in_slot(slot)?;
            Some(self.view(flow, self.sessions.get(flow)?))
        };
        ((slot..end).filter_map(view).collect(), (end < self.sessions.slots()).then_some(end))
    }

    /// As [`Self::sessions_from`], but only what the policy tables must know to decide each anew.
    pub fn known_from(&self, slot: u32, slots: u32) -> (Vec<Known>, Option<u32>) {
        let end = slot.saturating_add(slots).min(self.sessions.slots());
        let known = |slot: u32| Some(self.known(self.sessions.get(self.sessions.in_slot(slot)?)?));
        ((slot..end).filter_map(known).collect(), (end < self.sessions.slots()).then_some(end))
    }

    /// Returns the number of sessions.
    pub fn sessions_count(&self) -> u64 {
        self.sessions.len() as u64
    }

    /// Returns the number of sessions that are counted for a vNIC, by its position.
    pub fn sessions_of_vnic(&self, vnic: u32) -> u32 {
        self.sessions.of_vnic(vnic)
    }

    /// Returns a copy of the session of a flow, and the direction of the flow in it.
    pub fn session_of(&self, key: &FlowKey) -> Option<(SessionView, usize)> {
        let flow = self.sessions.find(key, self.sessions.hash(key))?;
        let session = self.sessions.get(flow)?;
        let first = if flow.direction() == 0 { flow } else { flow.reply() };
        Some((self.view(first, session), flow.direction()))
    }

    /// Returns the hash of a flow, by which back ends and ports of pools are chosen.
    pub fn hash_of(&self, key: &FlowKey) -> u64 {
        self.sessions.hash(key)
    }
}
