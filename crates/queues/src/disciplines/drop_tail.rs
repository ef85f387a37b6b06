//! First in, first out; a packet that finds no room is dropped. The disciplines that mark early build on it.

use basis::Instant;
use node::{QueueLength, Reason};

use crate::Queued;
use crate::counts::{Counts, Totals};
use crate::fifo::Fifo;
use crate::surroundings::{Note, Surroundings};

#[derive(Debug)]
pub(crate) struct DropTail<Q> {
    pub fifo: Fifo<Q>,
    limit: u64,
    pub counts: Counts,
}

impl<Q: Queued> DropTail<Q> {
    pub fn new(limit: u64) -> Self {
        Self { fifo: Fifo::default(), limit, counts: Counts::default() }
    }

    #[inline]
    pub fn offer(&mut self, item: Q, note: Note, around: &mut Surroundings<Q>) {
        if let Some(item) = self.admit(item, note, around) {
            self.fifo.push(item, note, around);
        }
    }

    /// Drops a packet that finds no room. Returns a packet that fits; the caller pushes it, or drops it for another
    /// reason.
    #[inline]
    pub fn admit(&mut self, item: Q, note: Note, around: &mut Surroundings<Q>) -> Option<Q> {
        match self.fifo.room(self.limit, note, around) {
            Ok(()) => Some(item),
            Err(reason) => {
                self.drop(item, note, reason, around);
                None
            }
        }
    }

    #[cold]
    pub fn drop(&mut self, item: Q, note: Note, reason: Reason, around: &mut Surroundings<Q>) {
        self.counts.dropped(note.bytes);
        around.discard(item, reason);
    }

    #[inline]
    pub fn take(&mut self, paused: u8, around: &mut Surroundings<Q>) -> Option<Q> {
        let note = self.fifo.next(paused)?;
        self.counts.sent(note);
        self.fifo.pop(note, around)
    }

    pub fn can_go(&self, paused: u8, _now: Instant) -> bool {
        self.fifo.can_go(paused)
    }

    pub fn each_fifo<'q>(&'q self, look: &mut dyn FnMut(&'q Fifo<Q>)) {
        look(&self.fifo);
    }

    pub fn length(&self) -> QueueLength {
        self.fifo.length()
    }

    pub fn add_to(&self, totals: &mut Totals) {
        self.counts.add_to(totals);
    }
}

basis::snapshot!([Q: Queued] DropTail<Q> { values fifo, counts; });
