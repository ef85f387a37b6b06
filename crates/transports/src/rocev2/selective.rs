//! Which packets are missing, as IRN finds out (Mittal et al., SIGCOMM 2018): a sequence error tells one packet that
//! has arrived, and what is before the highest of these and has not is lost. In a recovery each is sent again once.

use serde::{Deserialize, Serialize};

use crate::ranges::Ranges;

/// What a sender with selective repeat knows of packets behind the first that is unacknowledged.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Selective {
    /// Those that have arrived.
    arrived: Ranges,
    /// The recovery ends when everything before this place is acknowledged; `None` if there is no recovery.
    recovery: Option<u64>,
    /// Places before this were sent again in this recovery, or need not be.
    next: u64,
    /// Places before this count as lost if they have not arrived: a timer has come.
    silent: u64,
}

impl Selective {
    /// A packet has arrived before one that is missing; `highest` is the first place that was never sent.
    pub fn arrived(&mut self, place: u64, unacknowledged: u64, highest: u64) {
        self.arrived.insert(place, place + 1, 0);
        self.recover(unacknowledged, highest);
    }

    /// The timer has come: whatever is not known to have arrived is lost. (IRN sends only the first again and learns of
    /// the next by the answer to it; if a whole window is lost, that is a timeout for each packet.)
    pub fn time_out(&mut self, unacknowledged: u64, highest: u64) {
        self.recovery = None;
        self.silent = highest;
        self.recover(unacknowledged, highest);
    }

    fn recover(&mut self, unacknowledged: u64, highest: u64) {
        if self.recovery.is_none() {
            self.recovery = Some(highest);
            self.next = unacknowledged;
        }
    }

    /// Everything before a place is acknowledged.
    pub fn acknowledged(&mut self, unacknowledged: u64, highest: u64) {
        self.arrived.cut_below(unacknowledged, 0);
        if self.recovery.is_some_and(|end| end <= unacknowledged) {
            self.recovery = None;
            // What was lost of what went out during the recovery begins the next.
            if !self.arrived.is_empty() {
                self.recover(unacknowledged, highest);
            }
        }
    }

    /// The next place to send again.
    pub fn lost(&self, unacknowledged: u64) -> Option<u64> {
        self.recovery?;
        let known = self.arrived.last().map_or(0, |(start, _)| start).max(self.silent);
        let (place, _) = self.arrived.gap(self.next.max(unacknowledged));
        (place < known).then_some(place)
    }

    /// A place that was lost is sent again.
    pub fn sent(&mut self, place: u64) {
        self.next = place + 1;
    }
}
