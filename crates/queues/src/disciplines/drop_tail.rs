//! First in, first out; what finds no room is dropped.

use node::QueueLength;

use crate::counts::{Counts, Totals};
use crate::fifo::Fifo;
use crate::surroundings::{Surroundings, Waiting};

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
    pub fn offer(&mut self, waiting: Waiting, around: &mut Surroundings) {
        match self.fifo.room(self.limit, &waiting, around) {
            Ok(()) => self.fifo.push(waiting, around),
            Err(reason) => {
                self.counts.dropped(waiting.bytes);
                around.discard(waiting.packet, reason);
            }
        }
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
