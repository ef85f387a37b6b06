//! Explicit congestion notification by a threshold: drop-tail that marks (RFC 3168, section 5).
//!
//! The threshold is that of DCTCP (Alizadeh et al., SIGCOMM 2010, section 3.1): a packet is marked if more bytes than
//! that wait when it comes, now and not on average. Packets whose transport does not know of it are left alone.

use node::QueueLength;
use wire::Packet;

use crate::counts::{Counts, Totals};
use crate::fields;
use crate::fifo::Fifo;
use crate::surroundings::{Note, Surroundings};

#[derive(Debug)]
pub(crate) struct Ecn {
    fifo: Fifo,
    limit: u64,
    threshold: u64,
    counts: Counts,
}

impl Ecn {
    pub fn new(limit: u64, threshold: u64) -> Self {
        Self { fifo: Fifo::default(), limit, threshold, counts: Counts::default() }
    }

    #[inline]
    pub fn offer(&mut self, mut packet: Packet, note: Note, around: &mut Surroundings) {
        if let Err(reason) = self.fifo.room(self.limit, note, around) {
            self.counts.dropped(note.bytes);
            around.discard(packet, reason);
            return;
        }
        if self.fifo.bytes() > self.threshold && mark(&mut packet) {
            self.counts.rare().marked += 1;
        }
        self.fifo.push(packet, note, around);
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

/// Marks a packet, if it can be marked: says whether it is.
pub(super) fn mark(packet: &mut Packet) -> bool {
    fields::place(packet).is_some_and(|place| place.mark(packet))
}
