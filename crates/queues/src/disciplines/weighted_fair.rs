//! Weighted fair queueing by bytes: start-time fair queueing (Goyal, Vin and Cheng, SIGCOMM 1996); see `fair.rs` for
//! why this one.

use node::QueueLength;
use wire::Packet;

use super::Queue;
use super::priorities::{class, sum};
use crate::ClassMap;
use crate::counts::Totals;
use crate::fair::{Tag, VirtualTime, costs};
use crate::fifo::Fifo;
use crate::reasons;
use crate::surroundings::{Note, Surroundings};

#[derive(Debug)]
pub(crate) struct WeightedFair {
    map: ClassMap,
    classes: Vec<Class>,
    time: VirtualTime,
}

#[derive(Debug)]
struct Class {
    queue: Queue,
    tag: Tag,
    /// What a byte costs.
    cost: u64,
}

impl WeightedFair {
    pub fn new(map: ClassMap, queues: Vec<Queue>, weights: &[u32]) -> Self {
        let classes = queues.into_iter().zip(costs(weights));
        let classes = classes.map(|(queue, cost)| Class { queue, tag: Tag::default(), cost }).collect();
        Self { map, classes, time: VirtualTime::default() }
    }

    pub fn offer(&mut self, packet: Packet, note: Note, around: &mut Surroundings) {
        let Some(class) = class(&self.map, self.classes.len(), &packet) else {
            around.discard(packet, reasons::QUEUE_FULL);
            return;
        };
        let class = &mut self.classes[class];
        let was_waiting = class.queue.can_go(0);
        class.queue.offer(packet, note, around);
        if !was_waiting && class.queue.can_go(0) {
            self.time.begin(&mut class.tag);
        }
    }

    pub fn take(&mut self, paused: u8, around: &mut Surroundings) -> Option<Packet> {
        let mut first: Option<usize> = None;
        for (number, class) in self.classes.iter().enumerate() {
            // Of two that may start at the same time the one with the smaller number goes.
            let is_first = first.is_none_or(|first| !self.classes[first].tag.is_not_after(class.tag));
            if is_first && class.queue.can_go(paused) {
                first = Some(number);
            }
        }
        let class = &mut self.classes[first?];
        let packet = class.queue.take(paused, around)?;
        let bytes = packet.len() as u64 + u64::from(around.framing);
        self.time.take(&mut class.tag, class.cost * bytes);
        if paused != 0 {
            for class in self.classes.iter_mut().filter(|class| !class.queue.can_go(paused)) {
                self.time.begin(&mut class.tag);
            }
        }
        if self.classes.iter().all(|class| !class.queue.can_go(0)) {
            self.time.rest(self.classes.iter().map(|class| class.tag));
        }
        Some(packet)
    }

    pub fn can_go(&self, paused: u8) -> bool {
        self.classes.iter().any(|class| class.queue.can_go(paused))
    }

    pub fn each_fifo<'q>(&'q self, look: &mut dyn FnMut(&'q Fifo)) {
        self.classes.iter().for_each(|class| class.queue.each_fifo(look));
    }

    pub fn length(&self) -> QueueLength {
        sum(self.classes.iter().map(|class| class.queue.length()))
    }

    pub fn add_to(&self, totals: &mut Totals) {
        self.classes.iter().for_each(|class| class.queue.add_to(totals));
    }
}

basis::snapshot!(WeightedFair { values time; parts classes; });
basis::snapshot!(Class { values tag; parts queue; });
