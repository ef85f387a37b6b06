//! A fixed-function switch that routes IPv4 by prefix.

use basis::{Instant, Random};
use node::{Account, Burst, Control, Counter, Node, Outbox, Port, QueueLength, Reason, Station};
use queues::PortPlan;
use wire::{Ethernet, Ipv4, Packet, ether_type};

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
    returned: Vec<Packet>,
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
            Err(reason) => self.refuse(now, from, packet, reason, out),
        }
    }

    /// A packet that is not routed: a pause of flow control, or one that goes no further.
    #[cold]
    fn refuse(&mut self, now: Instant, from: Port, packet: Packet, reason: Reason, out: &mut Outbox) {
        if let Some(packet) = self.queues.obey(now, from, packet, out) {
            out.discard(packet, reason);
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
        // The one's complement sum has become less by 0x0100, so its complement more (RFC 1624, equation 3).
        let sum = u32::from(ip.checksum()) + 0x0100;
        ip.set_checksum((sum + (sum >> 16)) as u16);
        let (group, ports) = self.table.find(ip.destination_bits()).ok_or(Reason::NoRoute)?;
        Ok(Port(self.chooser.choose(group, ports, frame)))
    }

    /// Ends a call. Packets that return to their senders are routed like any other, as if they had come in by the port
    /// to which they were going.
    #[inline]
    fn finish(&mut self, now: Instant, port: Port, out: &mut Outbox) {
        while let Some(packet) = self.returned.pop() {
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
            self.forward(now, port, packet, out);
        }
        self.finish(now, port, out);
    }

    /// Pauses have to be repeated.
    fn wake(&mut self, now: Instant, out: &mut Outbox) {
        self.queues.refresh(now, &mut self.returned, out);
        self.finish(now, Port(0), out);
    }

    fn control(&mut self, now: Instant, request: Control, out: &mut Outbox) {
        if let Control::PortReady(port) = request {
            self.queues.ready(now, port, &mut self.returned, out);
            self.finish(now, port, out);
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
