//! A station, and what the network knows of it.

use std::mem::size_of_val;

use basis::snapshot::{Loader, Saver, Snapshot, Unfit};
use basis::{Instant, prefetch_at};
use measure::Counts;
use node::{Account, Burst, Control, Node, Outbox, Port, Reason, Station};

use super::account::Passed;
use super::deadline::Deadline;

/// A station, and what the network knows of it: in one cache line, for every event looks at it.
#[repr(align(64))]
pub(super) struct Place {
    pub station: Box<dyn Station>,
    /// The number of its first line.
    pub first_line: u32,
    /// The number behind that of its last line.
    pub end_line: u32,
    pub deadline: Deadline,
    /// Packets that lines brought.
    pub received: u64,
    /// Packets put on lines.
    pub transmitted: u64,
    /// Packets that went no further, by reason; made when there is one.
    discarded: Option<Box<Counts<Reason>>>,
}

impl Place {
    pub fn new(station: Box<dyn Station>, first_line: u32, end_line: u32) -> Self {
        let deadline = Deadline::NONE;
        Self { station, first_line, end_line, deadline, received: 0, transmitted: 0, discarded: None }
    }

    /// One of a station that is in another shard.
    pub fn elsewhere() -> Self {
        Self::new(Box::new(Elsewhere), 0, 0)
    }

    /// The number of the line that a port sends on, if there is one.
    #[inline]
    pub fn line(&self, port: Port) -> Option<u32> {
        let line = self.first_line + u32::from(port.0);
        (line < self.end_line).then_some(line)
    }

    /// The port that sends on one of its lines.
    #[inline]
    pub fn port(&self, line: u32) -> Port {
        Port((line - self.first_line) as u16)
    }

    /// Counts a packet that goes no further.
    #[cold]
    pub fn discard(&mut self, reason: Reason) {
        self.discarded.get_or_insert_default().add(reason);
    }

    /// What went in and came out.
    pub fn passed(&self) -> Passed {
        let discarded = self.discarded.as_deref().cloned().unwrap_or_default();
        Passed { received: self.received, transmitted: self.transmitted, discarded }
    }

    /// Asks for the memory of the station itself.
    #[inline]
    pub fn prefetch_station(&self) {
        let station = self.station.as_ref();
        // What lies further behind is not looked at by most events.
        for line in 0..size_of_val(station).div_ceil(64).min(6) {
            prefetch_at(station, 64 * line);
        }
    }
}

/// Stands for a station of another shard, to which nothing happens here.
struct Elsewhere;

impl Node for Elsewhere {
    fn receive(&mut self, _now: Instant, _port: Port, _burst: &mut Burst, _out: &mut Outbox) {
        unreachable!("lines that leave a shard end in others");
    }

    fn wake(&mut self, _now: Instant, _out: &mut Outbox) {
        unreachable!("who has no deadline is not woken");
    }

    fn control(&mut self, _now: Instant, _request: Control, _out: &mut Outbox) {
        unreachable!("who does not ask for ports is not told of them");
    }
}

impl Station for Elsewhere {
    fn account(&self) -> Account {
        Account::default()
    }
}

impl Snapshot for Place {
    fn save(&self, into: &mut Saver) -> Result<(), Unfit> {
        let discarded: Vec<(Reason, u64)> = self.discarded.iter().flat_map(|counts| counts.iter()).collect();
        into.put(&(self.deadline, self.received, self.transmitted, discarded))?;
        self.station.save(into)
    }

    fn restore(&mut self, from: &mut Loader<'_>) -> Result<(), Unfit> {
        let discarded: Vec<(Reason, u64)>;
        (self.deadline, self.received, self.transmitted, discarded) = from.take()?;
        self.discarded = (!discarded.is_empty()).then(|| Box::new(discarded.into_iter().collect()));
        self.station.restore(from)
    }
}

basis::snapshot!(Elsewhere {});
