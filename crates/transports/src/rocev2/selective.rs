//! Loss detection as in IRN (Mittal et al., SIGCOMM 2018): each sequence error reports one packet that has arrived, and
//! packets that are missing before the highest of these are lost. In a recovery each is retransmitted once.

use serde::{Deserialize, Serialize};

use crate::ranges::Ranges;

/// A selective repeat sender's knowledge of the packets after the first unacknowledged one.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Selective {
    /// The packets that have arrived.
    arrived: Ranges,
    /// The recovery ends when everything before this position is acknowledged; `None` if there is no recovery.
    recovery: Option<u64>,
    /// Packets before this position were retransmitted in this recovery, or need not be.
    next: u64,
    /// Packets before this position count as lost unless they are known to have arrived, because a timeout has
    /// occurred.
    silent: u64,
}

impl Selective {
    /// Records that a packet has arrived while an earlier one is missing; `highest` is the position of the first packet
    /// that was never sent.
    pub fn arrived(&mut self, position: u64, unacknowledged: u64, highest: u64) {
        self.arrived.insert(position, position + 1, 0);
        self.recover(unacknowledged, highest);
    }

    /// Handles a timeout: every packet that is not known to have arrived counts as lost. (IRN retransmits only the
    /// first one, and learns of the next from the answer to it; if a whole window is lost, that takes a timeout for
    /// each packet.)
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

    /// Records that everything before a position is acknowledged.
    pub fn acknowledged(&mut self, unacknowledged: u64, highest: u64) {
        self.arrived.cut_below(unacknowledged, 0);
        if self.recovery.is_some_and(|end| end <= unacknowledged) {
            self.recovery = None;
            // Losses among the packets that were sent during the recovery begin the next one.
            if !self.arrived.is_empty() {
                self.recover(unacknowledged, highest);
            }
        }
    }

    /// Returns the position of the next packet to retransmit.
    pub fn lost(&self, unacknowledged: u64) -> Option<u64> {
        self.recovery?;
        let known = self.arrived.last().map_or(0, |(start, _)| start).max(self.silent);
        let (position, _) = self.arrived.gap(self.next.max(unacknowledged));
        (position < known).then_some(position)
    }

    /// Records that a lost packet is retransmitted.
    pub fn sent(&mut self, position: u64) {
        self.next = position + 1;
    }
}
