//! What a node wants done.

use basis::Instant;
use measure::{Event, Interest, Told};
use wire::Packet;

use crate::{Port, Reason};

/// A packet to be sent.
#[derive(Debug)]
pub struct Transmission {
    /// On which port.
    pub port: Port,
    /// When; never before the call that asked for it.
    pub at: Instant,
    /// What.
    pub packet: Packet,
}

/// A packet that goes no further, and why.
#[derive(Debug)]
pub struct Discarded {
    /// The packet, whose buffer goes back to its pool when this is dropped.
    pub packet: Packet,
    /// Why.
    pub reason: Reason,
}

/// Collects what a node wants done during one call.
#[derive(Debug, Default)]
pub struct Outbox {
    /// Packets to be sent, in order.
    pub transmissions: Vec<Transmission>,
    /// Packets that go no further, in order.
    pub discarded: Vec<Discarded>,
    /// What happened, for those who asked.
    pub events: Vec<Event>,
    /// Ports, and when the node wants to hear [`crate::Control::PortReady`] of them.
    pub readies: Vec<(Port, Instant)>,
    interest: Interest,
    now: Instant,
    deadline: Option<Instant>,
}

impl Outbox {
    /// An outbox whose owner wants the events in `interest`.
    pub fn new(interest: Interest) -> Self {
        Self { interest, ..Self::default() }
    }

    /// Which events are wanted.
    #[inline]
    pub fn interest(&self) -> Interest {
        self.interest
    }

    /// For drivers: the time of the next call.
    pub fn begin(&mut self, now: Instant) {
        self.now = now;
    }

    /// Sends a packet now.
    #[inline]
    pub fn transmit(&mut self, port: Port, packet: Packet) {
        self.transmit_at(port, packet, self.now);
    }

    /// Sends a packet at an instant that is not before now.
    #[inline]
    pub fn transmit_at(&mut self, port: Port, packet: Packet, at: Instant) {
        self.transmissions.push(Transmission { port, at, packet });
    }

    /// Ends a packet's way, for a reason that is counted.
    pub fn discard(&mut self, packet: Packet, reason: Reason) {
        self.discarded.push(Discarded { packet, reason });
    }

    /// Asks for a [`crate::Control::PortReady`] of `port` at `instant`, which is when its line is free again. Each
    /// asking is answered once; nodes that know nothing to send need not ask.
    #[inline]
    pub fn ready_at(&mut self, port: Port, instant: Instant) {
        self.readies.push((port, instant));
    }

    /// Asks to be woken at `instant`; replaces an earlier wish.
    pub fn wake_at(&mut self, instant: Instant) {
        self.deadline = Some(instant);
    }

    /// Takes back the wish to be woken.
    pub fn sleep(&mut self) {
        self.deadline = None;
    }

    /// For drivers: when the node wants to be woken, if at all.
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// For drivers: takes the deadline, when it has come.
    pub fn take_deadline(&mut self) -> Option<Instant> {
        self.deadline.take()
    }

    /// Tells an event, if its kind is wanted; look at [`Outbox::interest`] before building an expensive one.
    #[inline]
    pub fn emit(&mut self, event: impl Told) {
        self.events.push(Event::of(event));
    }
}
