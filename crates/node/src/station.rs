//! A node as a network sees it: everything that it can be asked apart from handling packets.

use std::ops::Range;

use basis::snapshot::Snapshot;
use basis::{Duration, Instant, Rate};
use serde::{Deserialize, Serialize};

use wire::Packet;

use crate::{Backpressure, Node, Port};

/// A node that can be inspected, so that a network of nodes can be checked, measured and explained.
///
/// None of these methods changes the node.
pub trait Station: Node + Snapshot {
    /// Returns what became of the packets inside the node. At all times
    /// `received + generated + replicated = transmitted + discarded + consumed + held`,
    /// where the driver knows the number of packets received, transmitted and discarded.
    fn account(&self) -> Account;

    /// Returns the length of the egress queue of a port.
    fn queue(&self, port: Port) -> QueueLength {
        let _ = port;
        QueueLength::default()
    }

    /// Reports the length of every queue in the node, in a fixed order: also of ports without a link, such as those whose
    /// packets begin again inside, and one by one where a port has several.
    fn queues(&self, tell: &mut dyn FnMut(InnerQueue)) {
        let _ = tell;
    }

    /// Reports the values of a register of the program that the node runs, from the first of `indices` to the last that
    /// the register has, and pipe by pipe in nodes of several. `name` is that of the register for the control plane, or a
    /// part at its end that no other register has; for a register of structs, a dot and the name of a field follow. Of a
    /// value of more than 64 bits these are the lowest. Returns false if there is no such register, and tells nothing
    /// then.
    fn register(&self, name: &str, indices: Range<u32>, tell: &mut dyn FnMut(RegisterValue)) -> bool {
        let _ = (name, indices, tell);
        false
    }

    /// Returns the largest number of bytes that have waited at once to go out of a port, counted as in
    /// [`Station::queue`]: its high-water mark. `None` for a port without a queue.
    fn high_water(&self, port: Port) -> Option<u64> {
        let _ = port;
        None
    }

    /// Returns the work that the node has begun and not finished, and what each item waits for.
    fn waiting(&self, now: Instant) -> Vec<UnfinishedWork> {
        let _ = now;
        Vec::new()
    }

    /// Returns the pauses that neighbours have requested from the station and those that it has requested; empty for
    /// stations without flow control.
    fn backpressure(&self, now: Instant) -> Backpressure {
        let _ = now;
        Backpressure::default()
    }

    /// Reports, as far as the node knows, how much has arrived of each message that has begun and is not known to be
    /// complete: messages that it receives, or messages that it sends.
    fn progress(&self, tell: &mut dyn FnMut(MessageProgress)) {
        let _ = tell;
    }

    /// Reports what the node knows at `now` of each message that it sends, from its beginning until the node knows that
    /// it has arrived or abandons it. Nothing is recorded for this while packets are handled.
    fn senders(&self, now: Instant, tell: &mut dyn FnMut(SenderState)) {
        let _ = (now, tell);
    }

    /// Reports the messages that the node would send on its own and has not begun.
    fn not_begun(&self, tell: &mut dyn FnMut(NotBegun)) {
        let _ = tell;
    }

    /// Prefetches the memory that the node will need for an upcoming event; see [`basis::prefetch()`]. Returns the port
    /// on which something will then leave, if that is cheap to tell, so that whoever carries it can prefetch too. This
    /// is only a hint: the event may come later or never.
    fn prepare(&self, upcoming: Upcoming<'_>) -> Option<Port> {
        let _ = upcoming;
        None
    }

    /// Prefetches what waits at a port that [`Station::prepare`] has returned some time ago, so that its memory is in the cache by now.
    fn prepare_waiting(&self, port: Port) {
        let _ = port;
    }

    /// Returns true if the node can report transmissions on a port some time after they have started, without doing anything else
    /// than otherwise: see [`crate::Control::ReportLate`].
    fn may_report_late(&self, port: Port) -> bool {
        let _ = port;
        false
    }

    /// Reports everything that the node has counted, in a fixed order.
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

    fn queues(&self, tell: &mut dyn FnMut(InnerQueue)) {
        (**self).queues(tell);
    }

    fn register(&self, name: &str, indices: Range<u32>, tell: &mut dyn FnMut(RegisterValue)) -> bool {
        (**self).register(name, indices, tell)
    }

    fn high_water(&self, port: Port) -> Option<u64> {
        (**self).high_water(port)
    }

    fn waiting(&self, now: Instant) -> Vec<UnfinishedWork> {
        (**self).waiting(now)
    }

    fn backpressure(&self, now: Instant) -> Backpressure {
        (**self).backpressure(now)
    }

    fn progress(&self, tell: &mut dyn FnMut(MessageProgress)) {
        (**self).progress(tell);
    }

    fn senders(&self, now: Instant, tell: &mut dyn FnMut(SenderState)) {
        (**self).senders(now, tell);
    }

    fn not_begun(&self, tell: &mut dyn FnMut(NotBegun)) {
        (**self).not_begun(tell);
    }

    fn prepare(&self, upcoming: Upcoming<'_>) -> Option<Port> {
        (**self).prepare(upcoming)
    }

    fn prepare_waiting(&self, port: Port) {
        (**self).prepare_waiting(port);
    }

    fn may_report_late(&self, port: Port) -> bool {
        (**self).may_report_late(port)
    }

    fn counters(&self, tell: &mut dyn FnMut(Counter)) {
        (**self).counters(tell);
    }
}

/// An event that is about to reach a node.
#[derive(Clone, Copy, Debug)]
pub enum Upcoming<'a> {
    /// A packet is about to arrive.
    Packet(&'a Packet),
    /// A port is about to become ready.
    Ready(Port),
}

/// The packets that a node has made, consumed or still holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// The number of packets that the node has created, as hosts create packets.
    pub generated: u64,
    /// The number of packets that the node has created as copies of others.
    pub replicated: u64,
    /// The number of packets that have reached their destination here.
    pub consumed: u64,
    /// The number of packets that are still in the node.
    pub held: u64,
}

/// The amount of traffic that waits in a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueueLength {
    /// The number of packets.
    pub packets: u64,
    /// The number of their bytes, as the queue counts them.
    pub bytes: u64,
}

/// A queue inside a node, and what waits in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InnerQueue {
    /// The port in front of which it waits, by the number that the node gives it.
    pub port: Port,
    /// The number of the queue, if the port has several that a program can name.
    pub queue: Option<u8>,
    /// The length of the queue.
    pub length: QueueLength,
}

/// The value of a register of a program at one index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegisterValue {
    /// The pipe whose register it is; 0 in nodes without pipes.
    pub pipe: u16,
    /// The index.
    pub index: u32,
    /// The value, or the lowest 64 bits of it.
    pub value: u64,
}

/// A counter of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counter {
    /// The name of the counter, from a standard where there is one (SAI for switches).
    pub name: &'static str,
    /// The port that the counter belongs to; `None` for the whole node.
    pub port: Option<Port>,
    /// The number that was counted.
    pub value: u64,
}

/// The part of a message that has arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageProgress {
    /// The IPv4 address of the sender, as a number.
    pub source: u32,
    /// The number of the message among those of its sender.
    pub message: u32,
    /// A lower bound on the number of bytes that have arrived.
    pub bytes: u64,
}

/// What the sender of a message knows of it at one time. Which quantities it has depends on how it decides when to send.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SenderState {
    /// The number of the message among those of its sender.
    pub message: u32,
    /// The number of bytes of the message that the sender knows to have arrived.
    pub acknowledged: u64,
    /// The congestion window in bytes: how much may be sent before more is acknowledged.
    pub window: Option<u64>,
    /// The rate to which the sender limits itself.
    pub rate: Option<Rate>,
    /// The smoothed round-trip time; `None` also before the first measurement.
    pub round_trip: Option<Duration>,
}

/// Messages that a node would send on its own and has not begun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotBegun {
    /// A lower bound on the number of such messages.
    pub count: u64,
    /// The IPv4 address of the receiver, as a number; `None` if it is not known yet.
    pub destination: Option<u32>,
    /// The size of each message in bytes; `None` if it is not known yet.
    pub bytes: Option<u64>,
    /// The event or resource that they wait for.
    pub why: String,
}

/// Work that was begun and is not finished.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UnfinishedWork {
    /// The work, such as a message to a host.
    pub what: String,
    /// The event or resource that it waits for.
    pub why: String,
}
