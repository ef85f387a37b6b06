//! The outbox: what a node wants its driver to do.

use basis::Instant;
use measure::{Event, Interest, TypedEvent};
use wire::Packet;

use crate::{Port, Reason};

/// A packet to be sent.
#[derive(Debug)]
pub struct Transmission {
    /// The egress port.
    pub port: Port,
    /// The time at which the packet is sent; never before the call that asked for it, unless that reports it late
    /// ([`Outbox::transmit_late`]).
    pub at: Instant,
    /// The packet to send.
    pub packet: Packet,
}

/// A packet that is not forwarded, and why.
#[derive(Debug)]
pub struct Discarded {
    /// The packet, whose buffer goes back to its pool when this is dropped.
    pub packet: Packet,
    /// The reason why it is discarded.
    pub reason: Reason,
    /// The port by which it came, if whoever discards it says so. A driver counts others for the port that it was at work for.
    pub port: Option<Port>,
}

impl Discarded {
    /// Creates a discarded packet that came by the port which the driver is at work for.
    pub fn new(packet: Packet, reason: Reason) -> Self {
        Self { packet, reason, port: None }
    }
}

/// A collector of what a node wants done during one call.
#[derive(Debug, Default)]
pub struct Outbox {
    /// The packets to send, in order.
    pub transmissions: Vec<Transmission>,
    /// The discarded packets, in order.
    pub discarded: Vec<Discarded>,
    /// The events that were emitted.
    pub events: Vec<Event>,
    /// Ports with the times at which the node wants to receive [`crate::Control::PortReady`] for them.
    pub readies: Vec<(Port, Instant)>,
    /// Whether each port has no room, as far as a driver has said; ports beyond the end have room.
    full: Vec<bool>,
    /// The time before which the node would rather receive nothing on each port; ports beyond the end have none.
    not_before: Vec<Instant>,
    /// The number of calls of [`Outbox::transmit_late`] that the driver has not taken yet.
    late: u64,
    /// What the packets of the call have cost beside what each costs anyhow.
    charged: u64,
    interest: Interest,
    now: Instant,
    deadline: Option<Instant>,
}

impl Outbox {
    /// Creates an empty outbox for a driver that wants the events in `interest`.
    pub fn new(interest: Interest) -> Self {
        Self { interest, ..Self::default() }
    }

    /// Returns the types of events that are wanted.
    #[inline]
    pub fn interest(&self) -> Interest {
        self.interest
    }

    /// Sets the time of the next call; for drivers.
    #[inline]
    pub fn begin(&mut self, now: Instant) {
        self.now = now;
    }

    /// Returns the time of the present call.
    #[inline]
    pub fn now(&self) -> Instant {
        self.now
    }

    /// Sends a packet now.
    #[inline]
    pub fn transmit(&mut self, port: Port, packet: Packet) {
        self.transmit_at(port, packet, self.now);
    }

    /// Sends a packet at `at`, which must not be before the current call.
    #[inline]
    pub fn transmit_at(&mut self, port: Port, packet: Packet, at: Instant) {
        self.transmissions.push(Transmission { port, at, packet });
    }

    /// Reports a packet whose transmission has started at `at`, before the current call or with it. A node may do so on ports for
    /// which it was told to ([`crate::Control::ReportLate`]), and only with packets that would have started at that time if it had been
    /// called then: nothing may depend on when it reports them.
    #[inline]
    pub fn transmit_late(&mut self, port: Port, packet: Packet, at: Instant) {
        self.late += 1;
        self.transmissions.push(Transmission { port, at, packet });
    }

    /// Removes and returns the number of calls of [`Outbox::transmit_late`] since the last time; for drivers. Each has made a call with
    /// [`crate::Control::PortReady`] unnecessary, and simulations count it as an event instead.
    #[inline]
    pub fn take_late(&mut self) -> u64 {
        std::mem::take(&mut self.late)
    }

    /// Discards a packet of this call, or one that the node has made, for a reason, which is counted.
    pub fn discard(&mut self, packet: Packet, reason: Reason) {
        self.discarded.push(Discarded::new(packet, reason));
    }

    /// Discards a packet that came by `port`, perhaps in an earlier call, for a reason, which is counted for that port.
    pub fn discard_from(&mut self, port: Port, packet: Packet, reason: Reason) {
        self.discarded.push(Discarded { port: Some(port), ..Discarded::new(packet, reason) });
    }

    /// Returns true if a packet for `port` would leave now. On links of simulations there is always room. An interface
    /// may have none for a while; packets that are transmitted nevertheless wait there, and too many are discarded. A node
    /// that would rather hold them itself asks by [`Outbox::ready_at`] to be told.
    #[inline]
    pub fn has_room(&self, port: Port) -> bool {
        !self.full.get(usize::from(port.0)).is_some_and(|is_full| *is_full)
    }

    /// Says whether a port has room; for drivers.
    pub fn set_room(&mut self, port: Port, has_room: bool) {
        let port = usize::from(port.0);
        if port >= self.full.len() {
            if has_room {
                return;
            }
            self.full.resize(port + 1, false);
        }
        self.full[port] = !has_room;
    }

    /// Says that the node would rather receive nothing on a port before a time, so that packets wait at their sender: in the
    /// queue of an interface, whose other end finds it full then. A driver that fetches packets waits so long; packets that
    /// come by themselves, as on links of simulations, come nevertheless. A later call replaces an earlier one.
    pub fn receive_after(&mut self, port: Port, instant: Instant) {
        let port = usize::from(port.0);
        if port >= self.not_before.len() {
            self.not_before.resize(port + 1, Instant::ZERO);
        }
        self.not_before[port] = instant;
    }

    /// Says that the packets which the node was given in this call have cost it as much processor time as so many further ones
    /// would. A driver that fetches from several ports in turns gives each port its share of the time, and not of the packets.
    #[inline]
    pub fn charge(&mut self, packets: u64) {
        self.charged = self.charged.saturating_add(packets);
    }

    /// Removes and returns what was charged; for drivers.
    #[inline]
    pub fn take_charge(&mut self) -> u64 {
        std::mem::take(&mut self.charged)
    }

    /// Returns the time before which nothing should be fetched for a port, if it has not come at `now`; for drivers.
    #[inline]
    pub fn not_before(&self, port: Port, now: Instant) -> Option<Instant> {
        self.not_before.get(usize::from(port.0)).copied().filter(|at| *at > now)
    }

    /// Asks for a [`crate::Control::PortReady`] of `port` at `instant`, the time at which its link is free again, or
    /// when there is room if that is later. Each request is answered once; a node that has nothing to send need not ask.
    #[inline]
    pub fn ready_at(&mut self, port: Port, instant: Instant) {
        self.readies.push((port, instant));
    }

    /// Asks to be woken at `instant`; replaces an earlier request.
    #[inline]
    pub fn wake_at(&mut self, instant: Instant) {
        self.deadline = Some(instant);
    }

    /// Cancels the request to be woken.
    #[inline]
    pub fn sleep(&mut self) {
        self.deadline = None;
    }

    /// Returns the time at which the node wants to be woken, if any; for drivers.
    #[inline]
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Removes and returns the deadline once it has come; for drivers.
    #[inline]
    pub fn take_deadline(&mut self) -> Option<Instant> {
        self.deadline.take()
    }

    /// Emits an event. Check first whether [`Outbox::interest`] wants its type; this method does not.
    #[inline]
    pub fn emit(&mut self, event: impl TypedEvent) {
        self.events.push(Event::of(event));
    }
}
