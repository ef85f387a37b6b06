//! Explicit congestion notification by a threshold: drop-tail that marks (RFC 3168, section 5).
//!
//! The threshold is that of DCTCP (Alizadeh et al., SIGCOMM 2010, section 3.1): a packet is marked if more bytes than
//! that wait when it comes, now and not on average. Packets whose transport does not know of it are left alone.

use node::QueueLength;

use crate::counts::{Counts, Totals};
use crate::fields;
use crate::fifo::Fifo;
use crate::surroundings::{Surroundings, Waiting};

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
    pub fn offer(&mut self, mut waiting: Waiting, around: &mut Surroundings) {
        if let Err(reason) = self.fifo.room(self.limit, &waiting, around) {
            self.counts.dropped(waiting.bytes);
            around.discard(waiting.packet, reason);
            return;
        }
        if self.fifo.bytes() > self.threshold && mark(&mut waiting) {
            self.counts.rare().marked += 1;
        }
        self.fifo.push(waiting, around);
    }

    #[inline]
    pub fn take(&mut self, paused: u8, around: &mut Surroundings) -> Option<Waiting> {
        let waiting = self.fifo.pop(paused, around)?;
        self.counts.sent(&waiting);
        Some(waiting)
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
pub(super) fn mark(waiting: &mut Waiting) -> bool {
    fields::place(&waiting.packet).is_some_and(|place| place.mark(&mut waiting.packet))
}
