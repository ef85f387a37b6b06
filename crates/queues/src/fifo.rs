//! A first-in, first-out queue that counts its packets in bytes on the wire.

use std::collections::VecDeque;

use node::{QueueLength, Reason};
use serde::{Deserialize, Serialize};

use crate::reasons;
use crate::surroundings::{Note, Surroundings};
use crate::{Depth, Queued};

/// A first-in, first-out queue. It allocates nothing before the first packet, because networks have many ports that
/// are never used.
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
    /// Returns `Ok` if the packet fits within `limit` bytes and into the shared memory, and otherwise the reason why
    /// not.
    #[inline]
    pub fn room(&self, limit: u64, note: Note, around: &Surroundings<Q>) -> Result<(), Reason> {
        if note.is_lossless {
            // Room was reserved for it at its ingress port (IEEE 802.1Qbb), so no limit applies at the egress port.
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
        self.push_among(0, item, note, around);
    }

    /// Queues a packet behind those that wait, which occupy so many cells.
    #[inline]
    pub fn push_among(&mut self, cells: u64, mut item: Q, note: Note, around: &mut Surroundings<Q>) {
        item.enters(around.now, self.depth(cells));
        around.hold(note);
        self.bytes += u64::from(note.bytes);
        self.waiting.push_back(Waiting { item, note });
    }

    /// Returns the note of the first packet, unless its priority is paused.
    #[inline]
    pub fn next(&self, paused: u8) -> Option<Note> {
        let note = self.waiting.front()?.note;
        (paused == 0 || !note.is_paused(paused)).then_some(note)
    }

    /// Removes and returns the first packet, to which `note` belongs.
    #[inline]
    pub fn pop(&mut self, note: Note, around: &mut Surroundings<Q>) -> Option<Q> {
        self.pop_among(0, note, around)
    }

    /// Removes and returns the first packet, to which `note` belongs. The others occupy so many cells.
    #[inline]
    pub fn pop_among(&mut self, cells: u64, note: Note, around: &mut Surroundings<Q>) -> Option<Q> {
        self.bytes -= u64::from(note.bytes);
        around.release(note);
        let mut item = self.waiting.pop_front().map(|waiting| waiting.item)?;
        item.leaves(around.now, self.depth(cells));
        Some(item)
    }

    #[inline]
    fn depth(&self, cells: u64) -> Depth {
        Depth { packets: self.waiting.len() as u64, bytes: self.bytes, cells }
    }

    /// Removes and returns the last packet.
    pub fn pop_back(&mut self, around: &mut Surroundings<Q>) -> Option<(Q, Note)> {
        let Waiting { item, note } = self.waiting.pop_back()?;
        self.bytes -= u64::from(note.bytes);
        around.release(note);
        Some((item, note))
    }

    /// Returns the last packet without removing it.
    pub fn back(&self) -> Option<(&Q, Note)> {
        self.waiting.back().map(|waiting| (&waiting.item, waiting.note))
    }

    /// Prefetches the memory of the first packet.
    #[inline]
    pub fn prepare(&self) {
        if let Some(waiting) = self.waiting.front() {
            waiting.item.prefetch();
        }
    }

    /// Returns true if a packet can be taken.
    #[inline]
    pub fn can_go(&self, paused: u8) -> bool {
        // Without pauses, the first packet need not be looked at.
        if paused == 0 { !self.waiting.is_empty() } else { self.next(paused).is_some() }
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

    /// Returns the priority of the first packet and the notes of all lossless packets in the queue if the first packet
    /// is among the `paused` priorities and blocks the queue. Returns `None` if the first packet may go, or if the
    /// queue is empty.
    pub fn stopped(&self, paused: u8) -> Option<(u8, impl Iterator<Item = Note>)> {
        let first = self.waiting.front().map(|waiting| waiting.note).filter(|note| note.is_paused(paused))?;
        let notes = self.waiting.iter().map(|waiting| waiting.note);
        Some((first.priority, notes.filter(|note| note.is_lossless)))
    }

    pub fn length(&self) -> QueueLength {
        QueueLength { packets: self.waiting.len() as u64, bytes: self.bytes }
    }
}
