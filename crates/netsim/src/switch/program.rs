//! A machine that runs a program, as a switch of the network.

use basis::Instant;
use basis::snapshot::{Loader, Saver, Snapshot, Unfit};
use measure::Interest;
use node::{Account, Backpressure, Burst, Control, Counter, Node, Outbox, Port, QueueLength, Reason, Station};
use queues::{BufferPlan, PortPlan};
use wire::Packet;

use super::OutputQueues;

/// Any machine with queues behind its outputs: the program decides where packets go, the queues when.
pub struct ProgramSwitch<S> {
    machine: S,
    /// What the machine wants done; its packets go through the queues first.
    inner: Outbox,
    queues: OutputQueues,
    arrived: Burst,
    /// Packets that return to their senders, with the ports to which they were going.
    returned: Vec<(Port, Packet)>,
}

impl<S: Station> ProgramSwitch<S> {
    /// A machine, and the ports behind it. `seed` is for disciplines that draw.
    pub fn new(machine: S, ports: Vec<PortPlan>, buffer: &BufferPlan, seed: u64) -> Self {
        let queues = OutputQueues::new(ports, buffer, seed);
        Self { machine, inner: Outbox::new(Interest::default()), queues, arrived: Burst::new(), returned: Vec::new() }
    }

    /// Carries out what the machine wants. Packets that return to their senders come into the machine again, by the
    /// port to which they were going.
    fn carry_out(&mut self, now: Instant, mut from: Port, out: &mut Outbox) {
        loop {
            out.events.append(&mut self.inner.events);
            out.discarded.append(&mut self.inner.discarded);
            for transmission in self.inner.transmissions.drain(..) {
                // A machine with a latency of its own would need somebody to keep its packets until then.
                debug_assert_eq!(transmission.at, now, "machines behind queues send at once");
                if self.queues.has(transmission.port) {
                    let way = [from, transmission.port];
                    self.queues.offer(now, way, transmission.packet, &mut self.returned, out);
                } else {
                    out.discard(transmission.packet, Reason::NoSuchPort);
                }
            }
            let Some((port, packet)) = self.returned.pop() else { break };
            from = port;
            self.arrived.push(packet);
            self.machine.receive(now, from, &mut self.arrived, &mut self.inner);
        }
        let wishes = [self.inner.deadline(), self.queues.next_refresh()];
        match wishes.into_iter().flatten().min() {
            Some(at) => out.wake_at(at),
            None => out.sleep(),
        }
    }
}

impl<S: Station> Node for ProgramSwitch<S> {
    fn receive(&mut self, now: Instant, port: Port, burst: &mut Burst, out: &mut Outbox) {
        self.inner.begin(now);
        let queues = &mut self.queues;
        // Pause frames are the business of the ports, and no program sees them.
        self.arrived.extend(burst.drain(..).filter_map(|packet| queues.obey(now, port, packet, out)));
        if !self.arrived.is_empty() {
            self.machine.receive(now, port, &mut self.arrived, &mut self.inner);
        }
        self.carry_out(now, port, out);
    }

    fn wake(&mut self, now: Instant, out: &mut Outbox) {
        self.inner.begin(now);
        if self.inner.deadline().is_some_and(|at| at <= now) {
            self.inner.take_deadline();
            self.machine.wake(now, &mut self.inner);
        }
        self.queues.refresh(now, out);
        self.carry_out(now, Port(0), out);
    }

    fn control(&mut self, now: Instant, request: Control, out: &mut Outbox) {
        self.inner.begin(now);
        if let Control::PortReady(port) = request {
            self.queues.ready(now, port, &mut self.returned, out);
        } else {
            self.machine.control(now, request, &mut self.inner);
        }
        self.carry_out(now, Port(0), out);
    }
}

impl<S: Station> Station for ProgramSwitch<S> {
    fn account(&self) -> Account {
        let inside = self.machine.account();
        Account {
            generated: inside.generated + self.queues.generated(),
            replicated: inside.replicated,
            consumed: inside.consumed + self.queues.consumed(),
            held: inside.held + self.queues.held(),
        }
    }

    fn backpressure(&self, now: Instant) -> Backpressure {
        self.queues.backpressure(now)
    }

    fn queue(&self, port: Port) -> QueueLength {
        self.queues.length(port)
    }

    fn counters(&self, tell: &mut dyn FnMut(Counter)) {
        self.machine.counters(tell);
        self.queues.counters(tell);
    }
}

impl<S: Station> Snapshot for ProgramSwitch<S> {
    /// Packets are inside a machine between calls only if it says so; its own wishes are carried out at once.
    fn save(&self, into: &mut Saver) -> Result<(), Unfit> {
        self.machine.save(into)?;
        into.put(&self.inner.deadline())?;
        into.put(&self.returned)?;
        self.queues.save(into)
    }

    fn restore(&mut self, from: &mut Loader<'_>) -> Result<(), Unfit> {
        self.machine.restore(from)?;
        match from.take()? {
            Some(deadline) => self.inner.wake_at(deadline),
            None => self.inner.sleep(),
        }
        self.returned = from.take()?;
        self.queues.restore(from)
    }
}
