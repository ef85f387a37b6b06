//! Sessions as others see them: copies, for showing them and for saying what other tables would do.

use basis::Instant;

use super::core::Core;
use super::{Verdict, VirtualSwitch, lock};
use crate::action::Action;
use crate::policy::Known;
use crate::session::{Count, FlowId, FlowKey, Seen, Session, TcpPhase};

/// A copy of a session, which may have ended since.
#[derive(Clone, Debug)]
pub struct SessionView {
    /// The number of its core.
    pub core: u16,
    /// The flow id of the first direction, in its core.
    pub flow: FlowId,
    /// What the policy tables must know to decide it anew.
    pub known: Known,
    /// The number of the tables by which it was decided.
    pub epoch: u32,
    /// The positions of the vNICs of this switch at its two ends.
    pub ends: [Option<u32>; 2],
    /// What is done with the packets of each direction.
    pub actions: [Vec<Action>; 2],
    /// What has passed in each direction, without what was discarded.
    pub counts: [Count; 2],
    /// What else was seen of each direction.
    pub seen: [Seen; 2],
    /// The phase of the connection, if it is one of TCP.
    pub phase: Option<TcpPhase>,
    /// Whether a packet has come back, and not only ICMP errors.
    pub is_answered: bool,
    /// The time at which it began.
    pub began: Instant,
    /// The time of its last packet.
    pub last: Instant,
    /// The time at which it ends if no packet comes.
    pub end: Instant,
}

impl Core {
    fn view(&self, flow: FlowId, session: &Session<Verdict>) -> SessionView {
        let is_tcp = session.keys[0].protocol() == wire::protocol::TCP;
        SessionView {
            core: self.number,
            flow,
            known: self.known(session),
            epoch: session.epoch,
            ends: session.decision.ends,
            actions: session.decision.actions.map(|list| self.lists.get(list).to_vec()),
            counts: session.counts,
            seen: session.seen,
            phase: is_tcp.then(|| session.tcp.phase()),
            is_answered: session.is_answered,
            began: session.began,
            last: session.last,
            end: session.ends(self.sessions.timeouts()),
        }
    }
}

impl VirtualSwitch {
    /// Returns what `copy` makes of the sessions in some slots from a place on, and the next place, if there is another one.
    fn copied<T>(
        &self,
        place: u64,
        slots: u32,
        copy: impl Fn(&Core, FlowId, &Session<Verdict>) -> T,
    ) -> (Vec<T>, Option<u64>) {
        let (number, slot) = ((place >> 32) as usize, place as u32);
        let Some(core) = self.cores.get(number) else { return (Vec::new(), None) };
        let core = lock(core);
        let end = slot.saturating_add(slots).min(core.sessions.slots());
        let one = |slot: u32| {
            let flow = core.sessions.in_slot(slot)?;
            Some(copy(&core, flow, core.sessions.get(flow)?))
        };
        let next = match end < core.sessions.slots() {
            true => Some(place & !u64::from(u32::MAX) | u64::from(end)),
            false => (number + 1 < self.cores.len()).then_some((number as u64 + 1) << 32),
        };
        ((slot..end).filter_map(one).collect(), next)
    }

    /// Returns copies of the sessions in some slots from a place on, and the next place, if there is another one, so that many
    /// sessions can be copied in short turns. The first place is 0.
    pub fn sessions_from(&self, place: u64, slots: u32) -> (Vec<SessionView>, Option<u64>) {
        self.copied(place, slots, Core::view)
    }

    /// As [`Self::sessions_from`], but only what the policy tables must know to decide each anew.
    pub fn known_from(&self, place: u64, slots: u32) -> (Vec<Known>, Option<u64>) {
        self.copied(place, slots, |core, _, session| core.known(session))
    }

    /// Returns the number of sessions.
    pub fn sessions_count(&self) -> u64 {
        lock(&self.cores[0]).sessions.occupied().into()
    }

    /// Returns the number of sessions that are counted for a vNIC, by its position.
    pub fn sessions_of_vnic(&self, vnic: u32) -> u32 {
        lock(&self.cores[0]).sessions.of_vnic(vnic)
    }

    /// Returns a copy of the session of a flow, and the direction of the flow in it.
    pub fn session_of(&self, key: &FlowKey) -> Option<(SessionView, usize)> {
        self.cores.iter().find_map(|core| {
            let core = lock(core);
            let flow = core.sessions.find(key, core.sessions.hash(key))?;
            let session = core.sessions.get(flow)?;
            let first = if flow.direction() == 0 { flow } else { flow.reply() };
            Some((core.view(first, session), flow.direction()))
        })
    }

    /// Returns the hash of a flow, by which back ends and ports of pools are chosen.
    pub fn hash_of(&self, key: &FlowKey) -> u64 {
        self.edge.hasher.hash(key)
    }
}
