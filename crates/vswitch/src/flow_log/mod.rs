//! Records of flows, in the manner of AWS VPC flow logs: by default those of version 2.

mod field;
mod line;
mod record;

use std::collections::{BTreeMap, VecDeque};

use basis::{Duration, Instant};

use crate::configuration::{Course, FlowLog, Vnic};
use crate::session::{Count, FlowKey, Unlogged};

pub use field::{FlowField, VERSION_2, fields_of_header, header};
pub use line::{RecordNames, word};
pub use record::{FarEnd, FlowRecord, RecordedFlow, RecordedSession};

/// The most records that wait for somebody to take them.
const MOST_RECORDS: usize = 65_536;
/// The most flows without a session that are counted at a time, of all vNICs and of one, so that none takes the place of others.
const MOST_REFUSED: usize = 65_536;
const MOST_REFUSED_OF_VNIC: u32 = 4096;

/// The records of a switch that has a flow log. Packets are counted over windows of one interval each.
#[derive(Debug)]
pub struct FlowLogger {
    interval: Duration,
    /// Whether the flows of each vNIC are recorded, and what was recorded in the present window.
    vnics: Vec<Option<Window>>,
    /// The names of vNICs that are gone, by their positions. What their sessions have left is recorded when these end.
    gone: BTreeMap<u32, String>,
    /// The number of the present window.
    window: u64,
    /// Packets without a session.
    refused: BTreeMap<FlowPart, Unlogged>,
    records: VecDeque<FlowRecord>,
    lost: u64,
}

/// What tells the packets of one record from others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FlowPart {
    /// The key as the vNIC sees it.
    pub key: FlowKey,
    /// The position of the vNIC.
    pub vnic: u32,
    /// Whether the vNIC has sent them.
    pub course: Course,
    /// Whether the vNIC's own rules accept them.
    pub is_accepted: bool,
}

/// What was recorded of a vNIC in one window.
#[derive(Clone, Copy, Debug, Default)]
struct Window {
    has_records: bool,
    has_lost: bool,
    /// The number of flows without a session that are counted.
    refused: u32,
}

impl FlowLogger {
    /// Creates the log of a switch with these vNICs.
    pub fn new(log: &FlowLog, vnics: &[Vnic]) -> Self {
        let mut new = Self {
            interval: log.interval,
            vnics: Vec::new(),
            gone: BTreeMap::new(),
            window: 0,
            refused: BTreeMap::new(),
            records: VecDeque::new(),
            lost: 0,
        };
        new.apply(log, &[], vnics);
        new
    }

    /// Goes on with another configuration. Of a vNIC that is gone, the last window is still recorded: its packets without a
    /// session at once, and its sessions as they end.
    pub fn apply(&mut self, log: &FlowLog, earlier: &[Vnic], vnics: &[Vnic]) {
        let is_chosen = |vnic| log.vnics.as_ref().is_none_or(|chosen| chosen.contains(&vnic));
        let windows = std::mem::take(&mut self.vnics);
        for (position, vnic) in vnics.iter().enumerate() {
            let window = windows.get(position).copied().flatten();
            let is_logged = if vnic.is_vacant() {
                if let (Some(_), Some(old)) = (window, earlier.get(position).filter(|old| !old.is_vacant())) {
                    self.gone.insert(position as u32, old.name.clone());
                }
                window.is_some()
            } else {
                is_chosen(position)
            };
            let is_new = !vnic.is_vacant() && self.gone.remove(&(position as u32)).is_some();
            self.vnics.push(is_logged.then(|| window.filter(|_| !is_new).unwrap_or_default()));
        }
        let gone = &self.gone;
        let refused: Vec<_> = self.refused.extract_if(.., |refused, _| gone.contains_key(&refused.vnic)).collect();
        for (refused, unlogged) in refused {
            self.record(refused, unlogged, None);
        }
        if self.interval != log.interval {
            let began = self.interval.times(self.window).picoseconds();
            (self.interval, self.window) = (log.interval, began / log.interval.picoseconds());
        }
    }

    /// Returns the number of the window that a time lies in.
    fn window_of(&self, now: Instant) -> u64 {
        now.since(Instant::ZERO).picoseconds() / self.interval.picoseconds()
    }

    /// Returns the time at which the present window ends.
    pub fn end(&self) -> Instant {
        Instant::ZERO + self.interval.times(self.window + 1)
    }

    /// Ends the present window, whose sessions have been recorded, and begins that of a time.
    pub fn turn(&mut self, now: Instant) {
        let [first, last] = [self.window, self.window + 1].map(|window| Instant::ZERO + self.interval.times(window));
        for (refused, unlogged) in std::mem::take(&mut self.refused) {
            self.record(refused, unlogged, None);
        }
        for vnic in 0..self.vnics.len() {
            let Some(window) = self.vnics[vnic].as_mut() else { continue };
            let Window { has_records, has_lost, .. } = std::mem::take(window);
            let vnic = vnic as u32;
            if self.gone.contains_key(&vnic) {
                // Nobody waits for a record of every window any more.
            } else if has_lost {
                self.push(FlowRecord::Skipped { vnic, first, last });
            } else if !has_records {
                self.push(FlowRecord::NoData { vnic, first, last });
            }
        }
        self.window = self.window_of(now);
    }

    /// Records packets of a session, which the rules accept.
    pub fn record_session(
        &mut self,
        vnic: u32,
        (key, course): (FlowKey, Course),
        unlogged: Unlogged,
        session: RecordedSession,
    ) {
        self.record(FlowPart { key, vnic, course, is_accepted: true }, unlogged, Some(session));
    }

    fn record(&mut self, flow: FlowPart, unlogged: Unlogged, session: Option<RecordedSession>) {
        let FlowPart { key, vnic, course, is_accepted } = flow;
        if let Some(window) = self.vnics.get_mut(vnic as usize).and_then(Option::as_mut) {
            window.has_records = true;
            let Unlogged { count, first, last } = unlogged;
            let flow = RecordedFlow { vnic, key, course, count, first, last, is_accepted, session };
            self.push(FlowRecord::Flow(flow));
        }
    }

    fn push(&mut self, record: FlowRecord) {
        if self.records.len() < MOST_RECORDS {
            self.records.push_back(record);
        } else {
            self.lose(record.vnic());
        }
    }

    /// Counts packets that begin no session.
    pub fn refuse(&mut self, now: Instant, refused: FlowPart, packets: Count) {
        let vnic = refused.vnic;
        let Some(window) = self.vnics.get_mut(vnic as usize).and_then(Option::as_mut) else { return };
        let has_room = self.refused.len() < MOST_REFUSED && window.refused < MOST_REFUSED_OF_VNIC;
        match self.refused.get_mut(&refused) {
            Some(Unlogged { count, last, .. }) => {
                count.packets += packets.packets;
                count.bytes += packets.bytes;
                *last = now;
            }
            None if has_room => {
                window.refused += 1;
                self.refused.insert(refused, Unlogged { count: packets, first: now, last: now });
            }
            None => self.lose(vnic),
        }
    }

    fn lose(&mut self, vnic: u32) {
        self.lost += 1;
        if let Some(window) = self.vnics.get_mut(vnic as usize).and_then(Option::as_mut) {
            window.has_lost = true;
        }
    }

    /// Takes all records that were made.
    pub fn take(&mut self) -> impl Iterator<Item = FlowRecord> {
        self.records.drain(..)
    }

    /// Returns the names of vNICs that are gone, by their positions, which records may still mean.
    pub fn gone(&self) -> &BTreeMap<u32, String> {
        &self.gone
    }

    /// Returns the number of records that found no room.
    pub fn lost(&self) -> u64 {
        self.lost
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_finds_no_room_is_counted_and_shown() {
        let log = FlowLog {
            interval: Duration::from_microseconds(60_000_000),
            account: "-".to_owned(),
            vnics: None,
            fields: None,
        };
        let vnic = Vnic { name: "one".to_owned(), ..Vnic::vacant() };
        let mut logger = FlowLogger::new(&log, &[vnic, Vnic::vacant()]);
        let addresses = ["10.0.0.1", "10.0.0.2"].map(|text| text.parse().expect("an address"));
        let refused = |key| FlowPart { key, vnic: 0, course: Course::Egress, is_accepted: false };
        let one = Count { packets: 1, bytes: 60 };
        for number in 0..=MOST_REFUSED_OF_VNIC {
            let key = FlowKey::new(number, addresses, 17, [1, 2]);
            logger.refuse(Instant::ZERO, refused(key), one);
        }
        assert_eq!((logger.lost(), logger.refused.len()), (1, MOST_REFUSED_OF_VNIC as usize));
        logger.turn(logger.end());
        assert_eq!(logger.take().filter(|record| matches!(record, FlowRecord::Skipped { vnic: 0, .. })).count(), 1);
        let unlogged = Unlogged { count: one, first: Instant::ZERO, last: Instant::ZERO };
        for number in 0..=MOST_RECORDS as u32 {
            logger.record(refused(FlowKey::new(number, addresses, 17, [1, 2])), unlogged, None);
        }
        assert_eq!((logger.take().count(), logger.lost()), (MOST_RECORDS, 2));
        logger.turn(logger.end());
        let shown: Vec<_> = logger.take().collect();
        assert!(matches!(shown[..], [FlowRecord::Skipped { vnic: 0, .. }]), "{shown:?}");
    }
}
