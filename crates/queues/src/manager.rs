//! The queues of all ports of a switch.

use std::collections::VecDeque;

use basis::Instant;
use node::{Counter, Port, QueueLength, Reason};
use wire::Packet;

use crate::{BufferPlan, DisciplinePlan, PortPlan};

/// What becomes of packets that do not wait, beside those that are taken.
#[derive(Debug, Default)]
pub struct Refusals {
    /// Packets that go no further, and why.
    pub discarded: Vec<(Packet, Reason)>,
    /// Packets whose addresses have been exchanged and that go back to where they came from: to be routed afresh.
    pub returned: Vec<Packet>,
    /// Frames that are to leave a port before everything else, such as PFC's.
    pub urgent: Vec<(Port, Packet)>,
}

/// The queues of all ports of a switch, and the memory that they share.
#[derive(Debug)]
pub struct TrafficManager {
    ports: Vec<(PortPlan, VecDeque<Packet>, u64)>,
}

impl TrafficManager {
    /// Empty queues; `seed` is for disciplines that draw.
    pub fn new(ports: Vec<PortPlan>, buffer: &BufferPlan, seed: u64) -> Self {
        let _ = (buffer, seed);
        Self { ports: ports.into_iter().map(|plan| (plan, VecDeque::new(), 0)).collect() }
    }

    /// Offers a packet that came in at `from` for the queue of `to`. What cannot wait ends up in `refusals`.
    pub fn offer(&mut self, now: Instant, from: Port, to: Port, packet: Packet, refusals: &mut Refusals) {
        let _ = (now, from);
        let (plan, queue, bytes) = &mut self.ports[usize::from(to.0)];
        let length = packet.len() as u64 + u64::from(plan.framing);
        let DisciplinePlan::DropTail { limit } = plan.discipline;
        if *bytes + length > limit {
            refusals.discarded.push((packet, Reason::QueueFull));
            return;
        }
        *bytes += length;
        queue.push_back(packet);
    }

    /// Takes the packet that goes next on the line of `port`; `None` if nothing may go now.
    pub fn take(&mut self, now: Instant, port: Port, refusals: &mut Refusals) -> Option<Packet> {
        let _ = (now, refusals);
        let (plan, queue, bytes) = &mut self.ports[usize::from(port.0)];
        let packet = queue.pop_front()?;
        *bytes -= packet.len() as u64 + u64::from(plan.framing);
        Some(packet)
    }

    /// True if something could be taken for `port`.
    pub fn has_waiting(&self, port: Port) -> bool {
        !self.ports[usize::from(port.0)].1.is_empty()
    }

    /// What waits for `port`.
    pub fn length(&self, port: Port) -> QueueLength {
        let (_, queue, bytes) = &self.ports[usize::from(port.0)];
        QueueLength { packets: queue.len() as u64, bytes: *bytes }
    }

    /// How many packets wait for all ports.
    pub fn held(&self) -> u64 {
        self.ports.iter().map(|(_, queue, _)| queue.len() as u64).sum()
    }

    /// Tells everything that was counted, in a fixed order.
    pub fn counters(&self, tell: &mut dyn FnMut(Counter)) {
        let _ = tell;
    }
}
