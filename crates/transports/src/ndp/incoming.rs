//! A message on its way in: what is here, and what was pulled.

use serde::{Deserialize, Serialize};

use crate::arrivals::Arrivals;
use crate::return_paths::ReturnPaths;

/// A message on its way in.
#[derive(Debug, Serialize, Deserialize)]
pub struct Incoming {
    pub source: u32,
    pub message: u32,
    pub priority: u8,
    pub arrivals: Arrivals,
    /// By which paths pulls go.
    pub return_paths: ReturnPaths,
    /// Pulls that wait for the pacer; never more than packets are missing.
    pub pulls_waiting: u32,
    /// Pulls that were sent.
    pub pulls_sent: u32,
    /// Pulls that the sender has not used yet, or whose packets have not arrived; as far as is known.
    outstanding: u32,
    /// Whether it is in the pacer's queue, and in that of messages for which pulls are of little use.
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

    /// A packet that was not here until now is here.
    pub fn arrived(&mut self, sequence: u32, payload: u16) {
        self.arrivals.arrived(sequence, payload);
        self.pulls_waiting = self.pulls_waiting.min(self.arrivals.missing());
    }

    /// A packet of an incomplete message has arrived, whole or not, and has earned a pull, and one more if it asks for
    /// it because a packet before it was lost or sent back.
    pub fn earn_pulls(&mut self, is_pushed: bool, asks_for_one: bool) {
        let pulls = 1 + u32::from(asks_for_one);
        // A sender has never use for more pulls than packets are missing: those would be wasted turns of the pacer.
        self.pulls_waiting = (self.pulls_waiting + pulls).min(self.arrivals.missing());
        let answered = u32::from(!is_pushed) + u32::from(asks_for_one);
        self.outstanding = self.outstanding.saturating_sub(answered);
    }

    /// A pull is sent.
    pub fn pull(&mut self) {
        self.pulls_waiting -= 1;
        self.pulls_sent += 1;
        self.outstanding += 1;
    }

    /// True if all that is missing was pulled and is on its way, unless something became of it.
    pub fn is_covered(&self) -> bool {
        self.arrivals.missing() <= self.outstanding
    }

    pub fn is_complete(&self) -> bool {
        self.arrivals.missing() == 0
    }
}
