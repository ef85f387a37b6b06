//! The pauses that neighbouring nodes impose on each other hop by hop, as a search for deadlocks needs to know it.

use basis::Instant;

use crate::Port;

/// The queues of one station that are paused, and the pauses that it has asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Backpressure {
    /// The pauses that this station has requested and not ended.
    pub asked: Vec<AskedPause>,
    /// The queues of this station whose first packet may not leave because the neighbour on that port requested a
    /// pause.
    pub stopped: Vec<StoppedQueue>,
}

impl Backpressure {
    /// Replaces the number of every port, for a station that numbers its ports otherwise than its queues.
    pub fn renumber(&mut self, number: impl Fn(Port) -> Port) {
        for asked in &mut self.asked {
            asked.port = number(asked.port);
        }
        for stopped in &mut self.stopped {
            stopped.port = number(stopped.port);
            stopped.held.iter_mut().for_each(|held| held.from = number(held.from));
        }
    }
}

/// A pause that a station has requested from the neighbour on one of its ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AskedPause {
    /// The ingress port on which too much has arrived.
    pub port: Port,
    /// The traffic class that is to pause.
    pub class: u8,
    /// The time at which the pause was requested.
    pub since: Instant,
    /// The pause ends when at most this many bytes that arrived on the port are still held.
    pub resume: u64,
}

/// A queue that a neighbour has paused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoppedQueue {
    /// The egress port of the queue.
    pub port: Port,
    /// The traffic class of its first packet, which the neighbour has asked to pause.
    pub class: u8,
    /// The contents of the queue by ingress port and class.
    pub held: Vec<Held>,
}

/// Waiting packets of one class that arrived on one port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// The ingress port of the packets.
    pub from: Port,
    /// The traffic class of the packets.
    pub class: u8,
    /// The size of the packets in bytes, as the station counts them for [`AskedPause::resume`].
    pub bytes: u64,
}
