//! A fixed-function switch that routes IPv4 by prefix.

use basis::{Instant, Random};
use node::{Account, Burst, Control, Counter, Node, Outbox, Port, QueueLength, Reason, Station};
use queues::PortPlan;
use wire::{Ethernet, Ipv4, Packet, checksum, ether_type};

use super::spread::Chooser;
use super::{OutputQueues, RoutingTable, SwitchParameters};
use crate::topology::SwitchPlan;

/// Routes IPv4 packets to the longest prefix and queues them at its outputs.
///
/// It counts hops (RFC 1812, section 5.3.1) and keeps MAC addresses as they are: a simulated cable has one station at
/// each end, and nobody looks at them.
#[derive(Debug)]
pub struct Router {
    table: RoutingTable,
    chooser: Chooser,
    queues: OutputQueues,
    /// Packets that return to their senders, with the ports to which they were going.
    returned: Vec<(Port, Packet)>,
}

impl Router {
    /// The switch of `plan` at `index` of its topology, with these ports.
    pub fn new(index: usize, plan: &SwitchPlan, ports: Vec<PortPlan>, parameters: &SwitchParameters) -> Self {
        let table = RoutingTable::new(&plan.routes);
        // Two streams a switch: one for its choice of ports, one for its queues.
        let part = 2 * index as u64;
        let random = Random::for_part(parameters.seed, part);
        let chooser = Chooser::new(parameters.spread, plan.path_divisor, table.groups(), random);
        let seed = Random::for_part(parameters.seed, part + 1).bits();
        let queues = OutputQueues::new(ports, &parameters.buffer, seed);
        Self { table, chooser, queues, returned: Vec::new() }
    }

    #[inline]
    fn forward(&mut self, now: Instant, from: Port, mut packet: Packet, out: &mut Outbox) {
        match self.route(&mut packet) {
            Ok(to) => self.queues.offer(now, [from, to], packet, &mut self.returned, out),
            Err(reason) => out.discard(packet, reason),
        }
    }

    /// Which port a packet leaves by; counts the hop.
    #[inline]
    fn route(&mut self, packet: &mut Packet) -> Result<Port, Reason> {
        let frame = packet.head.bytes_mut();
        let ethernet = Ethernet::new(&*frame).ok_or(Reason::Malformed)?;
        if ethernet.ether_type() != ether_type::IPV4 {
            return Err(Reason::NoRoute);
        }
        let mut ip = Ipv4::new(&mut frame[Ethernet::<&[u8]>::LENGTH..]).ok_or(Reason::Malformed)?;
        let time_to_live = ip.time_to_live();
        if time_to_live <= 1 {
            return Err(Reason::TimeToLiveExceeded);
        }
        ip.set_time_to_live(time_to_live - 1);
        let sum = checksum::update(ip.checksum(), &[time_to_live], &[time_to_live - 1], false);
        ip.set_checksum(sum);
        let (group, ports) = self.table.find(ip.destination_bits()).ok_or(Reason::NoRoute)?;
        Ok(Port(self.chooser.choose(group, ports, frame)))
    }

    /// Ends a call. Packets that return to their senders are routed like any other, as if they had come in by the port
    /// to which they were going.
    #[inline]
    fn finish(&mut self, now: Instant, out: &mut Outbox) {
        while let Some((port, packet)) = self.returned.pop() {
            self.forward(now, port, packet, out);
        }
        if let Some(at) = self.queues.next_refresh() {
            out.wake_at(at);
        }
    }
}

impl Node for Router {
    fn receive(&mut self, now: Instant, port: Port, burst: &mut Burst, out: &mut Outbox) {
        for packet in burst.drain(..) {
            if let Some(packet) = self.queues.obey(now, port, packet, out) {
                self.forward(now, port, packet, out);
            }
        }
        self.finish(now, out);
    }

    /// Pauses have to be repeated.
    fn wake(&mut self, now: Instant, out: &mut Outbox) {
        self.queues.refresh(now, out);
        self.finish(now, out);
    }

    fn control(&mut self, now: Instant, request: Control, out: &mut Outbox) {
        if let Control::PortReady(port) = request {
            self.queues.ready(now, port, &mut self.returned, out);
            self.finish(now, out);
        }
    }
}

impl Station for Router {
    fn account(&self) -> Account {
        Account {
            generated: self.queues.generated(),
            replicated: 0,
            consumed: self.queues.consumed(),
            held: self.queues.held(),
        }
    }

    fn queue(&self, port: Port) -> QueueLength {
        self.queues.length(port)
    }

    fn counters(&self, tell: &mut dyn FnMut(Counter)) {
        self.queues.counters(tell);
    }
}
