//! What the switch tells of its sessions: the flow log, and events of vNICs.

use std::collections::BTreeMap;

use basis::Instant;

use super::{Verdict, VirtualSwitch};
use crate::events::{Event, EventKind};
use crate::flow_log::{FlowLogger, FlowRecord};
use crate::policy::{Denied, Origin};
use crate::reasons;
use crate::session::{Count, FlowKey, Session};

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
            self.sessions.visit(0, usize::MAX, &mut |session| record(log, session));
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
            let visited = self.sessions.visit(self.recorded, RECORDED_AT_ONCE, &mut |session| record(log, session));
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
            record(log, &mut session);
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
            log.refuse(now, vnic, seen, packets, false);
            // The sender's own rules accept what the receiver's do not.
            if let Origin::Vnic(sender) = origin
                && sender != vnic
            {
                log.refuse(now, sender, key, packets, true);
            }
        }
    }
}

/// Records what has passed in both directions of a session, for the vNICs at its ends.
fn record(log: &mut FlowLogger, session: &mut Session<Verdict>) {
    for direction in [0, 1] {
        let Some(unlogged) = session.take_unlogged(direction) else { continue };
        for (end, vnic) in session.decision.ends.into_iter().enumerate() {
            let Some(vnic) = vnic else { continue };
            let own = session.keys[end];
            log.record(vnic, if end == direction { own } else { own.reversed() }, unlogged, true);
        }
    }
}
