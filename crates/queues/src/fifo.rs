//! Packets in the order in which they came, counted in bytes on the wire.

use std::collections::VecDeque;

use node::{QueueLength, Reason};

use crate::surroundings::{Surroundings, Waiting};

/// Nothing is allocated before the first packet: networks have many ports that are never used.
#[derive(Debug, Default)]
pub(crate) struct Fifo {
    waiting: VecDeque<Waiting>,
    bytes: u64,
}

impl Fifo {
    /// Nothing, if there is room for a packet within `limit` bytes and in the memory; else why not.
    #[inline]
    pub fn room(&self, limit: u64, waiting: &Waiting, around: &Surroundings) -> Result<(), Reason> {
        if waiting.is_lossless {
            // Its room was promised where it came in (IEEE 802.1Qbb): there is no limit where it goes out.
            Ok(())
        } else if self.bytes + u64::from(waiting.bytes) > limit {
            Err(Reason::QueueFull)
        } else if !around.memory.admits(self.bytes, waiting.bytes) {
            Err(Reason::SharedBufferFull)
        } else {
            Ok(())
        }
    }

    #[inline]
    pub fn push(&mut self, waiting: Waiting, around: &mut Surroundings) {
        around.hold(&waiting);
        self.bytes += u64::from(waiting.bytes);
        self.waiting.push_back(waiting);
    }

    /// The first packet, unless its priority is paused.
    #[inline]
    pub fn pop(&mut self, paused: u8, around: &mut Surroundings) -> Option<Waiting> {
        if paused != 0 && self.waiting.front()?.is_paused(paused) {
            return None;
        }
        let waiting = self.waiting.pop_front()?;
        self.bytes -= u64::from(waiting.bytes);
        around.release(&waiting);
        Some(waiting)
    }

    /// The last packet.
    pub fn pop_back(&mut self, around: &mut Surroundings) -> Option<Waiting> {
        let waiting = self.waiting.pop_back()?;
        self.bytes -= u64::from(waiting.bytes);
        around.release(&waiting);
        Some(waiting)
    }

    pub fn back(&self) -> Option<&Waiting> {
        self.waiting.back()
    }

    /// True if [`Fifo::pop`] would give a packet.
    #[inline]
    pub fn can_go(&self, paused: u8) -> bool {
        self.waiting.front().is_some_and(|waiting| !waiting.is_paused(paused))
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    #[inline]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    pub fn length(&self) -> QueueLength {
        QueueLength { packets: self.waiting.len() as u64, bytes: self.bytes }
    }
}
