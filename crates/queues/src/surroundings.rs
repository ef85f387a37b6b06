//! What a discipline sees beside its own packets.

use basis::{Instant, Random};
use node::{Port, Reason};
use serde::{Deserialize, Serialize};

use crate::Refusals;
use crate::memory::Memory;

/// What is noted about a packet when it comes. It stands apart from the packet until that waits, and is read before
/// it goes, so that packets themselves are moved no more than once each way.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Note {
    /// Its length on the wire, as the queues count it.
    pub bytes: u32,
    /// Where it came in.
    pub from: Port,
    /// Its priority in flow control, 0 to 7; 0 if there is no flow control.
    pub priority: u8,
    /// True if its priority loses nothing: limits are not for it.
    pub is_lossless: bool,
    /// True if it was trimmed here.
    pub is_trimmed: bool,
}

impl Note {
    /// True if the priorities that are `paused`, bit n for priority n, keep it here.
    #[inline]
    pub fn is_paused(&self, paused: u8) -> bool {
        paused >> self.priority & 1 != 0
    }
}

/// What a discipline sees beside its own packets, during one call.
pub(crate) struct Surroundings<'a, Q> {
    pub now: Instant,
    /// What a packet takes on the line beside its own bytes.
    pub framing: u32,
    pub is_last_hop: bool,
    pub random: &'a mut Random,
    pub memory: &'a mut Memory,
    pub refusals: &'a mut Refusals<Q>,
}

impl<Q> Surroundings<'_, Q> {
    /// Ends the way of what holds no memory.
    #[cold]
    pub fn discard(&mut self, item: Q, reason: Reason) {
        self.refusals.discarded.push((item, reason));
    }

    /// A packet takes memory.
    #[inline]
    pub fn hold(&mut self, note: Note) {
        self.memory.hold(self.now, note, &mut self.refusals.urgent);
    }

    /// A packet gives its memory back.
    #[inline]
    pub fn release(&mut self, note: Note) {
        self.memory.release(note, &mut self.refusals.urgent);
    }
}
