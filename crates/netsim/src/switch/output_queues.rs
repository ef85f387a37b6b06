//! Queues at the outputs of a switch, and the lines that empty them.

use basis::Instant;
use node::{Counter, Line, Outbox, Port, QueueLength};
use queues::{BufferPlan, PortPlan, Refusals, TrafficManager};
use wire::Packet;

/// The queues of a switch with the lines behind them.
#[derive(Debug)]
pub struct OutputQueues {
    manager: TrafficManager,
    ports: Vec<OutputPort>,
    refusals: Refusals,
}

#[derive(Debug)]
struct OutputPort {
    line: Line,
    /// It has asked to be told when its line is free, and was not yet.
    is_waiting: bool,
}

impl OutputQueues {
    /// Empty queues. `seed` is for disciplines that draw.
    pub fn new(plans: Vec<PortPlan>, buffer: &BufferPlan, seed: u64) -> Self {
        let port = |plan: &PortPlan| OutputPort { line: Line::new(plan.rate, plan.framing), is_waiting: false };
        let ports = plans.iter().map(port).collect();
        Self { manager: TrafficManager::new(plans, buffer, seed), ports, refusals: Refusals::default() }
    }

    /// True if there is such a port.
    pub fn has(&self, port: Port) -> bool {
        usize::from(port.0) < self.ports.len()
    }

    /// Puts a packet that came in at `from` into the queue of `to`, and on the line if that is free. Packets that
    /// return to their senders are added to `returned`, to be routed afresh.
    #[inline]
    pub fn offer(
        &mut self,
        now: Instant,
        [from, to]: [Port; 2],
        packet: Packet,
        returned: &mut Vec<Packet>,
        out: &mut Outbox,
    ) {
        self.manager.offer(now, from, to, packet, &mut self.refusals);
        self.carry_out_refusals(returned, out);
        self.serve(now, to, returned, out);
    }

    /// The line of a port is free.
    pub fn ready(&mut self, now: Instant, port: Port, returned: &mut Vec<Packet>, out: &mut Outbox) {
        self.ports[usize::from(port.0)].is_waiting = false;
        self.serve(now, port, returned, out);
    }

    #[inline]
    fn serve(&mut self, now: Instant, port: Port, returned: &mut Vec<Packet>, out: &mut Outbox) {
        let output = &mut self.ports[usize::from(port.0)];
        if output.line.is_free(now)
            && let Some(packet) = self.manager.take(now, port, &mut self.refusals)
        {
            output.line.begin(now, packet.len());
            out.transmit(port, packet);
        }
        if !output.is_waiting && self.manager.has_waiting(port) {
            output.is_waiting = true;
            out.ready_at(port, output.line.free_at());
        }
        self.carry_out_refusals(returned, out);
    }

    #[inline]
    fn carry_out_refusals(&mut self, returned: &mut Vec<Packet>, out: &mut Outbox) {
        for (packet, reason) in self.refusals.discarded.drain(..) {
            out.discard(packet, reason);
        }
        returned.append(&mut self.refusals.returned);
    }

    /// What waits for a port.
    pub fn length(&self, port: Port) -> QueueLength {
        if self.has(port) { self.manager.length(port) } else { QueueLength::default() }
    }

    /// How many packets wait.
    pub fn held(&self) -> u64 {
        self.manager.held()
    }

    /// Tells everything that the queues have counted.
    pub fn counters(&self, tell: &mut dyn FnMut(Counter)) {
        self.manager.counters(tell);
    }
}
