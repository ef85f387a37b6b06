//! A node as a network sees it: what it can be asked beside handling packets.

use basis::Instant;
use basis::snapshot::Snapshot;
use serde::{Deserialize, Serialize};

use wire::Packet;

use crate::{Backpressure, Node, Port};

/// A node that can be looked into, so that a network of them can be checked, measured and explained.
///
/// Nothing here changes the node.
pub trait Station: Node + Snapshot {
    /// What became of packets inside it. At every time
    /// `received + generated + replicated = transmitted + discarded + consumed + held`,
    /// where whoever drives it knows what it received, transmitted and discarded.
    fn account(&self) -> Account;

    /// What waits to go out of a port.
    fn queue(&self, port: Port) -> QueueLength {
        let _ = port;
        QueueLength::default()
    }

    /// What has been asked of it and is not finished, and what it waits for.
    fn waiting(&self, now: Instant) -> Vec<Waiting> {
        let _ = now;
        Vec::new()
    }

    /// Who holds it back and whom it holds back; nothing for stations that know no pauses.
    fn backpressure(&self, now: Instant) -> Backpressure {
        let _ = now;
        Backpressure::default()
    }

    /// Tells how much is here, as far as the node knows, of messages that have begun and of which not everything is known
    /// to have arrived: of those that it receives, or of those that it sends.
    fn progress(&self, tell: &mut dyn FnMut(Progress)) {
        let _ = tell;
    }

    /// Tells what it would begin by itself and has not begun.
    fn not_begun(&self, tell: &mut dyn FnMut(NotBegun)) {
        let _ = tell;
    }

    /// Asks for the memory that it will need when something happens that is about to: see [`basis::prefetch`]. Says by
    /// which port something will leave then, if that is quickly said, so that whoever carries it may do the same. It is a
    /// hint, and what is announced may yet come later or not at all.
    fn prepare(&self, upcoming: Upcoming<'_>) -> Option<Port> {
        let _ = upcoming;
        None
    }

    /// Tells everything that it has counted, in a fixed order.
    fn counters(&self, tell: &mut dyn FnMut(Counter)) {
        let _ = tell;
    }
}

impl<S: Station + ?Sized> Station for Box<S> {
    fn account(&self) -> Account {
        (**self).account()
    }

    fn queue(&self, port: Port) -> QueueLength {
        (**self).queue(port)
    }

    fn waiting(&self, now: Instant) -> Vec<Waiting> {
        (**self).waiting(now)
    }

    fn backpressure(&self, now: Instant) -> Backpressure {
        (**self).backpressure(now)
    }

    fn progress(&self, tell: &mut dyn FnMut(Progress)) {
        (**self).progress(tell);
    }

    fn not_begun(&self, tell: &mut dyn FnMut(NotBegun)) {
        (**self).not_begun(tell);
    }

    fn prepare(&self, upcoming: Upcoming<'_>) -> Option<Port> {
        (**self).prepare(upcoming)
    }

    fn counters(&self, tell: &mut dyn FnMut(Counter)) {
        (**self).counters(tell);
    }
}

/// What is about to happen to a node.
#[derive(Clone, Copy, Debug)]
pub enum Upcoming<'a> {
    /// A packet arrives.
    Packet(&'a Packet),
    /// A port is ready.
    Ready(Port),
}

/// What became of packets inside a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// Made here out of nothing, as hosts make packets.
    pub generated: u64,
    /// Made here as copies of others.
    pub replicated: u64,
    /// Ended here because this was where they were going.
    pub consumed: u64,
    /// Still here.
    pub held: u64,
}

/// What waits in a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueueLength {
    /// Packets.
    pub packets: u64,
    /// Their bytes, as the queue counts them.
    pub bytes: u64,
}

/// A number that a node has counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counter {
    /// What was counted, in the words of a standard where there is one (SAI for switches).
    pub name: &'static str,
    /// At which port; `None` for the whole node.
    pub port: Option<Port>,
    /// How often.
    pub value: u64,
}

/// How much of a message has arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The IPv4 address of the host that sends it, as a number.
    pub source: u32,
    /// Its number among the messages of that host.
    pub message: u32,
    /// How many of its bytes have arrived at least.
    pub bytes: u64,
}

/// Messages that a node would send and that have not begun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotBegun {
    /// How many there are at least of which this is true.
    pub count: u64,
    /// The IPv4 address of the host to which they would go, as a number; `None` if it is not known yet.
    pub destination: Option<u32>,
    /// How many bytes each has; `None` if it is not known yet.
    pub bytes: Option<u64>,
    /// For what they wait.
    pub why: String,
}

/// Something that was begun and is not finished.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Waiting {
    /// What: a message to a host.
    pub what: String,
    /// For what it waits.
    pub why: String,
}
