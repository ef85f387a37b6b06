//! Queues at the outputs of a switch, and the lines that empty them.

use std::collections::VecDeque;

use basis::{Instant, prefetch};
use node::{Backpressure, Counter, Line, Outbox, Port, QueueLength};
use wire::Packet;

use crate::{Behind, BufferPlan, PortPlan, Queued, Refusals, TrafficManager};

/// The queues of a switch with the lines behind them. What lies between the two, whoever holds them says with each call.
#[derive(Debug)]
pub struct OutputQueues<Q = Packet> {
    manager: TrafficManager<Q>,
    ports: Vec<OutputPort>,
    refusals: Refusals<Q>,
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

impl<Q: Queued> OutputQueues<Q> {
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
    pub fn obey(
        &mut self,
        now: Instant,
        port: Port,
        packet: Packet,
        behind: &mut impl Behind<Q>,
        out: &mut Outbox,
    ) -> Option<Packet> {
        if !self.manager.pause(now, port, &packet) {
            return Some(packet);
        }
        self.consumed += 1;
        self.serve(now, port, behind, out);
        // What goes on now may have been the reason of a pause elsewhere, which ends at once.
        self.send_urgent(now, behind, out);
        None
    }

    /// Puts what came in at `from` into the queue of `to`, a port that there is, and on the line if that is free.
    #[inline]
    pub fn offer(
        &mut self,
        now: Instant,
        [from, to]: [Port; 2],
        item: Q,
        behind: &mut impl Behind<Q>,
        out: &mut Outbox,
    ) {
        self.manager.offer(now, from, to, item, &mut self.refusals);
        self.serve(now, to, behind, out);
        self.carry_out_refusals(now, to, behind, out);
    }

    /// The line of a port is free.
    #[inline]
    pub fn ready(&mut self, now: Instant, port: Port, behind: &mut impl Behind<Q>, out: &mut Outbox) {
        let output = &mut self.ports[usize::from(port.0)];
        if output.asked <= now {
            output.asked = Instant::MAX;
        }
        self.serve(now, port, behind, out);
        self.carry_out_refusals(now, port, behind, out);
    }

    /// When [`OutputQueues::refresh`] is to be called, if at all.
    #[inline]
    pub fn next_refresh(&self) -> Option<Instant> {
        self.manager.next_refresh()
    }

    /// Repeats pauses that would end too early at the other end.
    pub fn refresh(&mut self, now: Instant, behind: &mut impl Behind<Q>, out: &mut Outbox) {
        self.manager.refresh(now, &mut self.refusals);
        self.send_urgent(now, behind, out);
    }

    #[inline]
    fn serve(&mut self, now: Instant, port: Port, behind: &mut impl Behind<Q>, out: &mut Outbox) {
        let Self { manager, ports, refusals, urgent, .. } = self;
        let output = &mut ports[usize::from(port.0)];
        while output.line.is_free(now) {
            let frame = urgent.iter().position(|&(to, _)| to == port).and_then(|at| urgent.remove(at));
            let packet = match frame {
                Some((_, frame)) => Some(frame),
                None => match manager.take(now, port, refusals) {
                    Some(item) => behind.leave(now, port, item, manager, out),
                    None => break,
                },
            };
            if let Some(packet) = packet {
                output.line.begin(now, packet.len());
                out.transmit(port, packet);
                break;
            }
        }
        let is_urgent = urgent.iter().any(|&(to, _)| to == port);
        let next = if is_urgent || manager.has_waiting(port) {
            output.line.free_at()
        } else if let Some(release) = manager.next_release(port) {
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
    fn carry_out_refusals(&mut self, now: Instant, to: Port, behind: &mut impl Behind<Q>, out: &mut Outbox) {
        let Refusals { discarded, returned, urgent } = &self.refusals;
        if !(discarded.is_empty() && returned.is_empty() && urgent.is_empty()) {
            self.carry_out_some(now, to, behind, out);
        }
    }

    #[cold]
    fn carry_out_some(&mut self, now: Instant, to: Port, behind: &mut impl Behind<Q>, out: &mut Outbox) {
        for (item, reason) in self.refusals.discarded.drain(..) {
            behind.refuse(item, reason, out);
        }
        for item in self.refusals.returned.drain(..) {
            behind.turn_back(to, item, out);
        }
        self.send_urgent(now, behind, out);
    }

    /// Sends frames that go before everything else, in the order in which they were made: the last one counts.
    #[inline]
    fn send_urgent(&mut self, now: Instant, behind: &mut impl Behind<Q>, out: &mut Outbox) {
        while !self.refusals.urgent.is_empty() {
            let (port, frame) = self.refusals.urgent.remove(0);
            self.generated += 1;
            self.urgent.push_back((port, frame));
            self.serve(now, port, behind, out);
        }
    }

    /// Asks for the memory of a port, and of what goes next there if that `is_ready`.
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

basis::snapshot!([Q: Queued] OutputQueues<Q> { values urgent, generated, consumed; parts manager, ports; });
basis::snapshot!(OutputPort { values line, asked; });
