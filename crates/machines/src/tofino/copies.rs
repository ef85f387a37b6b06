//! Copies of packets in the traffic manager.

use node::{Outbox, Reason};

use super::item::Side;
use super::reasons;
use super::switch::{Job, Tofino};
use super::target::Target;
use crate::blocks::Executor;
use crate::trace::Origin;

impl<E: Executor> Tofino<E> {
    /// Sends the copies of a packet to the queues of their ports. Without any, the packet is discarded.
    pub(super) fn spread(
        &mut self,
        packet: wire::Packet,
        side: Side,
        targets: Vec<Result<Target, Reason>>,
        drops_packet: bool,
        out: &mut Outbox,
    ) {
        let block = self.ingress_deparser();
        let Some((&last, others)) = targets.split_last() else {
            let reason = if drops_packet { Reason::PROGRAM } else { reasons::NO_DESTINATION };
            return self.discard((packet, side.pass), reason, block, out);
        };
        self.statistics.replicated += others.len() as u64;
        for &target in others {
            let side = self.copied(&packet, side, target);
            self.send(packet.clone(), side, target, block, out);
        }
        let side = if others.is_empty() { side } else { self.copied(&packet, side, last) };
        self.send(packet, side, last, block, out);
    }

    /// Reports to the recorder that a copy begins, and returns what the traffic manager knows about it.
    pub(super) fn copied(&mut self, packet: &wire::Packet, side: Side, target: Result<Target, Reason>) -> Side {
        let Ok(Target { port, replica: instance, .. }) = target else { return side };
        Side { pass: self.fork(side.pass, Origin::Copy { port, instance }, packet), ..side }
    }

    /// Sends a copy to its queue, or discards it for the reason why it has none.
    pub(super) fn send(
        &mut self,
        packet: wire::Packet,
        side: Side,
        target: Result<Target, Reason>,
        block: &'static str,
        out: &mut Outbox,
    ) {
        match target.and_then(|target| self.count_copy().map(|()| target)) {
            // Deferred, because the queues may be in the middle of a call.
            Ok(target) => self.plan(self.reaches_queue(), Job::Queue(target.item(packet, side), target.port)),
            Err(reason) => self.discard((packet, side.pass), reason, block, out),
        }
    }
}
