//! A host: an application above a transport above one link.

use basis::Instant;
use demand::{Application, Destinations, Wanted};
use node::{
    Account, Burst, Control, Counter, Link, MessageProgress, Node, NotBegun, Outbox, Port, Reason, SenderState,
    Station, UnfinishedWork,
};
use wire::{Packet, PriorityPause, dscp};

use crate::costs::{self, Costs};
use crate::frame::{Delivery, delivery};
use crate::reasons;
use crate::refused::Refused;
use crate::{Flow, FlowEvent, FlowId};
use crate::{Notice, Transport};

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
    parameters: HostParameters<T>,
    /// The costs of packets between link and transport; `None` if they cost nothing.
    costs: Option<Box<Costs>>,
    /// The number of the next message to send.
    next_message: u32,
    /// The time at which the host has asked to be told that its link is free; [`NEVER`] if it has not asked.
    asked: Instant,
    /// The end of the pause that the link partner has requested. Until then only packets that the transport does not
    /// count as data are sent.
    paused_until: Instant,
    generated: u64,
    consumed: u64,
    /// The messages that the transport has refused.
    refused: Refused,
    /// Scratch memory, reused between calls.
    notices: Vec<Notice>,
    wanted: Vec<Wanted>,
}

impl<T: Transport + ?Sized> HostWith<T> {
    /// Creates a host that has not sent anything yet.
    pub fn new(parameters: HostParameters<T>) -> Self {
        Self {
            parameters,
            costs: None,
            next_message: 0,
            asked: NEVER,
            paused_until: Instant::ZERO,
            generated: 0,
            consumed: 0,
            refused: Refused::default(),
            notices: Vec::new(),
            wanted: Vec::new(),
        }
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
        let result = what(&mut self.parameters.transport);
        self.proceed(now, out);
        result
    }

    /// Wakes the transport and the application if their deadlines have passed.
    fn wake_due(&mut self, now: Instant, out: &mut Outbox) {
        let is_due = |deadline: Option<Instant>| deadline.is_some_and(|deadline| deadline <= now);
        if is_due(self.parameters.transport.deadline()) {
            self.parameters.transport.wake(now, &mut self.notices);
        }
        if is_due(self.parameters.application.deadline()) {
            self.parameters.application.wake(now, &mut self.wanted);
        }
        self.pass_on(now, out);
    }

    /// Does what is due, sends the packets that may be sent, and asks for the next call.
    fn proceed(&mut self, now: Instant, out: &mut Outbox) {
        if self.costs.is_some() {
            return self.proceed_at_cost(now, out);
        }
        self.wake_due(now, out);
        let HostParameters { link, transport, application, .. } = &mut self.parameters;
        let is_paused = self.paused_until > now;
        while link.free_at() <= now
            && out.has_room(PORT)
            && let Some(packet) = if is_paused { transport.transmit_while_paused(now) } else { transport.transmit(now) }
        {
            link.begin(now, packet.len());
            out.transmit(PORT, packet);
            self.generated += 1;
        }
        let mut deadline = transport.deadline();
        // The next time at which a packet may be sent. Packets that are not paused may be sent as soon as the link is
        // free and has room.
        let free_at = if link.free_at() > now { link.free_at() } else { self.paused_until };
        if free_at > now || !out.has_room(PORT) {
            if self.asked > free_at && transport.is_ready(free_at) {
                out.ready_at(PORT, free_at);
                self.asked = free_at;
            }
            // Transports act on timers and pacers by sending packets, so they need not be woken while the link is busy.
            deadline = match self.asked {
                NEVER => deadline.map(|deadline| deadline.max(free_at)),
                _ => deadline.filter(|&deadline| deadline > free_at.max(now)),
            };
        }
        match deadline.into_iter().chain(application.deadline()).chain(self.refused.deadline()).min() {
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
                && let Some(packet) = self.parameters.transport.transmit(now)
            {
                costs.made(now, packet);
                self.generated += 1;
                is_asked_again = true;
            }
            let link = &mut self.parameters.link;
            if link.free_at().max(self.paused_until) <= now
                && out.has_room(PORT)
                && let Some(packet) = costs.for_link(now)
            {
                link.begin(now, packet.len());
                out.transmit(PORT, packet);
                is_asked_again = true;
            }
        }
        let HostParameters { link, transport, application, .. } = &self.parameters;
        // Transports act on timers and pacers by sending packets, so they need not be woken while there is no room.
        let of_transport = transport.deadline().filter(|_| costs.has_room());
        let of_costs = costs.deadline(link.free_at().max(self.paused_until));
        match [of_transport, of_costs, application.deadline(), self.refused.deadline()].into_iter().flatten().min() {
            Some(deadline) => out.wake_at(deadline.max(now)),
            None => out.sleep(),
        }
        self.costs = Some(costs);
    }

    /// Gives a packet to the transport if it is addressed to this host, and discards it otherwise.
    fn deliver(&mut self, now: Instant, packet: Packet, out: &mut Outbox) {
        let reason = match delivery(&packet, self.parameters.address) {
            Delivery::Foreign => reasons::UNEXPECTED,
            Delivery::Malformed => Reason::MALFORMED,
            Delivery::Ours => {
                match self.parameters.transport.receive(now, packet, &mut self.notices) {
                    Ok(()) => self.consumed += 1,
                    Err((packet, reason)) => out.discard(packet, reason),
                }
                return;
            }
        };
        out.discard(packet, reason);
    }

    /// Handles a pause frame of priority-based flow control (IEEE 802.1Qbb), which is never forwarded. Returns false
    /// for all other packets.
    fn obey_pause(&mut self, now: Instant, packet: &Packet) -> bool {
        let Some(pause) = PriorityPause::of(packet) else { return false };
        if let Some(quanta) = pause.quanta(DATA_PRIORITY) {
            // Each frame restarts the pause; 0 quanta end it.
            self.paused_until = now + PriorityPause::time_of(quanta, self.parameters.link.rate());
        }
        true
    }

    /// Passes notices to the application and its messages to the transport, until neither has any.
    fn pass_on(&mut self, now: Instant, out: &mut Outbox) {
        let Self { parameters: HostParameters { address, transport, application, .. }, .. } = self;
        let Self { refused, notices, wanted, next_message, .. } = self;
        notices.extend(refused.take().map(Notice::Abandoned));
        let tells_flows = out.interest().wants::<Flow>();
        let mut tell = |source: u32, message: u32, happened: FlowEvent| {
            if tells_flows {
                out.emit(Flow { flow: FlowId { source, message }, happened });
            }
        };
        for notice in notices.drain(..) {
            match notice {
                Notice::Arrived(arrived) => {
                    tell(arrived.source, arrived.number, FlowEvent::Delivered);
                    application.arrived(now, arrived, wanted);
                }
                Notice::Completed(message) => {
                    tell(*address, message.number, FlowEvent::Completed);
                    application.finished(now, message, wanted);
                }
                Notice::Abandoned(message) => {
                    tell(*address, message.number, FlowEvent::Abandoned);
                    application.finished(now, message, wanted);
                }
            }
        }
        let multicasts = transport.multicasts();
        let mut submit = |wanted: Wanted| {
            let message = wanted.numbered(*next_message);
            *next_message += 1;
            let (destination, bytes) = (message.destination(), message.bytes());
            tell(*address, message.number, FlowEvent::Started { destination, bytes });
            if let Err((message, why)) = transport.submit(now, message) {
                refused.push(now, message, why);
            }
        };
        for wanted in wanted.drain(..) {
            match &wanted.destinations {
                Destinations::Several(hosts) if hosts.is_empty() => {}
                Destinations::Several(_) if !multicasts => wanted.unfolded().for_each(&mut submit),
                _ => submit(wanted),
            }
        }
    }
}

impl<T: Transport + ?Sized> Node for HostWith<T> {
    fn receive(&mut self, now: Instant, _port: Port, burst: &mut Burst, out: &mut Outbox) {
        for packet in burst.drain(..) {
            if self.obey_pause(now, &packet) {
                self.consumed += 1;
                continue;
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
        let mut waiting = self.parameters.transport.waiting(now);
        waiting.extend(self.refused.waiting());
        waiting
    }

    fn progress(&self, tell: &mut dyn FnMut(MessageProgress)) {
        self.parameters.transport.progress(tell);
    }

    fn senders(&self, now: Instant, tell: &mut dyn FnMut(SenderState)) {
        self.parameters.transport.senders(now, tell);
    }

    fn not_begun(&self, tell: &mut dyn FnMut(NotBegun)) {
        self.parameters.application.not_begun(tell);
    }

    fn counters(&self, tell: &mut dyn FnMut(Counter)) {
        self.parameters.transport.counters(tell);
        if let Some(costs) = &self.costs {
            costs.counters(tell);
        }
    }
}

basis::snapshot!([T: Transport + ?Sized] HostWith<T> {
    values next_message, asked, paused_until, generated, consumed, refused;
    parts parameters, costs;
});
basis::snapshot!([T: Transport + ?Sized] HostParameters<T> { values link; parts transport, application; });
