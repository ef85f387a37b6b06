//! Handing sessions and the numbers of tunnels over to another process, and taking them from one.

use std::collections::BTreeMap;
use std::sync::Arc;

use basis::{Duration, Instant};
use measure::Interest;
use node::Outbox;

use super::core::Core;
use super::made::Made;
use super::{VirtualSwitch, lock};
use crate::handover::{HandedOrigin, HandedSession, Handover, HandoverError, read, write};
use crate::policy::{Asked, Decided, Origin, Policy};
use crate::session::{FlowKey, Resumed};

/// The number of sessions that came from another process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TakenOver {
    /// The sessions that go on here.
    pub taken: u64,
    /// The sessions that this switch's policy tables do not allow, whose vNICs it does not have, or for which it has no room.
    pub refused: u64,
}

impl VirtualSwitch {
    /// Returns the sessions in some slots from a place on, in the bytes that [`Self::take_over`] reads, and the next place; `None` if
    /// there is no other one. The first place is 0. With `since`, those without a packet since then are left out, and the last bytes have the
    /// numbers of tunnels.
    ///
    /// Whoever hands a million sessions over while packets pass does so slots by slots, and then once more since the time at
    /// which that began, when no packet passes any more.
    pub fn hand_over(
        &mut self,
        now: Instant,
        place: usize,
        slots: usize,
        since: Option<Instant>,
    ) -> (Vec<u8>, Option<usize>) {
        let mut handover = Handover { now, ..Handover::default() };
        let mut positions = BTreeMap::new();
        let (mut left, mut next) = (slots, Some(place));
        while let Some(place) = next.filter(|_| left > 0) {
            let (number, from) = (place >> 32, place & u32::MAX as usize);
            let Some(core) = self.cores.get(number) else {
                next = None;
                break;
            };
            let mut core = lock(core);
            next = match core.hand_over((from, left), since, &mut handover, &mut positions) {
                Some(slot) => {
                    left = 0;
                    Some(number << 32 | slot)
                }
                None => {
                    left = left.saturating_sub((core.sessions.slots() as usize).saturating_sub(from));
                    (number + 1 < self.cores.len()).then_some((number + 1) << 32)
                }
            };
        }
        if since.is_some() && next.is_none() {
            handover.windows = self.edge.associations.windows().collect();
            handover.numbers = self.edge.associations.numbers().collect();
            handover.tunnels = self.edge.reliable.handed().collect();
        }
        (write(&handover), next)
    }

    /// Takes sessions over that another process has handed over. Each is decided by the policy tables of this switch, with the
    /// back end and the port that it has, and goes to the core that its replies come to; a session of the same key that is there
    /// already is replaced. Times are counted from `now` as they were from the time at which the sessions were handed over. Tunnels go on
    /// with their numbers where this switch has the same keys.
    ///
    /// # Errors
    /// The reason, if the bytes are of a newer version or damaged; then nothing has changed.
    pub fn take_over(&mut self, now: Instant, bytes: &[u8]) -> Result<TakenOver, HandoverError> {
        let handover = read(bytes)?;
        let policy = Arc::clone(self.policy());
        let position = |name: &String| {
            let vnics = policy.configuration().vnics.iter();
            vnics.zip(0..).find_map(|(vnic, position)| (vnic.name == *name).then_some(position))
        };
        let vnics: Vec<Option<u32>> = handover.vnics.iter().map(position).collect();
        let mut count = TakenOver::default();
        // Nothing is sent.
        let mut out = Outbox::new(Interest::default());
        for session in &handover.sessions {
            let origin = match session.origin {
                HandedOrigin::Vnic(position) => vnics[position as usize].map(Origin::Vnic),
                HandedOrigin::Endpoint(address) => Some(Origin::Endpoint(address)),
            };
            let is_taken = origin.is_some_and(|origin| self.take(now, (origin, handover.now), session, &mut out));
            *if is_taken { &mut count.taken } else { &mut count.refused } += 1;
        }
        let Handover { windows, numbers, tunnels, .. } = &handover;
        self.edge.associations.resume(windows, numbers);
        self.edge.reliable.now = now;
        self.edge.reliable.resume(tunnels);
        Ok(count)
    }

    /// Goes on with a session that was at another switch at a time of its clock, at the core that its replies come to, in the place of those that
    /// have its keys here. Returns false if the tables do not allow it, or there is no room.
    pub(super) fn take(
        &mut self,
        now: Instant,
        (origin, then): (Origin, Instant),
        session: &HandedSession,
        out: &mut Outbox,
    ) -> bool {
        let policy = Arc::clone(self.policy());
        let Self { edge, cores, .. } = self;
        let home = edge.queues.as_ref().map_or(0, |queues| queues.core(&session.keys[1]));
        let mut finish = |made| edge.finish(now, &policy, made, out);
        cores.iter().for_each(|core| lock(core).forget(&session.keys, &mut finish));
        lock(&cores[usize::from(home)]).take_session(now, &policy, (origin, then), session, &mut finish)
    }
}

impl Core {
    /// Appends the sessions in some slots from a number on. Returns the number of the next slot, if there is another one.
    fn hand_over(
        &mut self,
        (from, slots): (usize, usize),
        since: Option<Instant>,
        handover: &mut Handover,
        positions: &mut BTreeMap<u32, u32>,
    ) -> Option<usize> {
        let policy = Arc::clone(&self.policy);
        let vnics = &policy.configuration().vnics;
        self.sessions.visit(from, slots, &mut |session| {
            if since.is_some_and(|since| session.last < since) {
                return;
            }
            let origin = match session.decision.origin {
                // Only the names of vNICs at which sessions began.
                Origin::Vnic(vnic) => HandedOrigin::Vnic(*positions.entry(vnic).or_insert_with(|| {
                    handover.vnics.push(vnics[vnic as usize].name.clone());
                    (handover.vnics.len() - 1) as u32
                })),
                Origin::Endpoint(address) => HandedOrigin::Endpoint(address),
                // No session begins outside of all VPCs.
                Origin::Outside => return,
            };
            handover.sessions.push(HandedSession {
                keys: session.keys,
                origin,
                vni: session.keys[0].vni(),
                counts: session.counts,
                times: [session.began, session.last],
                tcp: session.tcp,
                seen: session.seen.map(|seen| seen.at_rest()),
            });
        })
    }

    /// Forgets sessions with these keys: what takes their place goes on with the state that they had later, and nothing of them is
    /// logged twice.
    fn forget(&mut self, keys: &[FlowKey; 2], made: &mut impl FnMut(Made)) {
        for key in keys {
            let known = self.sessions.find(key, self.sessions.hash(key));
            if let Some(old) = known.and_then(|flow| self.sessions.remove(flow)) {
                self.tell_way(&old.keys, false, made);
                self.tell_binding(&old.keys, false, made);
                old.decision.actions.into_iter().for_each(|list| self.lists.release(list));
            }
        }
    }

    fn take_session(
        &mut self,
        now: Instant,
        policy: &Policy,
        (origin, then): (Origin, Instant),
        session: &HandedSession,
        made: &mut impl FnMut(Made),
    ) -> bool {
        let Some(vpc) = policy.vpc(session.vni) else { return false };
        let [key, kept] = session.keys;
        let hash = self.sessions.hash(&key);
        let is_free = |_: &_| true;
        let asked = Asked { origin, vpc, key, hash, kept: Some(kept), is_free: &is_free };
        let decided = match policy.decide(&asked) {
            Ok(decided @ Decided { keys, .. }) if keys[1] == kept => decided,
            _ => return false,
        };
        let Ok(flow) = self.begin(now, policy, (origin, vpc), decided, made) else { return false };
        let at = |time: Instant| {
            let ago = then.since(time).picoseconds().min(now.picoseconds());
            Instant::ZERO + Duration::from_picoseconds(now.picoseconds() - ago)
        };
        let seen = session.seen.map(|seen| seen.moved(at));
        let HandedSession { counts, times, tcp, .. } = *session;
        self.sessions.resume(flow, Resumed { counts, seen, tcp, times: times.map(at) });
        true
    }
}
