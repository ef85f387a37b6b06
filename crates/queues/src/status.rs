//! What can be seen of a queue that the sender of a packet names, and what can be changed of it while it runs.

use node::Reason;
use serde::{Deserialize, Serialize};

use crate::{RoomPlan, ShaperPlan};

/// How much waits in a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Depth {
    /// The number of packets.
    pub packets: u64,
    /// Their length in bytes on the wire.
    pub bytes: u64,
    /// The memory that they occupy, in cells; in bytes on the wire if there are no cells, and 0 in queues of disciplines
    /// other than a scheduler.
    pub cells: u64,
}

/// A number of packets, and their bytes on the wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// The number of packets.
    pub packets: u64,
    /// The sum of their lengths in bytes on the wire.
    pub bytes: u64,
}

impl Tally {
    #[inline]
    pub(crate) fn count(&mut self, bytes: u32) {
        self.packets += 1;
        self.bytes += u64::from(bytes);
    }
}

/// What is known of one queue.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueueStatus {
    /// What waits now.
    pub depth: Depth,
    /// The most that has waited at once: the greatest number of packets, of bytes and of cells, perhaps at different
    /// times.
    pub high_water: Depth,
    /// What was queued.
    pub enqueued: Tally,
    /// What was taken.
    pub dequeued: Tally,
    /// What was refused, by reason; reasons that never occurred are left out.
    pub dropped: Vec<(Reason, Tally)>,
    /// True if nothing leaves the queue at present.
    pub is_paused: bool,
    /// True if nothing enters the queue at present.
    pub is_closed: bool,
}

/// What is known of a pool of cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolStatus {
    /// The cells that queues share: those of the pool without the reserved ones.
    pub shared: u64,
    /// The shared cells that are used.
    pub used: u64,
    /// The most shared cells that were used at once.
    pub high_water: u64,
}

/// A change of one queue while it runs.
#[derive(Clone, Debug, PartialEq)]
pub enum QueueChange {
    /// With true, nothing leaves the queue until it is changed back; packets may still enter.
    Paused(bool),
    /// With true, nothing enters the queue until it is changed back; what waits may still leave.
    Closed(bool),
    /// Sets the weight; at least 1.
    Weight(u32),
    /// Sets the priority within the least rate, 0 to 7.
    Priority(u8),
    /// Sets the priority of what exceeds the least rate, 0 to 7.
    RemainingPriority(u8),
    /// Sets the least rate.
    Minimum(Option<ShaperPlan>),
    /// Sets the greatest rate.
    Maximum(Option<ShaperPlan>),
    /// Sets limits of memory. Pool and reserved cells stay as they are, since other queues rely on them. What already
    /// waits stays.
    Limits(RoomPlan),
}

/// Why a queue cannot be changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangeError {
    /// There is no such port, or its discipline has no queues that can be named.
    NoScheduler,
    /// The port has no queue of this number.
    NoSuchQueue,
    /// The value is out of range; the text says which one and what would be right.
    BadValue(String),
}

impl std::fmt::Display for ChangeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoScheduler => f.write_str("the port does not exist or has no queues that can be named"),
            Self::NoSuchQueue => f.write_str("the port has no queue of this number"),
            Self::BadValue(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for ChangeError {}
