//! A host: an application above a transport above one line.

use basis::Instant;
use demand::{Application, Destinations, Wanted};
use node::{Account, Burst, Control, Counter, Line, Node, NotBegun, Outbox, Port, Progress, Reason, Station, Waiting};
use wire::{Packet, PriorityPause, dscp};

use crate::costs::{self, Costs};
use crate::frame::{Delivery, delivery};
use crate::reasons;
use crate::refused::Refused;
use crate::{Flow, FlowEvent, FlowId};
use crate::{Notice, Transport};

/// The one port of a host.
const PORT: Port = Port(0);

/// An instant that does not come.
const NEVER: Instant = Instant::MAX;

/// The priority of data in the sense of IEEE 802.1Qbb: the class selector of its code point, as switches here have it.
const DATA_PRIORITY: usize = (dscp::DATA >> 3) as usize;

/// What a host is made of.
pub struct HostParameters<T: ?Sized = dyn Transport> {
    /// Its IPv4 address, as a number.
    pub address: u32,
    /// The line it sends on.
    pub line: Line,
    /// What carries its messages.
    pub transport: Box<T>,
    /// What wants messages carried.
    pub application: Box<dyn Application>,
}

/// A host with any transport.
pub type Host = HostWith<dyn Transport>;

/// A host with one port, which knows which transport it has.
///
/// Whoever drives it wakes it once to start. Packets are made when the line is free, so that nothing waits inside; unless
/// the host costs something.
pub struct HostWith<T: ?Sized> {
    parameters: HostParameters<T>,
    /// What lies between line and transport; nothing, unless the host is to cost something.
    costs: Option<Box<Costs>>,
    /// The number of the next message.
    next_message: u32,
    /// When it will be told that its line is free; [`NEVER`] unless it has asked.
    asked: Instant,
    /// Until then the other end of the line wants no data; nothing is sent but what the transport says is none.
    paused_until: Instant,
    generated: u64,
    consumed: u64,
    /// Messages that the transport does not carry.
    refused: Refused,
    /// Memory that calls use again.
    notices: Vec<Notice>,
    wanted: Vec<Wanted>,
}

impl<T: Transport + ?Sized> HostWith<T> {
    /// A host that has not sent anything yet.
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

    /// The same host, whose processor and network card need time.
    pub fn with_costs(self, parameters: costs::Parameters) -> Self {
        Self { costs: Some(Box::new(Costs::new(parameters))), ..self }
    }

    /// Does something with the transport, and whatever follows from that.
    pub fn with_transport<R>(&mut self, now: Instant, out: &mut Outbox, what: impl FnOnce(&mut T) -> R) -> R {
        let result = what(&mut self.parameters.transport);
        self.proceed(now, out);
        result
    }

    /// Does what is due above the transport and in it.
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

    /// Does what is due, sends what may be sent, and says when it wants to be called again.
    fn proceed(&mut self, now: Instant, out: &mut Outbox) {
        if self.costs.is_some() {
            return self.proceed_at_cost(now, out);
        }
        self.wake_due(now, out);
        let HostParameters { line, transport, application, .. } = &mut self.parameters;
        let is_paused = self.paused_until > now;
        while line.free_at() <= now
            && let Some(packet) = if is_paused { transport.transmit_while_paused(now) } else { transport.transmit(now) }
        {
            line.begin(now, packet.len());
            out.transmit(PORT, packet);
            self.generated += 1;
        }
        let mut deadline = transport.deadline();
        // When a packet may go next: what is not paused as soon as the line is free.
        let free_at = if line.free_at() > now { line.free_at() } else { self.paused_until };
        if free_at > now {
            if self.asked > free_at && transport.is_ready(free_at) {
                out.ready_at(PORT, free_at);
                self.asked = free_at;
            }
            // What transports do about timers and pacers they do by sending, for which the line must be free.
            deadline = match self.asked {
                NEVER => deadline.map(|deadline| deadline.max(free_at)),
                _ => deadline.filter(|&deadline| deadline > free_at),
            };
        }
        match deadline.into_iter().chain(application.deadline()).chain(self.refused.deadline()).min() {
            Some(deadline) => out.wake_at(deadline.max(now)),
            None => out.sleep(),
        }
    }

    /// The same where packets need time on their way between line and transport, in both directions.
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
            let line = &mut self.parameters.line;
            if line.free_at().max(self.paused_until) <= now
                && let Some(packet) = costs.for_line(now)
            {
                line.begin(now, packet.len());
                out.transmit(PORT, packet);
                is_asked_again = true;
            }
        }
        let HostParameters { line, transport, application, .. } = &self.parameters;
        // What transports do about timers and pacers they do by sending, for which there must be room.
        let of_transport = transport.deadline().filter(|_| costs.has_room());
        let of_costs = costs.deadline(line.free_at().max(self.paused_until));
        match [of_transport, of_costs, application.deadline(), self.refused.deadline()].into_iter().flatten().min() {
            Some(deadline) => out.wake_at(deadline.max(now)),
            None => out.sleep(),
        }
        self.costs = Some(costs);
    }

    /// Gives a packet to the transport, if it is for this host.
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

    /// True if a packet is a pause frame of priority-based flow control (IEEE 802.1Qbb), which never goes further.
    fn obey_pause(&mut self, now: Instant, packet: &Packet) -> bool {
        let Some(pause) = PriorityPause::of(packet) else { return false };
        if let Some(quanta) = pause.quanta(DATA_PRIORITY) {
            // Counted anew from each frame; 0 ends a pause.
            self.paused_until = now + PriorityPause::time_of(quanta, self.parameters.line.rate());
        }
        true
    }

    /// Passes on what transport and application have to tell each other, until neither has.
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

    fn waiting(&self, now: Instant) -> Vec<Waiting> {
        let mut waiting = self.parameters.transport.waiting(now);
        waiting.extend(self.refused.waiting());
        waiting
    }

    fn progress(&self, tell: &mut dyn FnMut(Progress)) {
        self.parameters.transport.progress(tell);
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

basis::snapshot!([T: Transport + ?Sized] HostWith<T> { values next_message, asked, paused_until, generated, consumed, refused; parts parameters, costs; });
basis::snapshot!([T: Transport + ?Sized] HostParameters<T> { values line; parts transport, application; });
