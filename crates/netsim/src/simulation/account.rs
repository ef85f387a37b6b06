//! Packets are conserved: what each station and each line must be able to say at any time.

use measure::Counts;
use node::{Account, Reason};

use super::line::Carried;

/// What went into a station and came out of it.
#[derive(Clone, Debug, Default)]
pub struct Passed {
    /// Packets that lines brought.
    pub received: u64,
    /// Packets put on lines.
    pub transmitted: u64,
    /// Packets that went no further, by reason.
    pub discarded: Counts<Reason>,
}

/// All packets of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Conservation {
    /// Made by stations, as hosts make packets.
    pub generated: u64,
    /// Made as copies of others.
    pub replicated: u64,
    /// Ended where they were going.
    pub consumed: u64,
    /// Went no further, for reasons that are counted.
    pub discarded: u64,
    /// Still held by stations.
    pub held: u64,
    /// Still on lines.
    pub on_lines: u64,
}

impl Conservation {
    /// True if every packet that came into being is accounted for.
    pub fn holds(&self) -> bool {
        self.generated + self.replicated == self.consumed + self.discarded + self.held + self.on_lines
    }

    /// Adds a station.
    ///
    /// # Errors
    /// Says how many packets went in and how many are accounted for, if these differ.
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

    /// Adds a line, and what rules did to packets on it.
    pub(super) fn add_line(&mut self, carried: &Carried, (copied, lost): (u64, u64)) {
        self.replicated += copied;
        self.discarded += lost;
        self.on_lines += carried.packets + copied - carried.delivered - lost;
    }
}
