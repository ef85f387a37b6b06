//! A machine that runs a program, as a switch of the network.

use std::collections::BTreeMap;
use std::ops::Range;

use basis::Instant;
use basis::snapshot::{Loader, Saver, Snapshot, Unfit};
use measure::Interest;
use node::{
    Account, Backpressure, Burst, Control, Counter, InnerQueue, Node, Outbox, Port, QueueLength, Reason, RegisterValue,
    Station, UnfinishedWork,
};
use queues::{BufferPlan, OutputQueues, PortPlan, Straight};
use wire::Packet;

/// Any machine, with queues behind its outputs: the program decides where packets go, and the queues decide when. A
/// packet joins its queue at the time at which the machine sends it, however long it was inside.
pub struct ProgramSwitch<S> {
    machine: S,
    /// The requests of the machine. Its packets go through the queues before they are transmitted.
    inner: Outbox,
    /// The packets that the machine will send at a later time, by that time and in the order in which it sent them.
    leaving: BTreeMap<(Instant, u64), (Port, Packet)>,
    /// The number of packets that have been put into `leaving`.
    sent: u64,
    queues: OutputQueues,
    arrived: Burst,
    /// The packets that return to their senders, each with the port that it was queued for.
    returned: Vec<(Port, Packet)>,
}

impl<S: Station> ProgramSwitch<S> {
    /// Returns a switch of a machine with these ports. `seed` initialises the random generator of disciplines that
    /// draw.
    pub fn new(machine: S, ports: Vec<PortPlan>, buffer: &BufferPlan, seed: u64) -> Self {
        let queues = OutputQueues::new(ports, buffer, seed);
        Self {
            machine,
            inner: Outbox::new(Interest::default()),
            leaving: BTreeMap::new(),
            sent: 0,
            queues,
            arrived: Burst::new(),
            returned: Vec::new(),
        }
    }

    /// Returns the machine.
    pub fn machine(&self) -> &S {
        &self.machine
    }

    /// Returns the machine, for requests of the control plane. Packets must go through the switch.
    pub fn machine_mut(&mut self) -> &mut S {
        &mut self.machine
    }

    /// Hands the machine the packets that have arrived on a port.
    fn give(&mut self, now: Instant, port: Port) {
        for packet in &mut self.arrived {
            packet.sidecar.port = port.0;
        }
        self.machine.receive(now, port, &mut self.arrived, &mut self.inner);
    }

    /// Carries out the machine's requests that are due. A packet that returns to its sender enters the machine again
    /// by the port that it was queued for.
    fn carry_out(&mut self, now: Instant, out: &mut Outbox) {
        loop {
            out.events.append(&mut self.inner.events);
            out.discarded.append(&mut self.inner.discarded);
            let mut transmissions = std::mem::take(&mut self.inner.transmissions);
            for transmission in transmissions.drain(..) {
                if transmission.at <= now {
                    self.queue(now, transmission.port, transmission.packet, out);
                } else {
                    self.leaving.insert((transmission.at, self.sent), (transmission.port, transmission.packet));
                    self.sent += 1;
                }
            }
            self.inner.transmissions = transmissions;
            let Some((port, packet)) = self.returned.pop() else { break };
            self.arrived.push(packet);
            self.give(now, port);
        }
        let next = self.leaving.first_key_value().map(|((at, _), _)| *at);
        match [self.inner.deadline(), self.queues.next_refresh(), next].into_iter().flatten().min() {
            Some(at) => out.wake_at(at),
            None => out.sleep(),
        }
    }

    /// Queues a packet that leaves the machine.
    fn queue(&mut self, now: Instant, port: Port, packet: Packet, out: &mut Outbox) {
        if self.queues.has(port) {
            let way = [Port(packet.sidecar.port), port];
            self.queues.offer(now, way, packet, &mut Straight(&mut self.returned), out);
        } else {
            out.discard(packet, Reason::NO_SUCH_PORT);
        }
    }

    /// Queues the packets that leave the machine by now.
    fn release(&mut self, now: Instant, out: &mut Outbox) {
        while let Some(first) = self.leaving.first_entry().filter(|first| first.key().0 <= now) {
            let (port, packet) = first.remove();
            self.queue(now, port, packet, out);
        }
    }
}

impl<S: Station> Node for ProgramSwitch<S> {
    fn receive(&mut self, now: Instant, port: Port, burst: &mut Burst, out: &mut Outbox) {
        self.inner.begin(now);
        let (queues, mut behind) = (&mut self.queues, Straight(&mut self.returned));
        // Pause frames concern only the ports, so no program sees them.
        self.arrived.extend(burst.drain(..).filter_map(|packet| queues.obey(now, port, packet, &mut behind, out)));
        self.release(now, out);
        if !self.arrived.is_empty() {
            self.give(now, port);
        }
        self.carry_out(now, out);
    }

    fn wake(&mut self, now: Instant, out: &mut Outbox) {
        self.inner.begin(now);
        if self.inner.deadline().is_some_and(|at| at <= now) {
            self.inner.take_deadline();
            self.machine.wake(now, &mut self.inner);
        }
        self.release(now, out);
        self.queues.refresh(now, &mut Straight(&mut self.returned), out);
        self.carry_out(now, out);
    }

    fn control(&mut self, now: Instant, request: Control, out: &mut Outbox) {
        self.inner.begin(now);
        if let Control::PortReady(port) = request {
            self.queues.ready(now, port, &mut Straight(&mut self.returned), out);
        } else {
            self.machine.control(now, request, &mut self.inner);
        }
        self.carry_out(now, out);
    }

    fn rests_after(&self) -> Option<Instant> {
        let has_work = !self.leaving.is_empty() || self.queues.next_refresh().is_some();
        self.machine.rests_after().filter(|_| !has_work)
    }
}

impl<S: Station> Station for ProgramSwitch<S> {
    fn account(&self) -> Account {
        let inside = self.machine.account();
        Account {
            generated: inside.generated + self.queues.generated(),
            replicated: inside.replicated,
            consumed: inside.consumed + self.queues.consumed(),
            held: inside.held + self.queues.held() + self.leaving.len() as u64,
        }
    }

    fn backpressure(&self, now: Instant) -> Backpressure {
        self.queues.backpressure(now)
    }

    fn queue(&self, port: Port) -> QueueLength {
        self.queues.length(port)
    }

    fn queues(&self, tell: &mut dyn FnMut(InnerQueue)) {
        self.machine.queues(tell);
        self.queues.each(tell);
    }

    fn register(&self, name: &str, indices: Range<u32>, tell: &mut dyn FnMut(RegisterValue)) -> bool {
        self.machine.register(name, indices, tell)
    }

    fn high_water(&self, port: Port) -> Option<u64> {
        self.queues.high_water(port)
    }

    fn waiting(&self, now: Instant) -> Vec<UnfinishedWork> {
        self.machine.waiting(now)
    }

    fn counters(&self, tell: &mut dyn FnMut(Counter)) {
        self.machine.counters(tell);
        self.queues.counters(tell);
    }
}

impl<S: Station> Snapshot for ProgramSwitch<S> {
    /// Saves the switch. The machine saves its own state.
    fn save(&self, into: &mut Saver) -> Result<(), Unfit> {
        self.machine.save(into)?;
        into.put(&self.inner.deadline())?;
        into.put(&self.leaving)?;
        into.put(&self.sent)?;
        into.put(&self.returned)?;
        self.queues.save(into)
    }

    fn restore(&mut self, from: &mut Loader<'_>) -> Result<(), Unfit> {
        self.machine.restore(from)?;
        match from.take()? {
            Some(deadline) => self.inner.wake_at(deadline),
            None => self.inner.sleep(),
        }
        self.leaving = from.take()?;
        self.sent = from.take()?;
        self.returned = from.take()?;
        self.queues.restore(from)
    }
}
