//! Packets in the order in which they came, counted in bytes on the wire.

use std::collections::VecDeque;

use node::{QueueLength, Reason};
use serde::{Deserialize, Serialize};

use crate::Queued;
use crate::reasons;
use crate::surroundings::{Note, Surroundings};

/// Nothing is allocated before the first packet: networks have many ports that are never used.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Fifo<Q> {
    waiting: VecDeque<Waiting<Q>>,
    bytes: u64,
}

#[derive(Debug, Serialize, Deserialize)]
struct Waiting<Q> {
    item: Q,
    note: Note,
}

impl<Q> Default for Fifo<Q> {
    fn default() -> Self {
        Self { waiting: VecDeque::new(), bytes: 0 }
    }
}

impl<Q: Queued> Fifo<Q> {
    /// Nothing, if there is room for a packet within `limit` bytes and in the memory; else why not.
    #[inline]
    pub fn room(&self, limit: u64, note: Note, around: &Surroundings<Q>) -> Result<(), Reason> {
        if note.is_lossless {
            // Its room was promised where it came in (IEEE 802.1Qbb): there is no limit where it goes out.
            Ok(())
        } else if self.bytes + u64::from(note.bytes) > limit {
            Err(reasons::QUEUE_FULL)
        } else if !around.memory.admits(self.bytes, note.bytes) {
            Err(reasons::SHARED_BUFFER_FULL)
        } else {
            Ok(())
        }
    }

    #[inline]
    pub fn push(&mut self, item: Q, note: Note, around: &mut Surroundings<Q>) {
        around.hold(note);
        self.bytes += u64::from(note.bytes);
        self.waiting.push_back(Waiting { item, note });
    }

    /// The note of the first packet, unless its priority is paused.
    #[inline]
    pub fn next(&self, paused: u8) -> Option<Note> {
        let note = self.waiting.front()?.note;
        (paused == 0 || !note.is_paused(paused)).then_some(note)
    }

    /// The first packet, whose note this is.
    #[inline]
    pub fn pop(&mut self, note: Note, around: &mut Surroundings<Q>) -> Option<Q> {
        self.bytes -= u64::from(note.bytes);
        around.release(note);
        self.waiting.pop_front().map(|waiting| waiting.item)
    }

    /// The last packet.
    pub fn pop_back(&mut self, around: &mut Surroundings<Q>) -> Option<(Q, Note)> {
        let Waiting { item, note } = self.waiting.pop_back()?;
        self.bytes -= u64::from(note.bytes);
        around.release(note);
        Some((item, note))
    }

    /// The last packet, to look at.
    pub fn back(&self) -> Option<(&Q, Note)> {
        self.waiting.back().map(|waiting| (&waiting.item, waiting.note))
    }

    /// Asks for the memory of the first packet.
    #[inline]
    pub fn prepare(&self) {
        if let Some(waiting) = self.waiting.front() {
            waiting.item.prefetch();
        }
    }

    /// True if a packet can go.
    #[inline]
    pub fn can_go(&self, paused: u8) -> bool {
        self.next(paused).is_some()
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    #[inline]
    pub fn packets(&self) -> usize {
        self.waiting.len()
    }

    #[inline]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// What stands still while its first packet's priority is among those that are `paused`: that priority, and every
    /// lossless packet's note. `None` if the first packet may go, or there is none.
    pub fn stopped(&self, paused: u8) -> Option<(u8, impl Iterator<Item = Note>)> {
        let first = self.waiting.front().map(|waiting| waiting.note).filter(|note| note.is_paused(paused))?;
        let notes = self.waiting.iter().map(|waiting| waiting.note);
        Some((first.priority, notes.filter(|note| note.is_lossless)))
    }

    pub fn length(&self) -> QueueLength {
        QueueLength { packets: self.waiting.len() as u64, bytes: self.bytes }
    }
}
