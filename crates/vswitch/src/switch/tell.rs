//! What the switch tells of its sessions: the flow log, and events of vNICs.

use std::collections::BTreeMap;
use std::sync::Arc;

use basis::Instant;
use measure::Interest;
use node::Outbox;

use super::{VirtualSwitch, lock};
use crate::events::Event;
use crate::flow_log::{FlowLogger, FlowRecord};

/// The most slots of sessions that are looked at at once at the end of a window, so that packets need not wait for all of them.
const RECORDED_AT_ONCE: usize = 4096;

impl VirtualSwitch {
    /// Takes the records of the flow log that were made. At most 65,536 wait; see [`Self::flow_records_lost`]. vNICs are meant
    /// by their positions in the configuration of the time at which a record was made, so that records are to be taken before
    /// another configuration is applied.
    pub fn flow_records(&mut self) -> impl Iterator<Item = FlowRecord> {
        self.edge.flow_log.iter_mut().flat_map(FlowLogger::take)
    }

    /// Returns the names of vNICs that are gone, by the positions by which records of the flow log may still mean them.
    pub fn flow_log_of_gone(&self) -> BTreeMap<u32, String> {
        self.edge.flow_log.as_ref().map(|log| log.gone().clone()).unwrap_or_default()
    }

    /// Returns the number of records that found no room.
    pub fn flow_records_lost(&self) -> u64 {
        self.edge.flow_log.as_ref().map_or(0, FlowLogger::lost)
    }

    /// Takes the events of vNICs. At most 1,024 wait; see [`Self::events_lost`]. vNICs are meant by their positions.
    pub fn events(&mut self) -> impl Iterator<Item = Event> {
        self.edge.events.take()
    }

    /// Returns the number of events that found no room.
    pub fn events_lost(&self) -> u64 {
        self.edge.events.lost()
    }

    /// Ends the window of the flow log at once, for a switch that stops: everything is recorded that was not yet.
    pub fn end_flow_log(&mut self, now: Instant) {
        // Nothing is sent.
        let mut out = Outbox::new(Interest::default());
        self.recorded = (0, 0);
        if self.edge.flow_log.is_some() {
            self.record(now, usize::MAX, &mut out);
        }
        self.edge.flow_log.iter_mut().for_each(|log| log.turn(now));
    }

    /// Records some sessions if the window of the flow log is over, and tells events. Returns the time of the next call.
    pub(super) fn report(&mut self, now: Instant, out: &mut Outbox) -> Option<Instant> {
        self.edge.events.tell(now);
        let next = self.edge.events.next();
        let end = self.edge.flow_log.as_ref().map(FlowLogger::end);
        if end.is_some_and(|end| now >= end) && self.record(now, RECORDED_AT_ONCE, out) {
            self.edge.flow_log.iter_mut().for_each(|log| log.turn(now));
        }
        let end = self.edge.flow_log.as_ref().map(|log| log.end().max(now));
        [next, end].into_iter().flatten().min()
    }

    /// Records the sessions in some more slots. Returns true, and begins anew, if those were the last.
    fn record(&mut self, now: Instant, slots: usize, out: &mut Outbox) -> bool {
        let policy = Arc::clone(self.policy());
        let Self { edge, cores, recorded: (number, from), .. } = self;
        let mut left = slots;
        while let Some(core) = cores.get(*number) {
            let mut core = lock(core);
            match core.record(*from, left, &mut |made| edge.finish(now, &policy, made, out)) {
                Some(next) => {
                    *from = next;
                    return false;
                }
                None => left = left.saturating_sub((core.sessions.slots() as usize).saturating_sub(*from)),
            }
            (*number, *from) = (*number + 1, 0);
        }
        self.recorded = (0, 0);
        true
    }
}
