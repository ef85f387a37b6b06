//! Weighted fair queueing by bytes: start-time fair queueing (Goyal, Vin and Cheng, SIGCOMM 1996). `fair.rs` says why
//! it was chosen.

use basis::Instant;
use node::QueueLength;

use super::Queue;
use super::priorities::{class, sum};
use crate::counts::Totals;
use crate::fair::{Tag, VirtualTime, costs};
use crate::fifo::Fifo;
use crate::reasons;
use crate::surroundings::{Note, Surroundings};
use crate::{ClassMap, Queued};

#[derive(Debug)]
pub(crate) struct WeightedFair<Q> {
    map: ClassMap,
    classes: Vec<Class<Q>>,
    time: VirtualTime,
}

#[derive(Debug)]
struct Class<Q> {
    queue: Queue<Q>,
    tag: Tag,
    /// The cost of a byte in virtual time.
    cost: u64,
}

impl<Q: Queued> WeightedFair<Q> {
    pub fn new(map: ClassMap, queues: Vec<Queue<Q>>, weights: &[u32]) -> Self {
        let classes = queues.into_iter().zip(costs(weights));
        let classes = classes.map(|(queue, cost)| Class { queue, tag: Tag::default(), cost }).collect();
        Self { map, classes, time: VirtualTime::default() }
    }

    pub fn offer(&mut self, item: Q, note: Note, around: &mut Surroundings<Q>) {
        let Some(class) = class(&self.map, self.classes.len(), &item) else {
            around.discard(item, reasons::QUEUE_FULL);
            return;
        };
        let now = around.now;
        let class = &mut self.classes[class];
        let was_waiting = class.queue.can_go(0, now);
        class.queue.offer(item, note, around);
        if !was_waiting && class.queue.can_go(0, now) {
            self.time.begin(&mut class.tag);
        }
    }

    pub fn take(&mut self, paused: u8, around: &mut Surroundings<Q>) -> Option<Q> {
        let now = around.now;
        let mut first: Option<usize> = None;
        for (number, class) in self.classes.iter().enumerate() {
            // Of two classes with equal tags, the one with the smaller number goes first.
            let is_first = first.is_none_or(|first| !self.classes[first].tag.is_not_after(class.tag));
            if is_first && class.queue.can_go(paused, now) {
                first = Some(number);
            }
        }
        let class = &mut self.classes[first?];
        let Some(item) = class.queue.take(paused, around) else {
            // Everything that could go there was dropped on its way out.
            return self.take(paused, around);
        };
        let bytes = item.length() as u64 + u64::from(around.framing);
        self.time.take(&mut class.tag, class.cost * bytes);
        if paused != 0 {
            for class in self.classes.iter_mut().filter(|class| !class.queue.can_go(paused, now)) {
                self.time.begin(&mut class.tag);
            }
        }
        if self.classes.iter().all(|class| !class.queue.can_go(0, now)) {
            self.time.rest(self.classes.iter().map(|class| class.tag));
        }
        Some(item)
    }

    pub fn can_go(&self, paused: u8, now: Instant) -> bool {
        self.classes.iter().any(|class| class.queue.can_go(paused, now))
    }

    pub fn each_fifo<'q>(&'q self, look: &mut dyn FnMut(&'q Fifo<Q>)) {
        self.classes.iter().for_each(|class| class.queue.each_fifo(look));
    }

    pub fn length(&self) -> QueueLength {
        sum(self.classes.iter().map(|class| class.queue.length()))
    }

    pub fn add_to(&self, totals: &mut Totals) {
        self.classes.iter().for_each(|class| class.queue.add_to(totals));
    }
}

basis::snapshot!([Q: Queued] WeightedFair<Q> { values time; parts classes; });
basis::snapshot!([Q: Queued] Class<Q> { values tag; parts queue; });
