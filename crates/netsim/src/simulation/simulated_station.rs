//! A station and the simulator's state for it.

use basis::snapshot::{Loader, Saver, Snapshot, Unfit};
use basis::{Instant, prefetch_at};
use measure::Counts;
use node::{Account, Burst, Control, Node, Outbox, Port, Reason, Station};

use super::account::Passed;
use super::deadline::Deadline;

/// A station and the simulator's state for it. It fits into one cache line, because every event looks at it.
#[repr(align(64))]
pub(super) struct SimulatedStation {
    pub station: Box<dyn Station>,
    /// The number of the station's first link.
    pub first_link: u32,
    /// The number after that of the station's last link.
    pub end_link: u32,
    pub deadline: Deadline,
    /// The number of packets received from links.
    pub received: u64,
    /// The number of packets put on links.
    pub transmitted: u64,
    /// The number of packets discarded, by reason; allocated with the first.
    discarded: Option<Box<Counts<Reason>>>,
}

impl SimulatedStation {
    pub fn new(station: Box<dyn Station>, first_link: u32, end_link: u32) -> Self {
        let deadline = Deadline::NONE;
        Self { station, first_link, end_link, deadline, received: 0, transmitted: 0, discarded: None }
    }

    /// Returns the placeholder for a station that is in another shard.
    pub fn placeholder() -> Self {
        Self::new(Box::new(Placeholder), 0, 0)
    }

    /// Returns the number of the link on which a port transmits, if there is one.
    #[inline]
    pub fn link(&self, port: Port) -> Option<u32> {
        let link = self.first_link + u32::from(port.0);
        (link < self.end_link).then_some(link)
    }

    /// Returns the port that transmits on one of the station's links.
    #[inline]
    pub fn port(&self, link: u32) -> Port {
        Port((link - self.first_link) as u16)
    }

    /// Counts a packet that is discarded.
    #[cold]
    pub fn discard(&mut self, reason: Reason) {
        self.discarded.get_or_insert_default().add(reason);
    }

    /// Returns what the station has received, transmitted and discarded.
    pub fn passed(&self) -> Passed {
        let discarded = self.discarded.as_deref().cloned().unwrap_or_default();
        Passed { received: self.received, transmitted: self.transmitted, discarded }
    }

    /// Prefetches the memory of the station itself.
    #[inline]
    pub fn prefetch_station(&self) {
        let station = self.station.as_ref();
        // Most events do not look at what lies further behind. Lines behind a smaller station are fetched in vain, which costs less
        // than to ask how many there are.
        for line in 0..6 {
            prefetch_at(station, 64 * line);
        }
    }
}

/// The placeholder for a station of another shard, to which nothing happens here.
struct Placeholder;

impl Node for Placeholder {
    fn receive(&mut self, _now: Instant, _port: Port, _burst: &mut Burst, _out: &mut Outbox) {
        unreachable!("links that leave a shard end in other shards");
    }

    fn wake(&mut self, _now: Instant, _out: &mut Outbox) {
        unreachable!("a placeholder has no deadline");
    }

    fn control(&mut self, _now: Instant, _request: Control, _out: &mut Outbox) {
        unreachable!("a placeholder asks for no ports");
    }
}

impl Station for Placeholder {
    fn account(&self) -> Account {
        Account::default()
    }
}

impl Snapshot for SimulatedStation {
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

basis::snapshot!(Placeholder {});
