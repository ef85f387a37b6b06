//! The queues between the gresses.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use basis::{Instant, Rate};
use node::{Link, Outbox, Port, Reason};
use queues::{Behind, BufferPlan, DisciplinePlan, OutputPlan, OutputQueues, PortPlan, TrafficManager};

use super::item::Item;
use super::lines::Departing;
use super::ports::{Ports, is_outside, recirculates};
use super::settings::TimedSettings;
use super::switch::Tofino;
use super::told;
use crate::blocks::Executor;
use crate::unsuitable::Unsuitable;

impl<E: Executor> Tofino<E> {
    /// Takes over the queues of a plan.
    pub(super) fn take_queues(&mut self, plan: OutputPlan) -> Result<Option<OutputPlan>, Unsuitable> {
        if self.settings.timed.is_none() && plan.ports.iter().any(|port| port.discipline.changes_packets()) {
            // They work behind the chip, where packets have no metadata of the program in front.
            return Ok(Some(plan));
        }
        let mut unsuitable = Unsuitable::default();
        let outside = self.ports.numbers().iter().filter(|port| is_outside(**port)).count();
        unsuitable.unless(self.numbering.is_none() || plan.ports.len() <= outside, || {
            format!("{} cables are connected to a chip with {outside} ports outside", plan.ports.len())
        });
        unsuitable.or(())?;
        let links = self.ports.numbers().iter().filter_map(|&number| {
            let outside = plan.ports.get(usize::from(self.node_port(number).0)).filter(|_| !recirculates(number));
            Some((number, outside.cloned()?))
        });
        self.link(links.collect(), plan.buffer, plan.seed);
        Ok(None)
    }

    /// Gives each port its own link.
    pub(super) fn link_all(&mut self) {
        let own = self.settings.ports.iter().map(|port| (port.number, own_link(port.rate)));
        self.link(own.collect(), BufferPlan::default(), self.parameters.seed);
    }

    /// Puts queues and links behind ports. If the chip has settings for queues, they replace those of the plans, and ports
    /// that recirculate have links, too.
    fn link(&mut self, mut links: BTreeMap<u16, PortPlan>, mut buffer: BufferPlan, seed: u64) {
        if let Some(TimedSettings { queues, .. }) = &self.settings.timed {
            let inside = self.settings.ports.iter().filter(|port| recirculates(port.number));
            links.extend(inside.map(|port| (port.number, own_link(port.rate))));
            buffer = BufferPlan { flow_control: buffer.flow_control, ..queues.memory.clone() };
            let usual = Arc::new(queues.usual.clone());
            for (number, link) in &mut links {
                let own = queues.own.get(number).map(|own| Arc::new(own.clone()));
                link.discipline = DisciplinePlan::Scheduler(own.unwrap_or_else(|| Arc::clone(&usual)));
            }
        }
        self.queue_ports = Ports::of(links.keys().copied());
        let mut queues = OutputQueues::new(links.into_values().collect(), &buffer, seed);
        queues.record_changes(self.has_ghost());
        self.queues = Some(Box::new(queues));
        self.change_new_queues();
    }

    /// Calls the queues, which call the chip for packets that come out of them.
    pub(super) fn with_queues<R>(&mut self, call: impl FnOnce(&mut OutputQueues<Item>, &mut Self) -> R) -> Option<R> {
        let mut queues = self.queues.take()?;
        let result = call(&mut queues, self);
        self.tell_ghosts(&mut queues);
        self.queues = Some(queues);
        Some(result)
    }

    /// Offers a packet to the queue of a port. If ports have no queues, it goes through egress at once.
    pub(super) fn offer(&mut self, now: Instant, mut item: Item, port: u32, out: &mut Outbox) {
        let block = self.ingress_deparser();
        let to = u16::try_from(port).ok().filter(|&port| self.ports.place(port).is_some());
        let Some(to) = to else { return self.discard((item.packet, item.side.pass), Reason::NO_SUCH_PORT, block, out) };
        if let Err(reason) = self.admits(to) {
            return self.discard((item.packet, item.side.pass), reason, block, out);
        }
        self.note(item.side.pass, |recorder| recorder.queued(to.into(), item.side.replica.into()));
        if let Some(place) = self.queue_ports.place(to) {
            // Flow control knows packets by the port at which they came in, which may have no queue itself.
            let from = self.queue_ports.place(item.side.from).unwrap_or(Port(u16::MAX));
            item.side.congestion_on_entry =
                self.queues.as_ref().map_or(0, |queues| congestion(queues.manager(), place, item.side.queue));
            self.with_queues(|queues, chip| queues.offer(now, [from, place], item, chip, out));
            return;
        }
        if !self.queue_ports.numbers().is_empty() && !recirculates(to) {
            return self.discard((item.packet, item.side.pass), Reason::NO_SUCH_PORT, block, out);
        }
        (item.side.entered, item.side.left) = (now, now);
        if let Some(seed) = self.parameters.told {
            told::draw(seed, &mut item, to, now);
        }
        let packet = self.egress(now, item, to, out);
        if let (Some(packet), Some(Departing { side, .. })) = (packet, self.departing.take()) {
            self.emit(packet, to, side, now..now, out);
        }
    }
}

/// Returns the link of a port of the chip itself.
fn own_link(rate: Rate) -> PortPlan {
    let discipline = DisciplinePlan::Scheduler(Arc::default());
    PortPlan { rate, framing: Link::ETHERNET_FRAMING, is_last_hop: false, discipline }
}

/// Returns how congested a queue is: 0 while it holds less than a quarter of what it may hold, then 1, from a half on 2, and
/// from three quarters on 3. The public documentation leaves the scale open; this one is ours.
fn congestion(queues: &TrafficManager<Item>, port: Port, queue: u8) -> u8 {
    let (Some(depth), Some(limit)) = (queues.depth(port, queue), queues.limit(port, queue)) else { return 0 };
    quarters(depth.cells, limit)
}

/// Returns how congested the shared cells of the first four pools are, on the same scale, two bits each.
fn congestion_of_pools(queues: &TrafficManager<Item>) -> u8 {
    (0..4).fold(0, |all, pool| {
        let state = queues.pool_status(pool).map_or(0, |status| quarters(status.used, status.shared));
        all | state << (2 * pool)
    })
}

/// Returns which quarter of a whole a part reaches. Every packet asks, mostly of little that is in use, so that nothing is
/// divided.
fn quarters(part: u64, whole: u64) -> u8 {
    let part = part.saturating_mul(4);
    let reached = |quarters: u64| part >= whole.max(1).saturating_mul(quarters);
    u8::from(reached(1)) + u8::from(reached(2)) + u8::from(reached(3))
}

/// Egress lies between a queue and its link.
impl<E: Executor> Behind<Item> for Tofino<E> {
    fn leave(
        &mut self,
        now: Instant,
        port: Port,
        mut item: Item,
        queues: &TrafficManager<Item>,
        out: &mut Outbox,
    ) -> Option<wire::Packet> {
        item.side.congestion_on_exit = congestion(queues, port, item.side.queue);
        item.side.congestion_of_pools = congestion_of_pools(queues);
        self.egress(now, item, self.queue_ports.number(port), out)
    }

    /// The traffic manager gives packets to egress at the rate of their port, also those that egress drops.
    fn paces_what_it_drops(&self) -> bool {
        self.timing.is_some()
    }

    /// The link waits for a packet that egress could not take at once.
    fn begins(&mut self, start: Instant, _port: Port) -> Instant {
        self.departing.map_or(start, |departing| start + departing.waited)
    }

    fn send(&mut self, occupies: Range<Instant>, port: Port, packet: wire::Packet, out: &mut Outbox) {
        let number = self.queue_ports.number(port);
        match self.departing.take() {
            Some(Departing { side, .. }) => self.emit(packet, number, side, occupies, out),
            // A frame that the ports themselves have made.
            None => out.transmit(self.node_port(number), packet),
        }
    }

    fn ask(&mut self, port: Port, at: Instant, out: &mut Outbox) {
        self.call_at(port, at, out);
    }

    fn has_room(&self, port: Port, out: &Outbox) -> bool {
        let number = self.queue_ports.number(port);
        recirculates(number) || out.has_room(self.node_port(number))
    }

    fn refuse(&mut self, item: Item, reason: Reason, out: &mut Outbox) {
        self.deflect_or_discard(item, reason, out);
    }

    /// Never called: queues return only packets whose headers they can change to their senders.
    fn turn_back(&mut self, _port: Port, item: Item, out: &mut Outbox) {
        self.refuse(item, queues::reasons::QUEUE_FULL, out);
    }
}

#[cfg(test)]
mod tests {
    use super::quarters;

    #[test]
    fn quarters_are_reached_at_their_least_part() {
        let of = |parts: [u64; 8], whole| parts.map(|part| quarters(part, whole));
        assert_eq!(of([0, 1, 24, 25, 49, 50, 74, 75], 100), [0, 0, 0, 1, 1, 2, 2, 3]);
        assert_eq!(of([0, 1, 2, 3, 4, 5, 6, 7], 3), [0, 1, 2, 3, 3, 3, 3, 3]);
        assert_eq!((quarters(0, 0), quarters(1, 0), quarters(u64::MAX, u64::MAX)), (0, 3, 3));
    }
}
