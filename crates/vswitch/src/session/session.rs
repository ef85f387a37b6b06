//! A session: both directions of a connection, with everything that is known of it.

use basis::Instant;
use serde::{Deserialize, Serialize};
use wire::Segments;

use super::key::FlowKey;
use super::list::Links;
use super::seen::{Seen, Unlogged};
use super::tcp::{TcpPhase, TcpState};
use super::timeouts::Timeouts;

/// One direction of a session, by the number of its slot and of the direction. It is found again by it until the session
/// ends; the slot may then hold another session, so that whoever kept the number compares the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FlowId(pub(super) u32);

impl FlowId {
    /// The flow id of a direction, 0 or 1, of the session in a slot.
    pub(super) fn new(slot: u32, direction: usize) -> Self {
        Self(slot << 1 | direction as u32)
    }

    /// Returns the slot of the session.
    pub(super) fn slot(self) -> u32 {
        self.0 >> 1
    }

    /// Returns the direction: 0 is that of the packet that began the session, 1 that of replies.
    pub fn direction(self) -> usize {
        (self.0 & 1) as usize
    }

    /// Returns the flow id as a number.
    pub fn number(self) -> u32 {
        self.0
    }

    /// Returns the other direction of the same session.
    pub fn reply(self) -> Self {
        Self(self.0 ^ 1)
    }
}

/// The number of packets and of their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Count {
    /// The number of packets.
    pub packets: u64,
    /// The number of their bytes.
    pub bytes: u64,
}

impl Count {
    /// Counts a packet, or the segments that it will be cut into.
    pub fn add(&mut self, segments: &Segments) {
        self.packets += segments.count;
        self.bytes += segments.bytes;
    }

    /// Returns what is left without a part, which is not greater.
    pub(super) fn without(self, part: Self) -> Self {
        Self { packets: self.packets.saturating_sub(part.packets), bytes: self.bytes.saturating_sub(part.bytes) }
    }

    /// Returns both together.
    pub(super) fn and(self, other: Self) -> Self {
        Self { packets: self.packets.saturating_add(other.packets), bytes: self.bytes.saturating_add(other.bytes) }
    }
}

/// A session. `D` is what was decided about its packets.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Session<D> {
    /// The keys of the two directions: that of the packet that began the session, and that of replies.
    pub keys: [FlowKey; 2],
    /// What was decided about the packets of both directions.
    pub decision: D,
    /// What has passed in each direction, without what was discarded.
    pub counts: [Count; 2],
    /// What else was seen of each direction.
    pub seen: [Seen; 2],
    /// The state of the connection, if it is one of TCP.
    pub tcp: TcpState,
    /// The time at which the session began.
    pub began: Instant,
    /// The time of the last packet.
    pub last: Instant,
    /// The number of the vNIC that the session is counted for.
    pub owner: u32,
    /// The number of the policy by which it was decided.
    pub epoch: u32,
    pub(super) in_bucket: Links,
    pub(super) in_half_open: Links,
    pub(super) in_half_open_of_vnic: Links,
    /// The number of the bucket that the session waits in.
    pub(super) bucket: u32,
    pub(super) is_half_open: bool,
    /// Whether a packet of its own has come back, and not only ICMP errors about it.
    pub(crate) is_answered: bool,
}

impl<D> Session<D> {
    /// Takes the packets of a direction that no record of the flow log has yet: those that were sent, and those of them that have
    /// passed.
    pub(crate) fn take_unlogged(&mut self, direction: usize) -> [Option<Unlogged>; 2] {
        self.seen[direction].take_unlogged(self.counts[direction])
    }

    /// Returns true if nothing has come back yet but ICMP errors, or if the TCP connection is not established: such sessions are the
    /// first to go when the table is full.
    pub fn is_half_open(&self) -> bool {
        let protocol = self.keys[0].protocol();
        let is_opening = protocol == wire::protocol::TCP && self.tcp.phase() == TcpPhase::Opening;
        is_opening || !self.is_answered
    }

    /// Returns the time at which the session ends if no packet comes.
    pub fn ends(&self, timeouts: &Timeouts) -> Instant {
        self.last + timeouts.of(self.keys[0].protocol(), self.tcp.phase())
    }
}
