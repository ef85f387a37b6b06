//! An arriving message: what has arrived, and what was pulled.

use serde::{Deserialize, Serialize};

use crate::arrivals::Arrivals;
use crate::return_paths::ReturnPaths;

/// An arriving message.
#[derive(Debug, Serialize, Deserialize)]
pub struct Incoming {
    pub source: u32,
    pub message: u32,
    pub priority: u8,
    pub arrivals: Arrivals,
    /// The paths for pulls.
    pub return_paths: ReturnPaths,
    /// The number of pulls that wait for the pacer; at most the number of missing packets.
    pub pulls_waiting: u32,
    /// The number of pulls sent.
    pub pulls_sent: u32,
    /// The estimated number of pulls that the sender has not used yet or whose packets have not arrived.
    outstanding: u32,
    /// Whether the message is in the pacer's queue, and whether it is in its queue of messages for which pulls are of
    /// little use.
    pub is_queued: bool,
    pub is_spare: bool,
}

impl Incoming {
    pub fn new(source: u32, message: u32, packets: u32, priority: u8) -> Self {
        Self {
            source,
            message,
            priority,
            arrivals: Arrivals::new(packets),
            return_paths: ReturnPaths::default(),
            pulls_waiting: 0,
            pulls_sent: 0,
            outstanding: 0,
            is_queued: false,
            is_spare: false,
        }
    }

    /// Records the arrival of a new packet.
    pub fn arrived(&mut self, sequence: u32, payload: u16) {
        self.arrivals.arrived(sequence, payload);
        self.pulls_waiting = self.pulls_waiting.min(self.arrivals.missing());
    }

    /// Records the pulls that a packet of an incomplete message has earned by arriving, whole or trimmed: one, and
    /// another one if it requests it because an earlier packet was lost or returned.
    pub fn earn_pulls(&mut self, is_pushed: bool, asks_for_one: bool) {
        let pulls = 1 + u32::from(asks_for_one);
        // A sender cannot use more pulls than there are missing packets; more would waste slots of the pacer.
        self.pulls_waiting = (self.pulls_waiting + pulls).min(self.arrivals.missing());
        let answered = u32::from(!is_pushed) + u32::from(asks_for_one);
        self.outstanding = self.outstanding.saturating_sub(answered);
    }

    /// Records that a pull is sent.
    pub fn pull(&mut self) {
        self.pulls_waiting -= 1;
        self.pulls_sent += 1;
        self.outstanding += 1;
    }

    /// Returns true if everything missing was pulled and should be in flight.
    pub fn is_covered(&self) -> bool {
        self.arrivals.missing() <= self.outstanding
    }

    pub fn is_complete(&self) -> bool {
        self.arrivals.missing() == 0
    }
}
