//! The plan of a scheduler: queues that the sender of a packet names, with priorities, weights, shapers and memory.
//!
//! What can be set follows the public driver interface of a discontinued switch chip (p4lang/open-p4studio,
//! `traffic_mgr_sch_intf.h`, `traffic_mgr_q_intf.h`) and SAI (`inc/saischeduler.h`).

use basis::Rate;
use serde::{Deserialize, Serialize};

use super::ClassMap;

/// The largest number of queues of a port.
pub const MOST_QUEUES: usize = 128;
/// The number of strict priorities, 0 to 7.
pub const PRIORITIES: u8 = 8;

/// The plan of a port whose packets wait in queues that their senders name: see [`Queued::class`](crate::Queued::class).
#[derive(Clone, Debug, PartialEq)]
pub struct SchedulerPlan {
    /// The queues, numbered from 0; 1 to 128.
    pub queues: Vec<QueuePlan>,
    /// The shaper of the port, to which the packets of all queues conform; `None` for the rate of the link.
    pub shaper: Option<ShaperPlan>,
    /// The bytes on the wire that a weight of 1 is worth in a round of deficit round robin; at least 1. With a quantum of
    /// a full packet divided by the least weight, a round takes one step; smaller quanta are finer.
    pub quantum: u32,
    /// The map from code points to queues, for packets whose sender has named none. Numbers beyond the last queue stand
    /// for it.
    pub map: ClassMap,
}

/// The plan of one queue of a scheduler.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct QueuePlan {
    /// The priority within the least rate, 0 to 7; a greater number goes first.
    pub priority: u8,
    /// The priority of what exceeds the least rate, 0 to 7. It is served while no queue within its least rate can send.
    pub remaining_priority: u8,
    /// The share of what queues of the same priority send, in proportion to their weights; at least 1.
    pub weight: u32,
    /// The least rate: what conforms to it goes before everything that does not conform to its own; `None` for none.
    pub minimum: Option<ShaperPlan>,
    /// The most that the queue sends; `None` for no limit.
    pub maximum: Option<ShaperPlan>,
    /// What the queue may hold.
    pub room: RoomPlan,
}

/// The memory that a queue may hold. It is counted in cells if [`BufferPlan::cells`](crate::BufferPlan::cells) says
/// so, and otherwise in bytes on the wire.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoomPlan {
    /// The pool from which the queue takes what exceeds its reserved cells.
    pub pool: u8,
    /// The cells that only this queue uses, whatever others hold.
    pub reserved: u64,
    /// The cells that the queue may hold beside the reserved ones. Without a limit and without `alpha` it may fill the
    /// pool.
    pub limit: Option<u64>,
    /// The fraction of the pool's free cells that the queue may hold in addition to `limit`, as by dynamic thresholds
    /// (Choudhury and Hahne, 1998); `None` for a static limit. Used in multiples of 2^-16. Such a queue accepts packets
    /// until it has reached its threshold, so its last packet may exceed it.
    pub alpha: Option<f64>,
    /// The fraction of the queue's limit, static or dynamic, up to which yellow packets are accepted, 0 to 1. Used in
    /// multiples of 2^-16.
    pub yellow: f64,
    /// The fraction of the queue's limit up to which red packets are accepted, 0 to 1.
    pub red: f64,
}

/// The plan of a token bucket. A packet may go while the bucket is not overdrawn, and takes its bytes from it. So in any
/// time t at most `burst` bytes, one packet and the bytes of t at `rate` go, and no packet is too long for a bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShaperPlan {
    /// The rate at which the bucket fills, of bytes on the wire.
    pub rate: Rate,
    /// The bytes on the wire that the full bucket holds; with 0, packets are evenly spaced.
    pub burst: u64,
}

impl SchedulerPlan {
    /// Returns the plan of `queues` equal queues with the other values of the default.
    pub fn of(queues: usize) -> Self {
        Self { queues: vec![QueuePlan::default(); queues], ..Self::default() }
    }
}

impl Default for SchedulerPlan {
    /// Returns the plan of 32 equal queues without shapers, whose round gives each of them 1536 bytes.
    fn default() -> Self {
        Self { queues: vec![QueuePlan::default(); 32], shaper: None, quantum: 1536, map: ClassMap::default() }
    }
}

impl Default for QueuePlan {
    /// Returns the plan of a queue of the highest priority and weight 1, without rates of its own.
    fn default() -> Self {
        let priority = PRIORITIES - 1;
        Self {
            priority,
            remaining_priority: priority,
            weight: 1,
            minimum: None,
            maximum: None,
            room: RoomPlan::default(),
        }
    }
}

impl Default for RoomPlan {
    /// Returns the room of a queue that may fill the first pool, whatever the colour of its packets.
    fn default() -> Self {
        Self { pool: 0, reserved: 0, limit: None, alpha: None, yellow: 1.0, red: 1.0 }
    }
}

impl SchedulerPlan {
    pub(super) fn tell(&self, problems: &mut Vec<String>) {
        let count = self.queues.len();
        if !(1..=MOST_QUEUES).contains(&count) {
            problems.push(format!("a port cannot have {count} queues: from 1 to {MOST_QUEUES}"));
        }
        if self.quantum == 0 {
            problems.push("a quantum of 0 bytes serves no queue: it must be at least 1 byte".to_owned());
        }
        for (number, queue) in self.queues.iter().enumerate() {
            queue.tell(number, problems);
        }
    }
}

impl QueuePlan {
    /// Returns a sentence for every value of the queue of this number that is out of its range.
    pub(crate) fn out_of_range(&self, number: usize) -> Vec<String> {
        let room = &self.room;
        let is_fraction = |number: f64| (0.0..=1.0).contains(&number);
        let wrong = [
            (self.weight == 0, "a weight of 0 is never served: weights must be at least 1"),
            (self.priority.max(self.remaining_priority) >= PRIORITIES, "priorities are 0 to 7"),
            (
                room.alpha.is_some_and(|alpha| !(alpha > 0.0 && alpha.is_finite())),
                "alpha of dynamic thresholds must be a number above 0",
            ),
            (!is_fraction(room.yellow) || !is_fraction(room.red), "the limits of colors must be fractions from 0 to 1"),
            (room.reserved == 0 && room.limit == Some(0) && room.alpha.is_none(), super::NO_ROOM),
        ];
        let wrong = wrong.into_iter().filter(|(is_wrong, _)| *is_wrong);
        wrong.map(|(_, what)| format!("queue {number}: {what}")).collect()
    }

    fn tell(&self, number: usize, problems: &mut Vec<String>) {
        problems.extend(self.out_of_range(number));
        if let (Some(minimum), Some(maximum)) = (self.minimum, self.maximum)
            && minimum.rate > maximum.rate
        {
            problems.push(format!("queue {number}: the least rate must not be above the greatest"));
        }
    }
}
