//! The table of all sessions.

use basis::Instant;
use hashbrown::HashTable;
use wire::Segments;
use wire::tcp::flag;

use super::admission::{Ended, NewSession, Refused, Resumed, SessionLimits};
use super::buckets::Buckets;
use super::key::{FlowHasher, FlowKey};
use super::list::{Links, List};
use super::occupied::Occupied;
use super::seen::Seen;
use super::session::{Count, FlowId, Session};
use super::tcp::{Judged, Segment};
use super::timeouts::Timeouts;
use crate::common::Common;

/// The most sessions for which the index has room from the beginning.
const MOST_FORESEEN: u32 = 1 << 22;

/// All sessions: found by the keys of both directions, by flow id, and by the time at which they end.
#[derive(Debug)]
pub struct SessionTable<D> {
    slots: Vec<Slot<D>>,
    free: Vec<u32>,
    index: HashTable<FlowId>,
    hasher: FlowHasher,
    timeouts: Timeouts,
    limits: SessionLimits,
    buckets: Buckets,
    /// All half-open sessions, from the oldest on.
    half_open: List,
    /// The half-open sessions of each vNIC, from the oldest on.
    half_open_of_vnic: Vec<List>,
    /// The numbers of sessions that limits hold for, in this table and in those of other cores.
    occupied: Common<Occupied>,
    count: u32,
    /// The number of sessions that have ended.
    ended: u64,
}

/// A place for a session, and the links of the lists that it is in.
#[derive(Debug)]
struct Slot<D>(Option<Session<D>>);

impl<D> Slot<D> {
    fn session(&mut self) -> &mut Session<D> {
        self.0.as_mut().expect("slots in lists hold sessions")
    }
}

fn in_bucket<D>(slot: &mut Slot<D>) -> &mut Links {
    &mut slot.session().in_bucket
}

fn in_half_open<D>(slot: &mut Slot<D>) -> &mut Links {
    &mut slot.session().in_half_open
}

fn in_half_open_of_vnic<D>(slot: &mut Slot<D>) -> &mut Links {
    &mut slot.session().in_half_open_of_vnic
}

impl<D> SessionTable<D> {
    /// Creates a table without sessions.
    pub fn new(limits: SessionLimits, timeouts: Timeouts, hasher: FlowHasher) -> Self {
        Self {
            slots: Vec::new(),
            free: Vec::new(),
            // A table that grows computes all hashes again, and packets wait for it.
            index: HashTable::with_capacity(2 * limits.sessions.min(MOST_FORESEEN) as usize),
            hasher,
            timeouts,
            limits,
            buckets: Buckets::default(),
            half_open: List::default(),
            half_open_of_vnic: Vec::new(),
            occupied: Common::Own(Occupied::default()),
            count: 0,
            ended: 0,
        }
    }

    /// Creates a table without sessions for another core of the same switch; `tables` is the number of all of them. Limits hold for
    /// the sessions of all tables together.
    pub(crate) fn another(&mut self, tables: u32) -> Self {
        let share = SessionLimits { sessions: self.limits.sessions.div_ceil(tables), ..self.limits };
        let mut other = Self::new(share, self.timeouts, self.hasher);
        (other.limits, other.occupied) = (self.limits, self.occupied.share());
        other
    }

    /// Takes the numbers of sessions to itself, when all other tables are gone.
    pub(crate) fn be_alone(&mut self) {
        self.occupied.own();
    }

    /// Returns the number of sessions in all tables.
    pub(crate) fn occupied(&self) -> u32 {
        self.occupied.look(|occupied| occupied.all)
    }

    /// Returns the number of sessions.
    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// Returns the number of sessions that have ended. As long as it stays the same, every flow id means what it meant.
    pub fn ended(&self) -> u64 {
        self.ended
    }

    /// Returns true if there is no session.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns the number of sessions of a vNIC, in all tables.
    pub fn of_vnic(&self, vnic: u32) -> u32 {
        self.occupied.look(|occupied| occupied.of_vnic(vnic))
    }

    /// Returns the hash of keys.
    pub fn hasher(&self) -> &FlowHasher {
        &self.hasher
    }

    /// Returns the hash of a key, for [`Self::find`].
    pub fn hash(&self, key: &FlowKey) -> u64 {
        self.hasher.hash(key)
    }

    /// Returns the direction of a session with a key whose hash is known.
    pub fn find(&self, key: &FlowKey, hash: u64) -> Option<FlowId> {
        self.index.find(hash, |flow| self.key(*flow) == Some(key)).copied()
    }

    /// Returns true if a flow id that somebody kept still means the flow of this key.
    pub fn is_flow(&self, flow: FlowId, key: &FlowKey) -> bool {
        self.key(flow) == Some(key)
    }

    fn key(&self, flow: FlowId) -> Option<&FlowKey> {
        let session = self.slots.get(flow.slot() as usize)?.0.as_ref()?;
        Some(&session.keys[flow.direction()])
    }

    /// Returns the session of a flow.
    pub fn get(&self, flow: FlowId) -> Option<&Session<D>> {
        self.slots.get(flow.slot() as usize)?.0.as_ref()
    }

    /// Returns what was decided about a session, to be decided anew by the policy of this number.
    pub fn decision_mut(&mut self, flow: FlowId, epoch: u32) -> Option<&mut D> {
        let session = self.slots.get_mut(flow.slot() as usize)?.0.as_mut()?;
        session.epoch = epoch;
        Some(&mut session.decision)
    }

    /// Returns all sessions, in the order of their slots.
    pub fn iter(&self) -> impl Iterator<Item = (FlowId, &Session<D>)> {
        let session = |(slot, held): (u32, _)| Some((FlowId::new(slot, 0), held));
        let held = self.slots.iter().zip(0..).filter_map(|(slot, number)| Some((number, slot.0.as_ref()?)));
        held.filter_map(session)
    }

    /// Begins a session. If there are too many, the oldest half-open one of all or of the vNIC ends, and is told.
    ///
    /// # Errors
    /// The reason, and what was decided, if the session cannot begin.
    pub fn insert(
        &mut self,
        now: Instant,
        new: NewSession<D>,
        tell: &mut dyn FnMut(Session<D>, Ended),
    ) -> Result<FlowId, (Refused, D)> {
        let NewSession { keys, decision, owner, epoch } = new;
        let hashes = keys.map(|key| self.hasher.hash(&key));
        let is_taken = |(key, hash): (&FlowKey, u64)| self.find(key, hash).is_some();
        if keys[0] == keys[1] || keys.iter().zip(hashes).any(is_taken) {
            return Err((Refused::KeyTaken, decision));
        }
        let oldest_of_vnic = self.half_open_of_vnic.get(owner as usize).and_then(List::first);
        if self.of_vnic(owner) >= self.limits.per_vnic && !self.evict(oldest_of_vnic, tell) {
            return Err((Refused::VnicFull, decision));
        }
        if self.occupied() >= self.limits.sessions && !self.evict(self.half_open.first(), tell) {
            return Err((Refused::TableFull, decision));
        }
        if !self.occupied.with(|occupied| occupied.try_add(owner, &self.limits)) {
            // Another core has taken the last place meanwhile.
            return Err((Refused::TableFull, decision));
        }
        let session = Session {
            keys,
            decision,
            counts: [Count::default(); 2],
            seen: [Seen::default(); 2],
            tcp: Default::default(),
            began: now,
            last: now,
            owner,
            epoch,
            in_bucket: Links::default(),
            in_half_open: Links::default(),
            in_half_open_of_vnic: Links::default(),
            bucket: 0,
            is_half_open: false,
            is_answered: false,
        };
        Ok(FlowId::new(self.place(now, hashes, session), 0))
    }

    /// Takes over a session from another table of the same switch, with its whole state. Neither of its keys may be here.
    pub(crate) fn adopt(&mut self, now: Instant, session: Session<D>) -> FlowId {
        let hashes = session.keys.map(|key| self.hasher.hash(&key));
        let links = Links::default();
        let session = Session { in_bucket: links, in_half_open: links, in_half_open_of_vnic: links, ..session };
        self.occupied.with(|occupied| occupied.add(session.owner));
        FlowId::new(self.place(now, hashes, Session { is_half_open: false, ..session }), 0)
    }

    /// Puts a session into a slot, which is returned.
    fn place(&mut self, now: Instant, hashes: [u64; 2], session: Session<D>) -> u32 {
        if self.is_empty() {
            self.buckets.begin(now);
        }
        let (owner, is_half_open) = (session.owner, session.is_half_open());
        let slot = self.free.pop().unwrap_or_else(|| self.new_slot());
        self.slots[slot as usize].0 = Some(session);
        for (direction, hash) in hashes.into_iter().enumerate() {
            let Self { index, slots, hasher, .. } = self;
            index.insert_unique(hash, FlowId::new(slot, direction), |flow| hash_of(slots, hasher, *flow));
        }
        self.count += 1;
        let owners = owner as usize + 1;
        if self.half_open_of_vnic.len() < owners {
            self.half_open_of_vnic.resize(owners, List::default());
        }
        self.wait(slot);
        self.list_half_open(slot, is_half_open);
        slot
    }

    /// Makes a slot. The slots become twice as many when there is no room, but never more than there may be sessions.
    fn new_slot(&mut self) -> u32 {
        let count = self.slots.len();
        if count == self.slots.capacity() {
            let most = (self.limits.sessions as usize).saturating_sub(count);
            self.slots.reserve_exact(count.max(64).min(most).max(1));
        }
        self.slots.push(Slot(None));
        count as u32
    }

    /// Returns the number of slots, used or not.
    pub(crate) fn slots(&self) -> u32 {
        self.slots.len() as u32
    }

    /// Returns the first direction of the session in a slot, if there is one.
    pub(crate) fn in_slot(&self, slot: u32) -> Option<FlowId> {
        let is_used = self.slots.get(slot as usize).is_some_and(|slot| slot.0.is_some());
        is_used.then(|| FlowId::new(slot, 0))
    }

    /// Returns the timeouts.
    pub fn timeouts(&self) -> &Timeouts {
        &self.timeouts
    }

    /// Sets the limits and the timeouts from now on. Sessions that are there stay, even if there are too many; one that has
    /// been given a later end keeps that until its next packet, or until it is looked at.
    pub fn set_limits(&mut self, limits: SessionLimits, timeouts: Timeouts) {
        (self.limits, self.timeouts) = (limits, timeouts);
    }

    /// Visits the sessions in some slots from a number on, in their order. Returns the number of the next slot, or `None` if
    /// there is no other one.
    pub(crate) fn visit(&mut self, from: usize, slots: usize, visit: &mut dyn FnMut(&mut Session<D>)) -> Option<usize> {
        let end = from.saturating_add(slots).min(self.slots.len());
        self.slots.get_mut(from..end)?.iter_mut().filter_map(|slot| slot.0.as_mut()).for_each(visit);
        (end < self.slots.len()).then_some(end)
    }

    /// Records a packet of a flow, or the segments that it will be cut into, with its segment if it is one of TCP. A segment
    /// that does not belong to the connection is not counted.
    ///
    /// # Panics
    /// If the session has ended.
    pub fn packet(&mut self, now: Instant, flow: FlowId, segments: Segments, segment: Option<&Segment>) -> Judged {
        let (slot, direction) = (flow.slot(), flow.direction());
        let session = self.slots[slot as usize].session();
        let before = session.tcp.phase();
        if let Some(segment) = segment {
            let end = session.tcp.end(direction);
            let judged = session.tcp.segment(direction, segment);
            if judged != Judged::Accepted {
                return judged;
            }
            session.seen[direction].sends(now, segment, end);
            if segment.has(flag::ACK) {
                session.seen[1 - direction].acknowledged(now, segment.acknowledgement);
            }
        }
        session.seen[direction].packet(now, session.counts[direction]);
        session.counts[direction].add(&segments);
        session.last = now;
        session.is_answered |= direction == 1;
        let (phase, is_half_open) = (session.tcp.phase(), session.is_half_open());
        if phase != before {
            // The session may end earlier than before.
            self.leave_bucket(slot);
            self.wait(slot);
        }
        self.list_half_open(slot, is_half_open);
        Judged::Accepted
    }

    /// Records an ICMP error about a packet of the other direction of a flow. It is counted with the flow, but it is no answer, and does
    /// not keep the session for longer (RFC 5508, REQ-6, demands that for queries of ICMP).
    ///
    /// # Panics
    /// If the session has ended.
    pub(crate) fn error(&mut self, now: Instant, flow: FlowId, segments: Segments) {
        let session = self.slots[flow.slot() as usize].session();
        let direction = flow.direction();
        session.seen[direction].packet(now, session.counts[direction]);
        session.counts[direction].add(&segments);
    }

    /// Records what was discarded of a packet that was recorded before: it was sent, but has not passed.
    ///
    /// # Panics
    /// If the session has ended.
    pub(crate) fn stopped(&mut self, flow: FlowId, discarded: Count) {
        let session = self.slots[flow.slot() as usize].session();
        let direction = flow.direction();
        session.counts[direction] = session.counts[direction].without(discarded);
        let stopped = &mut session.seen[direction].stopped;
        *stopped = stopped.and(discarded);
    }

    /// Gives a session the state that it had in another table.
    ///
    /// # Panics
    /// If the session has ended.
    pub(crate) fn resume(&mut self, flow: FlowId, resumed: Resumed) {
        let slot = flow.slot();
        let session = self.slots[slot as usize].session();
        (session.counts, session.seen, session.tcp) = (resumed.counts, resumed.seen, resumed.tcp);
        [session.began, session.last] = resumed.times;
        // Whether that were only errors is not handed over.
        session.is_answered = resumed.counts[1].packets > 0;
        let is_half_open = session.is_half_open();
        self.leave_bucket(slot);
        self.wait(slot);
        self.list_half_open(slot, is_half_open);
    }

    /// Ends a session, and returns it.
    pub fn remove(&mut self, flow: FlowId) -> Option<Session<D>> {
        self.get(flow)?;
        self.leave_bucket(flow.slot());
        self.end(flow.slot())
    }

    /// Ends a session that is in no bucket.
    fn end(&mut self, slot: u32) -> Option<Session<D>> {
        self.list_half_open(slot, false);
        for direction in [0, 1] {
            let own = FlowId::new(slot, direction);
            let hash = hash_of(&self.slots, &self.hasher, own);
            if let Ok(entry) = self.index.find_entry(hash, |flow| *flow == own) {
                entry.remove();
            }
        }
        let session = self.slots[slot as usize].0.take()?;
        self.free.push(slot);
        self.count -= 1;
        self.ended += 1;
        self.occupied.with(|occupied| occupied.remove(session.owner));
        Some(session)
    }

    /// Ends the sessions whose time has come, and tells each.
    pub fn expire(&mut self, now: Instant, tell: &mut dyn FnMut(Session<D>, Ended)) {
        while let Some(mut waiting) = self.buckets.take_due(now) {
            // Those that wait longer are put into later buckets.
            while let Some(slot) = waiting.first() {
                waiting.remove(&mut self.slots, slot, in_bucket);
                if self.slots[slot as usize].session().ends(&self.timeouts) > now {
                    self.wait(slot);
                } else if let Some(session) = self.end(slot) {
                    tell(session, Ended::TimedOut);
                }
            }
        }
    }

    /// Returns the time of the next call of [`Self::expire`] that may end a session.
    pub fn deadline(&self) -> Option<Instant> {
        self.buckets.next()
    }

    /// Puts a session into the bucket of the time at which it ends.
    fn wait(&mut self, slot: u32) {
        let ends = self.slots[slot as usize].session().ends(&self.timeouts);
        let bucket = self.buckets.push(&mut self.slots, slot, ends, in_bucket);
        self.slots[slot as usize].session().bucket = bucket;
    }

    fn leave_bucket(&mut self, slot: u32) {
        let bucket = self.slots[slot as usize].session().bucket;
        self.buckets.remove(&mut self.slots, slot, bucket, in_bucket);
    }

    /// Puts a session at the end of the half-open ones of its vNIC, or takes it out.
    fn list_half_open(&mut self, slot: u32, is_half_open: bool) {
        let session = self.slots[slot as usize].session();
        if session.is_half_open == is_half_open {
            return;
        }
        session.is_half_open = is_half_open;
        let owner = session.owner as usize;
        let Self { slots, half_open: all, half_open_of_vnic: of_vnics, .. } = self;
        if is_half_open {
            all.push(slots, slot, in_half_open);
            of_vnics[owner].push(slots, slot, in_half_open_of_vnic);
        } else {
            all.remove(slots, slot, in_half_open);
            of_vnics[owner].remove(slots, slot, in_half_open_of_vnic);
        }
    }

    /// Ends a half-open session to make room. Returns false if there is none.
    fn evict(&mut self, oldest: Option<u32>, tell: &mut dyn FnMut(Session<D>, Ended)) -> bool {
        let evicted = oldest.and_then(|slot| self.remove(FlowId::new(slot, 0)));
        let is_evicted = evicted.is_some();
        evicted.into_iter().for_each(|session| tell(session, Ended::Evicted));
        is_evicted
    }
}

fn hash_of<D>(slots: &[Slot<D>], hasher: &FlowHasher, flow: FlowId) -> u64 {
    let session = slots[flow.slot() as usize].0.as_ref().expect("flows in the index have sessions");
    hasher.hash(&session.keys[flow.direction()])
}
