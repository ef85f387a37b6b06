//! What the queues of a switch are to be.

use basis::Rate;

/// The queues of one port.
#[derive(Clone, Debug)]
pub struct PortPlan {
    /// How fast its line takes packets away.
    pub rate: Rate,
    /// What a packet takes on the line beside its own bytes, in bytes; queues count it.
    pub framing: u32,
    /// True if a host is at the other end: the last hop of packets that go there.
    pub is_last_hop: bool,
    /// How packets wait.
    pub discipline: DisciplinePlan,
}

/// How packets wait for a line.
#[derive(Clone, Debug)]
pub enum DisciplinePlan {
    /// First in, first out; what finds no room is dropped.
    DropTail {
        /// Room, in bytes on the wire.
        limit: u64,
    },
}

/// What the ports of a switch share.
#[derive(Clone, Debug, Default)]
pub struct BufferPlan {
    /// All memory for packets, in bytes; `None` if each port has its own.
    pub total: Option<u64>,
}
