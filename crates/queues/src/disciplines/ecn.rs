//! Explicit congestion notification by a threshold: drop-tail that marks (RFC 3168, section 5).
//!
//! The threshold is that of DCTCP (Alizadeh et al., SIGCOMM 2010, section 3.1): a packet is marked if more bytes than
//! that are waiting when it arrives, at that moment and not on average. Packets that are not ECN-capable are left
//! alone.

use basis::Instant;
use node::QueueLength;

use super::drop_tail::DropTail;
use crate::Queued;
use crate::counts::Totals;
use crate::fields;
use crate::fifo::Fifo;
use crate::surroundings::{Note, Surroundings};

#[derive(Debug)]
pub(crate) struct Ecn<Q> {
    tail: DropTail<Q>,
    threshold: u64,
}

impl<Q: Queued> Ecn<Q> {
    pub fn new(limit: u64, threshold: u64) -> Self {
        Self { tail: DropTail::new(limit), threshold }
    }

    #[inline]
    pub fn offer(&mut self, item: Q, note: Note, around: &mut Surroundings<Q>) {
        let Some(mut item) = self.tail.admit(item, note, around) else { return };
        if self.tail.fifo.bytes() > self.threshold && mark(&mut item) {
            self.tail.counts.rare().marked += 1;
        }
        self.tail.fifo.push(item, note, around);
    }

    #[inline]
    pub fn take(&mut self, paused: u8, around: &mut Surroundings<Q>) -> Option<Q> {
        self.tail.take(paused, around)
    }

    pub fn can_go(&self, paused: u8, now: Instant) -> bool {
        self.tail.can_go(paused, now)
    }

    pub fn each_fifo<'q>(&'q self, look: &mut dyn FnMut(&'q Fifo<Q>)) {
        self.tail.each_fifo(look);
    }

    pub fn length(&self) -> QueueLength {
        self.tail.length()
    }

    pub fn add_to(&self, totals: &mut Totals) {
        self.tail.add_to(totals);
    }
}

/// Marks a packet if it can be marked. Returns whether it is marked.
pub(super) fn mark(item: &mut impl Queued) -> bool {
    item.packet_mut().is_some_and(|packet| fields::ip_header(packet).is_some_and(|ip_header| ip_header.mark(packet)))
}

basis::snapshot!([Q: Queued] Ecn<Q> { parts tail; });
