//! A message on its way in: which packets are here.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

/// Packets this far ahead of the first that is missing are not remembered; no line is so fast and so long. It bounds
/// what a packet that lies can make us allocate.
const FARTHEST: u32 = 1 << 20;

/// A message on its way in.
#[derive(Debug, Serialize, Deserialize)]
pub struct Incoming {
    pub source: u32,
    pub message: u32,
    pub priority: u8,
    packets: u32,
    missing: u32,
    /// The packets below this are here; a multiple of 64.
    base: u32,
    /// A bit for each packet from `base` on, set if it is here.
    bits: VecDeque<u64>,
    bytes: u64,
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

/// What a data packet was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Novelty {
    /// Not here until now.
    New,
    /// Here before.
    Old,
    /// None of this message.
    Impossible,
}

impl Incoming {
    pub fn new(source: u32, message: u32, packets: u32, priority: u8) -> Self {
        Self {
            source,
            message,
            priority,
            packets,
            missing: packets,
            base: 0,
            bits: VecDeque::new(),
            bytes: 0,
            pulls_waiting: 0,
            pulls_sent: 0,
            outstanding: 0,
            is_queued: false,
            is_spare: false,
        }
    }

    /// What a packet is that says to be one of `packets`.
    pub fn novelty(&self, sequence: u32, packets: u32) -> Novelty {
        if packets != self.packets || sequence >= packets || sequence.saturating_sub(self.base) >= FARTHEST {
            return Novelty::Impossible;
        }
        let Some(index) = sequence.checked_sub(self.base) else { return Novelty::Old };
        let word = self.bits.get(index as usize / 64).copied().unwrap_or(0);
        if word >> (index % 64) & 1 == 1 { Novelty::Old } else { Novelty::New }
    }

    /// A packet that was not here until now is here.
    pub fn arrived(&mut self, sequence: u32, payload: u16) {
        let index = (sequence - self.base) as usize;
        if index / 64 >= self.bits.len() {
            self.bits.resize(index / 64 + 1, 0);
        }
        self.bits[index / 64] |= 1 << (index % 64);
        self.missing -= 1;
        self.bytes += u64::from(payload);
        self.pulls_waiting = self.pulls_waiting.min(self.missing);
        while self.bits.front() == Some(&u64::MAX) {
            self.bits.pop_front();
            self.base += 64;
        }
    }

    /// A packet of an incomplete message has arrived, whole or not, and has earned a pull, and one more if it asks for
    /// it because a packet before it was lost or sent back.
    pub fn earn_pulls(&mut self, is_pushed: bool, asks_for_one: bool) {
        let pulls = 1 + u32::from(asks_for_one);
        // A sender has never use for more pulls than packets are missing: those would be wasted turns of the pacer.
        self.pulls_waiting = (self.pulls_waiting + pulls).min(self.missing);
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
        self.missing <= self.outstanding
    }

    pub fn is_complete(&self) -> bool {
        self.missing == 0
    }

    /// Payload that is here, in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}
