//! What the switch tells of its sessions: the flow log, and events of vNICs.

use std::collections::BTreeMap;

use basis::Instant;

use super::{Verdict, VirtualSwitch};
use crate::action::Action;
use crate::action_lists::ActionLists;
use crate::configuration::Course;
use crate::events::{Event, EventKind};
use crate::flow_log::{FarEnd, FlowLogger, FlowPart, FlowRecord, RecordedSession};
use crate::policy::{Denied, Origin};
use crate::reasons;
use crate::session::{Count, FlowHasher, FlowKey, Session};
use crate::underlay::Paths;

/// The most sessions that are recorded at once at the end of a window, so that packets need not wait for all of them.
const RECORDED_AT_ONCE: usize = 4096;

impl VirtualSwitch {
    /// Takes the records of the flow log that were made. At most 65,536 wait; see [`Self::flow_records_lost`]. vNICs are meant
    /// by their positions in the configuration of the time at which a record was made, so that records are to be taken before
    /// another configuration is applied.
    pub fn flow_records(&mut self) -> impl Iterator<Item = FlowRecord> {
        self.flow_log.iter_mut().flat_map(FlowLogger::take)
    }

    /// Returns the names of vNICs that are gone, by the positions by which records of the flow log may still mean them.
    pub fn flow_log_of_gone(&self) -> BTreeMap<u32, String> {
        self.flow_log.as_ref().map(|log| log.gone().clone()).unwrap_or_default()
    }

    /// Returns the number of records that found no room.
    pub fn flow_records_lost(&self) -> u64 {
        self.flow_log.as_ref().map_or(0, FlowLogger::lost)
    }

    /// Takes the events of vNICs. At most 1,024 wait; see [`Self::events_lost`]. vNICs are meant by their positions.
    pub fn events(&mut self) -> impl Iterator<Item = Event> {
        self.events.take()
    }

    /// Returns the number of events that found no room.
    pub fn events_lost(&self) -> u64 {
        self.events.lost()
    }

    /// Ends the window of the flow log at once, for a switch that stops: everything is recorded that was not yet.
    pub fn end_flow_log(&mut self, now: Instant) {
        if let Some(log) = &mut self.flow_log {
            let mut recorder =
                Recorder { log, lists: &self.lists, paths: &self.paths, hasher: *self.sessions.hasher() };
            self.sessions.visit(0, usize::MAX, &mut |session| recorder.record(session));
            log.turn(now);
            self.recorded = 0;
        }
    }

    /// Records some sessions if the window of the flow log is over, and tells events. Returns the time of the next call.
    pub(super) fn report(&mut self, now: Instant) -> Option<Instant> {
        self.events.tell(now);
        let next = self.events.next();
        let Some(log) = &mut self.flow_log else { return next };
        if now >= log.end() {
            let mut recorder =
                Recorder { log, lists: &self.lists, paths: &self.paths, hasher: *self.sessions.hasher() };
            let visited = self.sessions.visit(self.recorded, RECORDED_AT_ONCE, &mut |session| recorder.record(session));
            match visited {
                Some(next) => self.recorded = next,
                None => {
                    self.recorded = 0;
                    log.turn(now);
                }
            }
        }
        Some(next.map_or(log.end(), |next| next.min(log.end())).max(now))
    }

    /// Records a session that has ended, and releases what was decided about it.
    pub(super) fn retire(&mut self, mut session: Session<Verdict>) {
        if let Some(log) = &mut self.flow_log {
            let mut recorder =
                Recorder { log, lists: &self.lists, paths: &self.paths, hasher: *self.sessions.hasher() };
            recorder.record(&mut session);
        }
        session.decision.actions.into_iter().for_each(|list| self.lists.release(list));
    }

    /// Records packets that begin no session, because the policy tables do not allow it.
    pub(super) fn record_denied(
        &mut self,
        now: Instant,
        origin: Origin,
        key: FlowKey,
        packets: Count,
        denied: &Denied,
    ) {
        if let Origin::Vnic(vnic) = origin
            && denied.reason == reasons::NO_FREE_PORT
        {
            self.events.happens(now, vnic, EventKind::NoFreePort);
        }
        if let (Some(log), Some((vnic, seen))) = (&mut self.flow_log, denied.at) {
            let course = if origin == Origin::Vnic(vnic) { Course::Egress } else { Course::Ingress };
            log.refuse(now, FlowPart { key: seen, vnic, course, is_accepted: false }, packets);
            // The sender's own rules accept what the receiver's do not.
            if let Origin::Vnic(sender) = origin
                && sender != vnic
            {
                let course = Course::Egress;
                log.refuse(now, FlowPart { key, vnic: sender, course, is_accepted: true }, packets);
            }
        }
    }
}

/// Everything that records of sessions are made of.
struct Recorder<'a> {
    log: &'a mut FlowLogger,
    lists: &'a ActionLists,
    paths: &'a Paths,
    hasher: FlowHasher,
}

impl Recorder<'_> {
    /// Records what has passed in both directions of a session, for the vNICs at its ends.
    fn record(&mut self, session: &mut Session<Verdict>) {
        for direction in [0, 1] {
            let Some(unlogged) = session.take_unlogged(direction) else { continue };
            for (end, vnic) in session.decision.ends.into_iter().enumerate() {
                let Some(vnic) = vnic else { continue };
                // Each end sees its own packets as they are sent, and those of the other one reversed.
                let [sent, of_peer] = [session.keys[end], session.keys[1 - end]];
                let (key, course, peer) = if end == direction {
                    (sent, Course::Egress, of_peer.reversed())
                } else {
                    (sent.reversed(), Course::Ingress, of_peer)
                };
                let recorded = RecordedSession { began: session.began, peer, far: self.far(session, end) };
                self.log.record_session(vnic, (key, course), unlogged, recorded);
            }
        }
    }

    /// Returns where the packets of an end of a session go.
    fn far(&self, session: &Session<Verdict>, end: usize) -> FarEnd {
        let path = || self.paths.choose(self.hasher.hash(&session.keys[end]));
        match self.lists.get(session.decision.actions[end]).last() {
            Some(Action::Deliver { vnic }) => FarEnd::Vnic(*vnic),
            Some(Action::Encapsulate { remote, .. }) => FarEnd::Endpoint(*remote, path()),
            Some(Action::Leave) => FarEnd::Outside(path()),
            _ => FarEnd::Unknown,
        }
    }
}
