//! The queues between the gresses.

use basis::Instant;
use node::{Outbox, Port, Reason};
use queues::{Behind, OutputPlan, OutputQueues, TrafficManager};

use super::item::Item;
use super::ports::{Ports, recirculates};
use super::switch::Tofino;
use crate::blocks::Executor;
use crate::unsuitable::Unsuitable;

impl<E: Executor> Tofino<E> {
    /// Takes over the queues of a plan.
    pub(super) fn take_queues(&mut self, plan: OutputPlan) -> Result<Option<OutputPlan>, Unsuitable> {
        if plan.ports.iter().any(|port| port.discipline.changes_packets()) {
            // They work behind the chip, where packets have no metadata of the program in front.
            return Ok(Some(plan));
        }
        let mut unsuitable = Unsuitable::default();
        unsuitable.unless(self.recorder.is_none(), || {
            "traces are being recorded, which is not possible with queues: a trace ends with the call in which its \
             packet arrives"
                .into()
        });
        unsuitable.or(())?;
        let has_link = |number: &&u16| usize::from(**number) < plan.ports.len() && !recirculates(**number);
        self.queue_ports = Ports::of(self.ports.numbers().iter().filter(has_link).copied());
        let ports = self.queue_ports.numbers().iter().map(|number| plan.ports[usize::from(*number)].clone());
        self.queues = Some(Box::new(OutputQueues::new(ports.collect(), &plan.buffer, plan.seed)));
        Ok(None)
    }

    /// Calls the queues, which call the chip for packets that come out of them.
    pub(super) fn with_queues<R>(&mut self, call: impl FnOnce(&mut OutputQueues<Item>, &mut Self) -> R) -> Option<R> {
        let mut queues = self.queues.take()?;
        let result = call(&mut queues, self);
        self.queues = Some(queues);
        Some(result)
    }

    /// Offers a packet to the queue of a port. If ports have no queues, it goes through egress at once.
    pub(super) fn offer(&mut self, now: Instant, mut item: Item, port: u32, out: &mut Outbox) {
        let block = self.ingress_deparser();
        let to = u16::try_from(port).ok().filter(|&port| self.ports.place(port).is_some());
        let Some(to) = to else { return self.discard((item.packet, item.side.pass), Reason::NO_SUCH_PORT, block, out) };
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
        if let Some(packet) = self.egress(now, item, to, out) {
            out.transmit(Port(to), packet);
        }
    }
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

fn quarters(part: u64, whole: u64) -> u8 {
    if part == 0 { 0 } else { (u128::from(part) * 4 / u128::from(whole.max(1))).min(3) as u8 }
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

    fn send(&mut self, _now: Instant, port: Port, packet: wire::Packet, out: &mut Outbox) {
        out.transmit(Port(self.queue_ports.number(port)), packet);
    }

    fn ask(&mut self, port: Port, at: Instant, out: &mut Outbox) {
        out.ready_at(Port(self.queue_ports.number(port)), at);
    }

    fn has_room(&self, port: Port, out: &Outbox) -> bool {
        out.has_room(Port(self.queue_ports.number(port)))
    }

    fn refuse(&mut self, item: Item, reason: Reason, out: &mut Outbox) {
        self.deflect_or_discard(item, reason, out);
    }

    /// Never called: queues return only packets whose headers they can change to their senders.
    fn turn_back(&mut self, _port: Port, item: Item, out: &mut Outbox) {
        self.refuse(item, queues::reasons::QUEUE_FULL, out);
    }
}
