//! Explicit congestion notification by a threshold: drop-tail that marks (RFC 3168, section 5).
//!
//! The threshold is that of DCTCP (Alizadeh et al., SIGCOMM 2010, section 3.1): a packet is marked if more bytes than
//! that wait when it comes, now and not on average. Packets whose transport does not know of it are left alone.

use node::QueueLength;
use wire::Packet;

use super::drop_tail::DropTail;
use crate::counts::Totals;
use crate::fields;
use crate::fifo::Fifo;
use crate::surroundings::{Note, Surroundings};

#[derive(Debug)]
pub(crate) struct Ecn {
    tail: DropTail,
    threshold: u64,
}

impl Ecn {
    pub fn new(limit: u64, threshold: u64) -> Self {
        Self { tail: DropTail::new(limit), threshold }
    }

    #[inline]
    pub fn offer(&mut self, packet: Packet, note: Note, around: &mut Surroundings) {
        let Some(mut packet) = self.tail.admit(packet, note, around) else { return };
        if self.tail.fifo.bytes() > self.threshold && mark(&mut packet) {
            self.tail.counts.rare().marked += 1;
        }
        self.tail.fifo.push(packet, note, around);
    }

    #[inline]
    pub fn take(&mut self, paused: u8, around: &mut Surroundings) -> Option<Packet> {
        self.tail.take(paused, around)
    }

    pub fn can_go(&self, paused: u8) -> bool {
        self.tail.can_go(paused)
    }

    pub fn each_fifo<'q>(&'q self, look: &mut dyn FnMut(&'q Fifo)) {
        self.tail.each_fifo(look);
    }

    pub fn length(&self) -> QueueLength {
        self.tail.length()
    }

    pub fn add_to(&self, totals: &mut Totals) {
        self.tail.add_to(totals);
    }
}

/// Marks a packet, if it can be marked: says whether it is.
pub(super) fn mark(packet: &mut Packet) -> bool {
    fields::place(packet).is_some_and(|place| place.mark(packet))
}

basis::snapshot!(Ecn { parts tail; });
