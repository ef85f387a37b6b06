//! Strict priorities: a class waits while one with a greater number has a packet to send (IEEE 802.1Q, section
//! 8.6.8.1).

use basis::Instant;
use node::QueueLength;

use super::Queue;
use crate::counts::Totals;
use crate::fifo::Fifo;
use crate::reasons;
use crate::surroundings::{Note, Surroundings};
use crate::{ClassMap, Queued};

#[derive(Debug)]
pub(crate) struct Priorities<Q> {
    map: ClassMap,
    classes: Vec<Queue<Q>>,
}

impl<Q: Queued> Priorities<Q> {
    pub fn new(map: ClassMap, classes: Vec<Queue<Q>>) -> Self {
        Self { map, classes }
    }

    pub fn offer(&mut self, item: Q, note: Note, around: &mut Surroundings<Q>) {
        match class(&self.map, self.classes.len(), &item) {
            Some(class) => self.classes[class].offer(item, note, around),
            None => around.discard(item, reasons::QUEUE_FULL),
        }
    }

    pub fn take(&mut self, paused: u8, around: &mut Surroundings<Q>) -> Option<Q> {
        self.classes.iter_mut().rev().find_map(|class| class.take(paused, around))
    }

    pub fn can_go(&self, paused: u8, now: Instant) -> bool {
        self.classes.iter().any(|class| class.can_go(paused, now))
    }

    pub fn each_fifo<'q>(&'q self, look: &mut dyn FnMut(&'q Fifo<Q>)) {
        self.classes.iter().for_each(|class| class.each_fifo(look));
    }

    pub fn length(&self) -> QueueLength {
        sum(self.classes.iter().map(Queue::length))
    }

    pub fn add_to(&self, totals: &mut Totals) {
        self.classes.iter().for_each(|class| class.add_to(totals));
    }
}

/// Returns the class of an item among this number of `classes`, or `None` if there are none. Unless the item has a
/// class of its own, its code point determines it; an item without a code point counts as code point 0.
pub(super) fn class(map: &ClassMap, classes: usize, item: &impl Queued) -> Option<usize> {
    let class = item.class().unwrap_or_else(|| map.class(item.code_point().unwrap_or(0)));
    Some(usize::from(class).min(classes.checked_sub(1)?))
}

pub(super) fn sum(lengths: impl Iterator<Item = QueueLength>) -> QueueLength {
    lengths.fold(QueueLength::default(), |sum, length| QueueLength {
        packets: sum.packets + length.packets,
        bytes: sum.bytes + length.bytes,
    })
}

basis::snapshot!([Q: Queued] Priorities<Q> { parts classes; });
