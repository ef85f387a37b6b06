//! First in, first out; what finds no room is dropped.

use node::QueueLength;
use wire::Packet;

use crate::counts::{Counts, Totals};
use crate::fifo::Fifo;
use crate::surroundings::{Note, Surroundings};

#[derive(Debug)]
pub(crate) struct DropTail {
    fifo: Fifo,
    limit: u64,
    counts: Counts,
}

impl DropTail {
    pub fn new(limit: u64) -> Self {
        Self { fifo: Fifo::default(), limit, counts: Counts::default() }
    }

    #[inline]
    pub fn offer(&mut self, packet: Packet, note: Note, around: &mut Surroundings) {
        match self.fifo.room(self.limit, note, around) {
            Ok(()) => self.fifo.push(packet, note, around),
            Err(reason) => {
                self.counts.dropped(note.bytes);
                around.discard(packet, reason);
            }
        }
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

    pub fn length(&self) -> QueueLength {
        self.fifo.length()
    }

    pub fn add_to(&self, totals: &mut Totals) {
        self.counts.add_to(totals);
    }
}
