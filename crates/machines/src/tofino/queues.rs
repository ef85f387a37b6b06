//! The queues between the gresses.

use basis::Instant;
use node::{Outbox, Port, Reason};
use queues::{Behind, OutputPlan, OutputQueues, TrafficManager};

use super::item::Item;
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
        self.queues = Some(Box::new(OutputQueues::new(plan.ports, &plan.buffer, plan.seed)));
        self.has_queues = true;
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
        let block = self.layout.ingress.deparser.0;
        let to = u16::try_from(port).ok().filter(|&port| port < self.parameters.ports);
        let Some(to) = to else { return self.discard((item.packet, item.side.pass), Reason::NO_SUCH_PORT, block, out) };
        self.note(item.side.pass, |recorder| recorder.queued(to.into(), item.side.replica.into()));
        let has_link = self.queues.as_ref().is_some_and(|queues| queues.has(Port(to)));
        let recirculates = to >= self.parameters.first_recirculation_port;
        if has_link && !recirculates {
            let from = Port(item.side.from);
            self.with_queues(|queues, chip| queues.offer(now, [from, Port(to)], item, chip, out));
            return;
        }
        if self.has_queues && !recirculates {
            return self.discard((item.packet, item.side.pass), Reason::NO_SUCH_PORT, block, out);
        }
        (item.side.entered, item.side.left) = (now, now);
        if let Some(packet) = self.egress(now, item, to, out) {
            out.transmit(Port(to), packet);
        }
    }
}

/// Egress lies between a queue and its link.
impl<E: Executor> Behind<Item> for Tofino<E> {
    fn leave(
        &mut self,
        now: Instant,
        port: Port,
        item: Item,
        _queues: &TrafficManager<Item>,
        out: &mut Outbox,
    ) -> Option<wire::Packet> {
        self.egress(now, item, port.0, out)
    }

    fn refuse(&mut self, item: Item, reason: Reason, out: &mut Outbox) {
        self.discard((item.packet, item.side.pass), reason, self.layout.ingress.deparser.0, out);
    }

    /// Never called: queues return only packets whose headers they can change to their senders.
    fn turn_back(&mut self, _port: Port, item: Item, out: &mut Outbox) {
        self.refuse(item, queues::reasons::QUEUE_FULL, out);
    }
}
