//! Strict priorities: a class waits while one with a greater number can go (IEEE 802.1Q, section 8.6.8.1).

use node::QueueLength;
use wire::Packet;

use super::Queue;
use crate::ClassMap;
use crate::counts::Totals;
use crate::fields;
use crate::fifo::Fifo;
use crate::reasons;
use crate::surroundings::{Note, Surroundings};

#[derive(Debug)]
pub(crate) struct Priorities {
    map: ClassMap,
    classes: Vec<Queue>,
}

impl Priorities {
    pub fn new(map: ClassMap, classes: Vec<Queue>) -> Self {
        Self { map, classes }
    }

    pub fn offer(&mut self, packet: Packet, note: Note, around: &mut Surroundings) {
        match class(&self.map, self.classes.len(), &packet) {
            Some(class) => self.classes[class].offer(packet, note, around),
            None => around.discard(packet, reasons::QUEUE_FULL),
        }
    }

    pub fn take(&mut self, paused: u8, around: &mut Surroundings) -> Option<Packet> {
        self.classes.iter_mut().rev().find_map(|class| class.take(paused, around))
    }

    pub fn can_go(&self, paused: u8) -> bool {
        self.classes.iter().any(|class| class.can_go(paused))
    }

    pub fn each_fifo<'q>(&'q self, look: &mut dyn FnMut(&'q Fifo)) {
        self.classes.iter().for_each(|class| class.each_fifo(look));
    }

    pub fn length(&self) -> QueueLength {
        sum(self.classes.iter().map(Queue::length))
    }

    pub fn add_to(&self, totals: &mut Totals) {
        self.classes.iter().for_each(|class| class.add_to(totals));
    }
}

/// The class of a packet among so many; `None` if there are none. What has no code point is as if it had 0.
pub(super) fn class(map: &ClassMap, classes: usize, packet: &Packet) -> Option<usize> {
    let dscp = fields::code_point(packet).unwrap_or(0);
    Some(usize::from(map.class(dscp)).min(classes.checked_sub(1)?))
}

pub(super) fn sum(lengths: impl Iterator<Item = QueueLength>) -> QueueLength {
    lengths.fold(QueueLength::default(), |sum, length| QueueLength {
        packets: sum.packets + length.packets,
        bytes: sum.bytes + length.bytes,
    })
}

basis::snapshot!(Priorities { parts classes; });
