//! How neighbours hold each other back, hop by hop: what a search for deadlocks looks at.

use basis::Instant;

use crate::Port;

/// The queues of one station that are held back, and by whom.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Backpressure {
    /// The pauses that this station has asked for and not ended.
    pub asked: Vec<AskedPause>,
    /// The queues of this station whose first packet may not leave, because the neighbour there has asked for a pause.
    pub stopped: Vec<StoppedQueue>,
}

/// A pause that a station has asked the other end of a port for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AskedPause {
    /// The port through which too much has come in.
    pub port: Port,
    /// The class of packets that is to pause.
    pub class: u8,
    /// Since when.
    pub since: Instant,
    /// The pause ends when no more than so many bytes that came in there are held.
    pub resume: u64,
}

/// A queue that stands still as long as a neighbour wants it to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoppedQueue {
    /// The port by which its packets leave.
    pub port: Port,
    /// The class of its first packet, which the neighbour has asked to pause.
    pub class: u8,
    /// What waits in it, by where it came in.
    pub held: Vec<Held>,
}

/// Packets that came in by one port and wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// Where they came in.
    pub from: Port,
    /// Their class.
    pub class: u8,
    /// Their bytes, as the station counts them for [`AskedPause::resume`].
    pub bytes: u64,
}
