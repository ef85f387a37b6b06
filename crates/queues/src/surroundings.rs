//! The surroundings that a discipline can access beside its own packets.

use basis::{Instant, Random};
use node::{Port, Reason};
use serde::{Deserialize, Serialize};

use crate::Refusals;
use crate::memory::Memory;

/// The record of a packet when it arrives. The note is passed separately until the packet is queued, and read
/// before the packet is taken, so that packets themselves are moved no more than once each way.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Note {
    /// The length on the wire in bytes, as the queues count it.
    pub bytes: u32,
    /// The ingress port.
    pub from: Port,
    /// The priority in flow control, 0 to 7; 0 if there is no flow control.
    pub priority: u8,
    /// True if the priority is lossless, so that limits do not apply.
    pub is_lossless: bool,
    /// True if the packet was trimmed by this switch.
    pub is_trimmed: bool,
}

impl Note {
    /// Returns true if the packet's priority is among the `paused` ones, bit n for priority n.
    #[inline]
    pub fn is_paused(&self, paused: u8) -> bool {
        paused >> self.priority & 1 != 0
    }
}

/// The surroundings that a discipline can access beside its own packets, during one call.
pub(crate) struct Surroundings<'a, Q> {
    pub now: Instant,
    /// The bytes that a packet takes on the link beside its own.
    pub framing: u32,
    pub is_last_hop: bool,
    pub random: &'a mut Random,
    pub memory: &'a mut Memory,
    pub refusals: &'a mut Refusals<Q>,
}

impl<Q> Surroundings<'_, Q> {
    /// Discards an item that holds no memory.
    #[cold]
    pub fn discard(&mut self, item: Q, reason: Reason) {
        self.refusals.discarded.push((item, reason));
    }

    /// Accounts for the memory of a packet that is queued.
    #[inline]
    pub fn hold(&mut self, note: Note) {
        self.memory.hold(self.now, note, &mut self.refusals.urgent);
    }

    /// Accounts for the memory of a packet that leaves its queue.
    #[inline]
    pub fn release(&mut self, note: Note) {
        self.memory.release(note, &mut self.refusals.urgent);
    }
}
