//! The conservation of packets: what each station and each link must account for at any time.

use measure::Counts;
use node::{Account, Reason};

use super::simulated_link::Carried;

/// The packets that a station has received, transmitted and discarded.
#[derive(Clone, Debug, Default)]
pub struct Passed {
    /// The number of packets received from links.
    pub received: u64,
    /// The number of packets put on links.
    pub transmitted: u64,
    /// The number of packets discarded, by reason.
    pub discarded: Counts<Reason>,
}

/// The whereabouts of all packets of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Conservation {
    /// The number of packets made by stations, as hosts make packets.
    pub generated: u64,
    /// The number of packets made as copies of others.
    pub replicated: u64,
    /// The number of packets that ended at their destination.
    pub consumed: u64,
    /// The number of packets discarded for a reason that is counted.
    pub discarded: u64,
    /// The number of packets still held by stations.
    pub held: u64,
    /// The number of packets still on links.
    pub on_links: u64,
}

impl Conservation {
    /// Returns true if every packet that came into being is accounted for.
    pub fn holds(&self) -> bool {
        self.generated + self.replicated == self.consumed + self.discarded + self.held + self.on_links
    }

    /// Adds the account of a station.
    ///
    /// # Errors
    ///
    /// Returns a message with the two numbers if the packets that went in are not those accounted for.
    pub(super) fn add_station(&mut self, account: &Account, passed: &Passed) -> Result<(), String> {
        let discarded = passed.discarded.total();
        self.generated += account.generated;
        self.replicated += account.replicated;
        self.consumed += account.consumed;
        self.held += account.held;
        self.discarded += discarded;
        let into = passed.received + account.generated + account.replicated;
        let out = passed.transmitted + discarded + account.consumed + account.held;
        if into == out { Ok(()) } else { Err(format!("{into} packets in, {out} accounted for")) }
    }

    /// Adds a link, with how many packets fault rules copied and lost on it.
    pub(super) fn add_link(&mut self, carried: &Carried, (copied, lost): (u64, u64)) {
        self.replicated += copied;
        self.discarded += lost;
        self.on_links += carried.packets + copied - carried.delivered - lost;
    }
}
