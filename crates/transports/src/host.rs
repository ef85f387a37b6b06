//! A host: an application above a transport, and perhaps other protocols beside it, above one link.

use basis::Instant;
use demand::Application;
use node::{
    Account, Burst, Control, Counter, Link, MessageProgress, Node, NotBegun, Outbox, Port, Reason, SenderState,
    Station, UnfinishedWork, take_each,
};
use wire::{Packet, PriorityPause, dscp};

use crate::Transport;
use crate::aggregation::Participant;
use crate::costs::{self, Costs};
use crate::frame::{Delivery, delivery};
use crate::messaging::Messaging;
use crate::participants::Participants;
use crate::reasons;

/// The only port of a host.
const PORT: Port = Port(0);

/// An instant that is never reached.
const NEVER: Instant = Instant::MAX;

/// The IEEE 802.1Qbb priority of data packets: the class selector of their code point, as in the switches.
const DATA_PRIORITY: usize = (dscp::DATA >> 3) as usize;

/// The parts of a host.
pub struct HostParameters<T: ?Sized = dyn Transport> {
    /// The host's IPv4 address, as a number.
    pub address: u32,
    /// The sending end of the host's link.
    pub link: Link,
    /// The transport that carries its messages.
    pub transport: Box<T>,
    /// The application that asks for messages to be sent.
    pub application: Box<dyn Application>,
}

/// A host with any transport.
pub type Host = HostWith<dyn Transport>;

/// A host with one port and a transport of type `T`.
///
/// The driver wakes the host once to start it. Packets are made when the link is free, so that none wait inside the
/// host, unless it has [`costs`].
pub struct HostWith<T: ?Sized> {
    link: Link,
    messaging: Messaging<T>,
    participants: Participants,
    /// The costs of packets between link and transport; `None` if they cost nothing.
    costs: Option<Box<Costs>>,
    /// The time at which the host has asked to be told that its link is free; [`NEVER`] if it has not asked.
    asked: Instant,
    /// The end of the pause that the link partner has requested. Until then only packets that the transport does not
    /// count as data are sent.
    paused_until: Instant,
    generated: u64,
    consumed: u64,
}

impl<T: Transport + ?Sized> HostWith<T> {
    /// Creates a host that has not sent anything yet.
    pub fn new(parameters: HostParameters<T>) -> Self {
        let HostParameters { address, link, transport, application } = parameters;
        Self {
            link,
            messaging: Messaging::new(address, transport, application),
            participants: Participants::default(),
            costs: None,
            asked: NEVER,
            paused_until: Instant::ZERO,
            generated: 0,
            consumed: 0,
        }
    }

    /// Adds a protocol beside the transport. Packets that it accepts go to it; it and the transport take turns to send.
    pub fn with_participant(mut self, participant: Box<dyn Participant>) -> Self {
        self.participants.add(participant);
        self
    }

    /// Adds the time that packets need in the host's processor and network card.
    ///
    /// # Panics
    /// If a parameter is outside the range that [`costs::CostParameters`] states.
    pub fn with_costs(self, parameters: costs::CostParameters) -> Self {
        Self { costs: Some(Box::new(Costs::new(parameters))), ..self }
    }

    /// Calls `what` with the transport, and then carries out whatever follows from the call.
    pub fn with_transport<R>(&mut self, now: Instant, out: &mut Outbox, what: impl FnOnce(&mut T) -> R) -> R {
        let result = what(&mut self.messaging.transport);
        self.proceed(now, out);
        result
    }

    /// Wakes whoever has a deadline that has passed.
    fn wake_due(&mut self, now: Instant, out: &mut Outbox) {
        self.messaging.wake_due(now, out);
        self.participants.wake_due(now, out);
    }

    /// Returns the next packet to send; while data packets are paused, one that is not data.
    #[inline]
    fn next_packet(&mut self, now: Instant, is_paused: bool) -> Option<Packet> {
        let Self { messaging: Messaging { transport, .. }, participants, .. } = self;
        let of_transport = || if is_paused { transport.transmit_while_paused(now) } else { transport.transmit(now) };
        participants.transmit(now, is_paused, of_transport)
    }

    /// Returns true if there may be a packet to send at `at`.
    fn is_ready(&self, at: Instant) -> bool {
        self.messaging.transport.is_ready(at) || self.participants.is_ready(at)
    }

    /// Returns the earliest time at which somebody beside the transport wants to be woken.
    fn deadline_beside_transport(&self) -> Option<Instant> {
        self.messaging.deadline_of_application().into_iter().chain(self.participants.deadline()).min()
    }

    /// Does what is due, sends the packets that may be sent, and asks for the next call.
    fn proceed(&mut self, now: Instant, out: &mut Outbox) {
        if self.costs.is_some() {
            return self.proceed_at_cost(now, out);
        }
        self.wake_due(now, out);
        let is_paused = self.paused_until > now;
        while self.link.free_at() <= now
            && out.has_room(PORT)
            && let Some(packet) = self.next_packet(now, is_paused)
        {
            self.link.begin(now, packet.len());
            out.transmit(PORT, packet);
            self.generated += 1;
        }
        let mut deadline = self.messaging.transport.deadline();
        // The next time at which a packet may be sent. Packets that are not paused may be sent as soon as the link is
        // free and has room.
        let free_at = if self.link.free_at() > now { self.link.free_at() } else { self.paused_until };
        if free_at > now || !out.has_room(PORT) {
            if self.asked > free_at && self.is_ready(free_at) {
                out.ready_at(PORT, free_at);
                self.asked = free_at;
            }
            // Transports act on timers and pacers by sending packets, so they need not be woken while the link is busy.
            deadline = match self.asked {
                NEVER => deadline.map(|deadline| deadline.max(free_at)),
                _ => deadline.filter(|&deadline| deadline > free_at.max(now)),
            };
        }
        match deadline.into_iter().chain(self.deadline_beside_transport()).min() {
            Some(deadline) => out.wake_at(deadline.max(now)),
            None => out.sleep(),
        }
    }

    /// Does the work of [`Self::proceed`] in a host with costs, where packets need time between link and transport in
    /// both directions.
    fn proceed_at_cost(&mut self, now: Instant, out: &mut Outbox) {
        let Some(mut costs) = self.costs.take() else { return };
        let mut is_asked_again = true;
        while is_asked_again {
            is_asked_again = false;
            while let Some(packet) = costs.advance(now) {
                self.deliver(now, packet, out);
            }
            self.wake_due(now, out);
            while costs.has_room()
                && let Some(packet) = self.next_packet(now, false)
            {
                costs.made(now, packet);
                self.generated += 1;
                is_asked_again = true;
            }
            if self.link.free_at().max(self.paused_until) <= now
                && out.has_room(PORT)
                && let Some(packet) = costs.for_link(now)
            {
                self.link.begin(now, packet.len());
                out.transmit(PORT, packet);
                is_asked_again = true;
            }
        }
        // Transports act on timers and pacers by sending packets, so they need not be woken while there is no room.
        let of_transport = self.messaging.transport.deadline().filter(|_| costs.has_room());
        let of_costs = costs.deadline(self.link.free_at().max(self.paused_until));
        match [of_transport, of_costs, self.deadline_beside_transport()].into_iter().flatten().min() {
            Some(deadline) => out.wake_at(deadline.max(now)),
            None => out.sleep(),
        }
        self.costs = Some(costs);
    }

    /// Takes a packet from the link.
    #[inline]
    fn arrives(&mut self, now: Instant, packet: Packet, out: &mut Outbox) {
        if self.obey_pause(now, &packet) {
            self.consumed += 1;
            return;
        }
        match &mut self.costs {
            None => self.deliver(now, packet, out),
            Some(costs) => {
                if let Err(packet) = costs.arrives(now, packet) {
                    out.discard(packet, reasons::RECEIVE_RING_FULL);
                }
            }
        }
    }

    /// Gives a packet to whoever accepts it: a participant, or the transport if it is addressed to this host. Discards it
    /// otherwise.
    fn deliver(&mut self, now: Instant, packet: Packet, out: &mut Outbox) {
        let delivery = delivery(&packet, self.messaging.address);
        if matches!(delivery, Delivery::Malformed) {
            return out.discard(packet, Reason::MALFORMED);
        }
        let packet = match self.participants.receive(now, packet, out) {
            Ok(()) => return self.consumed += 1,
            Err((packet, Some(reason))) => return out.discard(packet, reason),
            Err((packet, None)) => packet,
        };
        if matches!(delivery, Delivery::Foreign) {
            return out.discard(packet, reasons::UNEXPECTED);
        }
        match self.messaging.transport.receive(now, packet, &mut self.messaging.notices) {
            Ok(()) => self.consumed += 1,
            Err((packet, reason)) => out.discard(packet, reason),
        }
    }

    /// Handles a pause frame of priority-based flow control (IEEE 802.1Qbb), which is never forwarded. Returns false
    /// for all other packets.
    fn obey_pause(&mut self, now: Instant, packet: &Packet) -> bool {
        let Some(pause) = PriorityPause::of(packet) else { return false };
        if let Some(quanta) = pause.quanta(DATA_PRIORITY) {
            // Each frame restarts the pause; 0 quanta end it.
            self.paused_until = now + PriorityPause::time_of(quanta, self.link.rate());
        }
        true
    }
}

impl<T: Transport + ?Sized> Node for HostWith<T> {
    fn receive(&mut self, now: Instant, _port: Port, burst: &mut Burst, out: &mut Outbox) {
        take_each(burst, |packet| self.arrives(now, packet, out));
        self.proceed(now, out);
    }

    fn wake(&mut self, now: Instant, out: &mut Outbox) {
        self.proceed(now, out);
    }

    fn control(&mut self, now: Instant, request: Control, out: &mut Outbox) {
        if let Control::PortReady(_) = request
            && self.asked <= now
        {
            self.asked = NEVER;
        }
        self.proceed(now, out);
    }
}

impl<T: Transport + ?Sized> Station for HostWith<T> {
    fn account(&self) -> Account {
        let held = self.costs.as_ref().map_or(0, |costs| costs.held());
        Account { generated: self.generated, replicated: 0, consumed: self.consumed, held }
    }

    fn waiting(&self, now: Instant) -> Vec<UnfinishedWork> {
        let mut waiting = self.messaging.waiting(now);
        waiting.extend(self.participants.waiting(now));
        waiting
    }

    fn progress(&self, tell: &mut dyn FnMut(MessageProgress)) {
        self.messaging.transport.progress(tell);
    }

    fn senders(&self, now: Instant, tell: &mut dyn FnMut(SenderState)) {
        self.messaging.transport.senders(now, tell);
    }

    fn not_begun(&self, tell: &mut dyn FnMut(NotBegun)) {
        self.messaging.not_begun(tell);
        self.participants.not_begun(tell);
    }

    fn counters(&self, tell: &mut dyn FnMut(Counter)) {
        self.messaging.transport.counters(tell);
        self.participants.counters(tell);
        if let Some(costs) = &self.costs {
            costs.counters(tell);
        }
    }
}

basis::snapshot!([T: Transport + ?Sized] HostWith<T> {
    values link, asked, paused_until, generated, consumed;
    parts messaging, participants, costs;
});
