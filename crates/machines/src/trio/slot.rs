//! A place for a thread in a packet processing engine, with the memory of those that were there before.

use basis::Instant;
use ir::interpret::threads::{Bytes, Thread, Ticket};
use serde::{Deserialize, Serialize};
use wire::Packet;

use super::reorder::Place;

/// A place for a thread.
#[derive(Debug, Default)]
pub(super) struct Slot {
    /// The thread, or the last one that was here; `None` before the first one.
    pub(super) thread: Option<Thread>,
    pub(super) own: Own,
}

/// What the chip knows of a thread.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Own {
    /// The packet for which the thread began, as it arrived, until it is known what becomes of it.
    pub(super) arrived: Option<Packet>,
    /// The port by which it came.
    pub(super) port: u16,
    /// Its place in the reorder engine, until it is known what becomes of it.
    pub(super) place: Option<Place>,
    /// The replies that have not come yet.
    pub(super) replies: Vec<(Ticket, Bytes)>,
    pub(super) state: State,
    /// Whether the thread keeps the chip from being at rest: it began for a packet, an event, or a timer that was awaited.
    pub(super) counts: bool,
    /// Whether a timer began it.
    pub(super) is_of_timer: bool,
    /// Whether the thread does not go on until a reply comes.
    pub(super) is_suspended: bool,
    /// The number of the thread, in the order in which threads began.
    pub(super) number: u64,
    /// The cycle in which the thread began.
    pub(super) began: u64,
    /// The time at which the packet arrived, or at which the cause arose.
    pub(super) came: Instant,
}

/// What a place holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum State {
    /// Nothing.
    #[default]
    Free,
    /// A thread.
    Running,
    /// A thread that has ended, but not all of whose transactions have been answered.
    Ended,
}

/// How to get at a thread that is there.
pub(super) const THERE: &str = "a place that is not free has a thread";
