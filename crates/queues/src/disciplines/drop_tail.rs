//! First in, first out; what finds no room is dropped. Disciplines that mark early stand on it.

use node::{QueueLength, Reason};
use wire::Packet;

use crate::counts::{Counts, Totals};
use crate::fifo::Fifo;
use crate::surroundings::{Note, Surroundings};

#[derive(Debug)]
pub(crate) struct DropTail {
    pub fifo: Fifo,
    limit: u64,
    pub counts: Counts,
}

impl DropTail {
    pub fn new(limit: u64) -> Self {
        Self { fifo: Fifo::default(), limit, counts: Counts::default() }
    }

    #[inline]
    pub fn offer(&mut self, packet: Packet, note: Note, around: &mut Surroundings) {
        if let Some(packet) = self.admit(packet, note, around) {
            self.fifo.push(packet, note, around);
        }
    }

    /// Drops a packet that finds no room; one that does is to be pushed, or dropped for another reason.
    #[inline]
    pub fn admit(&mut self, packet: Packet, note: Note, around: &mut Surroundings) -> Option<Packet> {
        match self.fifo.room(self.limit, note, around) {
            Ok(()) => Some(packet),
            Err(reason) => {
                self.drop(packet, note, reason, around);
                None
            }
        }
    }

    #[cold]
    pub fn drop(&mut self, packet: Packet, note: Note, reason: Reason, around: &mut Surroundings) {
        self.counts.dropped(note.bytes);
        around.discard(packet, reason);
    }

    #[inline]
    pub fn take(&mut self, paused: u8, around: &mut Surroundings) -> Option<Packet> {
        let note = self.fifo.next(paused)?;
        self.counts.sent(note);
        self.fifo.pop(note, around)
    }

    pub fn can_go(&self, paused: u8) -> bool {
        self.fifo.can_go(paused)
    }

    pub fn each_fifo<'q>(&'q self, look: &mut dyn FnMut(&'q Fifo)) {
        look(&self.fifo);
    }

    pub fn length(&self) -> QueueLength {
        self.fifo.length()
    }

    pub fn add_to(&self, totals: &mut Totals) {
        self.counts.add_to(totals);
    }
}

basis::snapshot!(DropTail { values fifo, counts; });
