//! Packets that have left their threads.

use basis::Instant;
use serde::{Deserialize, Serialize};
use wire::Packet;

/// Where a packet goes that leaves a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Destination {
    Port { port: u64, queue: u8 },
    Group(u64),
}

/// A packet that has left its thread.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Leaving {
    pub(super) packet: Packet,
    pub(super) to: Destination,
    /// The port by which the packet came that the thread began for; 0 without one.
    pub(super) from: u16,
    /// Whether its thread keeps the chip from being at rest.
    pub(super) counts: bool,
    /// When the packet arrived; `None` for one that a thread has made.
    pub(super) came: Option<Instant>,
    /// The cycle in which it left its thread.
    pub(super) left: u64,
}
