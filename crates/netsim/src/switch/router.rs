//! A fixed-function switch that routes IPv4 by prefix.

use basis::{Instant, Random};
use node::{
    Account, Backpressure, Burst, Control, Counter, InnerQueue, Node, Outbox, Port, QueueLength, Reason, Station,
    Upcoming, take_each,
};
use queues::{OutputQueues, PortPlan, Straight};
use wire::{Ethernet, Ipv4, NotRouted, Packet, routed_destination};

use super::spread::Chooser;
use super::{RoutingTable, SwitchParameters};
use crate::reasons;
use crate::topology::SwitchPlan;

/// Routes IPv4 packets by the longest prefix and queues them at its outputs.
///
/// It decrements the time to live (RFC 1812, section 5.3.1) and keeps MAC addresses as they are: a simulated cable has
/// one station at each end, so they do not matter.
#[derive(Debug)]
pub struct Router {
    table: RoutingTable,
    chooser: Chooser,
    queues: OutputQueues,
    /// The packets that return to their senders, each with the port that it was queued for.
    returned: Vec<(Port, Packet)>,
}

impl Router {
    /// Returns the switch of `plan` at `index` of its topology, with these ports.
    pub fn new(index: usize, plan: &SwitchPlan, ports: Vec<PortPlan>, parameters: &SwitchParameters) -> Self {
        let table = RoutingTable::new(&plan.routes);
        // Each switch has two random streams: one for its choice of ports, one for its queues.
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
            Ok(to) => self.queues.offer(now, [from, to], packet, &mut Straight(&mut self.returned), out),
            Err(reason) => self.refuse(now, from, packet, reason, out),
        }
    }

    /// Handles a packet that is not routed: obeys a pause frame and discards everything else.
    #[cold]
    fn refuse(&mut self, now: Instant, from: Port, packet: Packet, reason: Reason, out: &mut Outbox) {
        if let Some(packet) = self.queues.obey(now, from, packet, &mut Straight(&mut self.returned), out) {
            out.discard(packet, reason);
        }
    }

    /// Returns the port by which a packet leaves, and decrements its time to live.
    #[inline]
    fn route(&mut self, packet: &mut Packet) -> Result<Port, Reason> {
        let frame = packet.head.bytes_mut();
        let destination = routed_destination(frame).map_err(|why| match why {
            NotRouted::Malformed => Reason::MALFORMED,
            NotRouted::OtherProtocol => reasons::NO_ROUTE,
            NotRouted::TimeToLiveExceeded => reasons::TIME_TO_LIVE_EXCEEDED,
        })?;
        let (group, ports) = self.table.find(destination).ok_or(reasons::NO_ROUTE)?;
        Ok(Port(self.chooser.choose(group, ports, frame)))
    }

    /// Returns the port by which a packet will leave, if it can be known without a random draw.
    #[inline]
    fn likely(&self, packet: &Packet) -> Option<Port> {
        let frame = packet.head.bytes();
        let ip = Ipv4::new(frame.get(Ethernet::<&[u8]>::LENGTH..)?)?;
        let (_, ports) = self.table.find(ip.destination_bits())?;
        self.chooser.settled(ports, frame).map(Port)
    }

    /// Ends a call. Packets that return to their senders are routed like any others, as if they had come in by the
    /// port that they were queued for.
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
        take_each(burst, |packet| self.forward(now, port, packet, out));
        self.finish(now, out);
    }

    /// Renews pauses.
    fn wake(&mut self, now: Instant, out: &mut Outbox) {
        self.queues.refresh(now, &mut Straight(&mut self.returned), out);
        self.finish(now, out);
    }

    fn control(&mut self, now: Instant, request: Control, out: &mut Outbox) {
        let behind = &mut Straight(&mut self.returned);
        match request {
            Control::PortReady(port) => self.queues.ready(now, port, behind, out),
            Control::ReportLate { port, by } => self.queues.report_late(now, port, by, behind, out),
            _ => return,
        }
        self.finish(now, out);
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

    fn queues(&self, tell: &mut dyn FnMut(InnerQueue)) {
        self.queues.each(tell);
    }

    fn high_water(&self, port: Port) -> Option<u64> {
        self.queues.high_water(port)
    }

    fn backpressure(&self, now: Instant) -> Backpressure {
        self.queues.backpressure(now)
    }

    fn prepare(&self, upcoming: Upcoming<'_>) -> Option<Port> {
        let port = match upcoming {
            Upcoming::Ready(port) => port,
            Upcoming::Packet(packet) => self.likely(packet)?,
        };
        self.queues.prepare(port);
        Some(port)
    }

    fn prepare_waiting(&self, port: Port) {
        self.queues.prepare_waiting(port);
    }

    fn may_report_late(&self, port: Port) -> bool {
        self.queues.may_report_late(port)
    }

    fn counters(&self, tell: &mut dyn FnMut(Counter)) {
        self.queues.counters(tell);
    }
}

basis::snapshot!(Router { values returned; parts chooser, queues; });

#[cfg(test)]
mod tests {
    use basis::Rate;
    use queues::{BufferPlan, DisciplinePlan};

    use super::*;
    use crate::switch::Spread;
    use crate::topology::Route;

    /// A checksum of -0 would verify and yet differ from what all other implementations compute (RFC 1624, section 3).
    #[test]
    fn the_updated_checksum_equals_a_fresh_one() {
        let routes = vec![Route { prefix: 0, length: 0, ports: vec![1] }];
        let plan = SwitchPlan { tier: 0, routes, path_divisor: 1 };
        let discipline = DisciplinePlan::DropTail { limit: 1000 };
        let parameters = SwitchParameters {
            discipline: discipline.clone(),
            buffer: BufferPlan::default(),
            spread: Spread::Flow,
            seed: 1,
        };
        let port = PortPlan { rate: Rate::from_gigabits_per_second(100), framing: 24, is_last_hop: false, discipline };
        let mut router = Router::new(0, &plan, vec![port.clone(), port], &parameters);
        let mut packet = Packet::of_bytes(&[0; 60]);
        packet.head.bytes_mut()[12] = 0x08;
        // The loop covers every checksum once.
        for identification in 0..=u16::MAX {
            let mut ip = Ipv4::new(&mut packet.head.bytes_mut()[14..]).unwrap();
            ip.set_version_and_length(0x45);
            ip.set_identification(identification);
            ip.set_time_to_live(64);
            ip.fill_checksum();
            assert_eq!(router.route(&mut packet), Ok(Port(1)));
            let mut ip = Ipv4::new(&mut packet.head.bytes_mut()[14..]).unwrap();
            let updated = ip.checksum();
            ip.fill_checksum();
            assert_eq!((updated, ip.time_to_live()), (ip.checksum(), 63), "identification {identification}");
        }
    }
}
