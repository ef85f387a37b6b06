//! Queues at the outputs of a switch, and the lines that empty them.

use std::collections::VecDeque;

use basis::{Instant, prefetch};
use node::{Backpressure, Counter, Line, Outbox, Port, QueueLength};
use queues::{BufferPlan, PortPlan, Refusals, TrafficManager};
use wire::Packet;

/// The queues of a switch with the lines behind them.
#[derive(Debug)]
pub struct OutputQueues {
    manager: TrafficManager,
    ports: Vec<OutputPort>,
    refusals: Refusals,
    /// Frames that go before everything else, and the ports they leave by: pauses of flow control. There are few.
    urgent: VecDeque<(Port, Packet)>,
    /// How many frames were made here.
    generated: u64,
    /// How many frames ended here: pauses that were obeyed.
    consumed: u64,
}

#[derive(Debug)]
struct OutputPort {
    line: Line,
    /// For when it has asked to hear that it is ready, and was not told yet; [`Instant::MAX`] if it has not.
    asked: Instant,
}

impl OutputQueues {
    /// Empty queues. `seed` is for disciplines that draw.
    pub fn new(plans: Vec<PortPlan>, buffer: &BufferPlan, seed: u64) -> Self {
        let port = |plan: &PortPlan| OutputPort { line: Line::new(plan.rate, plan.framing), asked: Instant::MAX };
        let ports = plans.iter().map(port).collect();
        Self {
            manager: TrafficManager::new(plans, buffer, seed),
            ports,
            refusals: Refusals::default(),
            urgent: VecDeque::new(),
            generated: 0,
            consumed: 0,
        }
    }

    /// True if there is such a port.
    pub fn has(&self, port: Port) -> bool {
        usize::from(port.0) < self.ports.len()
    }

    /// Obeys a pause frame that came in at `port`, and keeps it; any other packet comes back.
    #[inline]
    pub fn obey(&mut self, now: Instant, port: Port, packet: Packet, out: &mut Outbox) -> Option<Packet> {
        if !self.manager.pause(now, port, &packet) {
            return Some(packet);
        }
        self.consumed += 1;
        self.serve(now, port, out);
        // What goes on now may have been the reason of a pause elsewhere, which ends at once.
        self.send_urgent(now, out);
        None
    }

    /// Puts a packet that came in at `from` into the queue of `to`, and on the line if that is free. Packets that
    /// return to their senders are added to `returned`, to be routed afresh, each with the port to which it was going.
    #[inline]
    pub fn offer(
        &mut self,
        now: Instant,
        [from, to]: [Port; 2],
        packet: Packet,
        returned: &mut Vec<(Port, Packet)>,
        out: &mut Outbox,
    ) {
        self.manager.offer(now, from, to, packet, &mut self.refusals);
        self.serve(now, to, out);
        self.carry_out_refusals(now, to, returned, out);
    }

    /// The line of a port is free.
    #[inline]
    pub fn ready(&mut self, now: Instant, port: Port, returned: &mut Vec<(Port, Packet)>, out: &mut Outbox) {
        let output = &mut self.ports[usize::from(port.0)];
        if output.asked <= now {
            output.asked = Instant::MAX;
        }
        self.serve(now, port, out);
        self.carry_out_refusals(now, port, returned, out);
    }

    /// When [`OutputQueues::refresh`] is to be called, if at all.
    #[inline]
    pub fn next_refresh(&self) -> Option<Instant> {
        self.manager.next_refresh()
    }

    /// Repeats pauses that would end too early at the other end.
    pub fn refresh(&mut self, now: Instant, out: &mut Outbox) {
        self.manager.refresh(now, &mut self.refusals);
        self.send_urgent(now, out);
    }

    #[inline]
    fn serve(&mut self, now: Instant, port: Port, out: &mut Outbox) {
        let output = &mut self.ports[usize::from(port.0)];
        if output.line.is_free(now)
            && let Some(packet) = next(&mut self.urgent, &mut self.manager, &mut self.refusals, now, port)
        {
            output.line.begin(now, packet.len());
            out.transmit(port, packet);
        }
        let is_urgent = self.urgent.iter().any(|&(to, _)| to == port);
        let next = if is_urgent || self.manager.has_waiting(port) {
            output.line.free_at()
        } else if let Some(release) = self.manager.next_release(port) {
            release.max(output.line.free_at())
        } else {
            return;
        };
        // What waits for the end of a pause may be overtaken by what need not.
        if next < output.asked {
            output.asked = next;
            out.ready_at(port, next);
        }
    }

    #[inline]
    fn carry_out_refusals(&mut self, now: Instant, to: Port, to_return: &mut Vec<(Port, Packet)>, out: &mut Outbox) {
        let Refusals { discarded, returned, urgent } = &self.refusals;
        if !(discarded.is_empty() && returned.is_empty() && urgent.is_empty()) {
            self.carry_out_some(now, to, to_return, out);
        }
    }

    #[cold]
    fn carry_out_some(&mut self, now: Instant, to: Port, returned: &mut Vec<(Port, Packet)>, out: &mut Outbox) {
        for (packet, reason) in self.refusals.discarded.drain(..) {
            out.discard(packet, reason);
        }
        returned.extend(self.refusals.returned.drain(..).map(|packet| (to, packet)));
        self.send_urgent(now, out);
    }

    /// Sends frames that go before everything else, in the order in which they were made: the last one counts.
    #[inline]
    fn send_urgent(&mut self, now: Instant, out: &mut Outbox) {
        while !self.refusals.urgent.is_empty() {
            let (port, frame) = self.refusals.urgent.remove(0);
            self.generated += 1;
            self.urgent.push_back((port, frame));
            self.serve(now, port, out);
        }
    }

    /// Asks for the memory of a port, and of the packet that goes next there if that `is_ready`.
    #[inline]
    pub fn prepare(&self, port: Port, is_ready: bool) {
        if let Some(output) = self.ports.get(usize::from(port.0)) {
            prefetch(output);
            self.manager.prepare(port, is_ready);
        }
    }

    /// Who has been asked to pause here, and what stands still because others have asked for it.
    pub fn backpressure(&self, now: Instant) -> Backpressure {
        self.manager.backpressure(now)
    }

    /// What waits for a port.
    pub fn length(&self, port: Port) -> QueueLength {
        if self.has(port) { self.manager.length(port) } else { QueueLength::default() }
    }

    /// How many packets wait.
    pub fn held(&self) -> u64 {
        self.manager.held() + self.urgent.len() as u64
    }

    /// How many frames were made here.
    pub fn generated(&self) -> u64 {
        self.generated
    }

    /// How many frames ended here.
    pub fn consumed(&self) -> u64 {
        self.consumed
    }

    /// Tells everything that the queues have counted.
    pub fn counters(&self, tell: &mut dyn FnMut(Counter)) {
        self.manager.counters(tell);
    }
}

/// What goes next on the line of a port.
#[inline]
fn next(
    urgent: &mut VecDeque<(Port, Packet)>,
    manager: &mut TrafficManager,
    refusals: &mut Refusals,
    now: Instant,
    port: Port,
) -> Option<Packet> {
    match urgent.iter().position(|&(to, _)| to == port) {
        Some(at) => urgent.remove(at).map(|(_, frame)| frame),
        None => manager.take(now, port, refusals),
    }
}

basis::snapshot!(OutputQueues { values urgent, generated, consumed; parts manager, ports; });
basis::snapshot!(OutputPort { values line, asked; });
