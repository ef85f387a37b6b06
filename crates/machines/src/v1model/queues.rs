//! Queues between ingress and egress, for ports with links of their own.

use basis::Instant;
use node::{Outbox, Port, Reason};
use queues::{Behind, OutputPlan, OutputQueues, TrafficManager};

use super::buffer::{Buffer, Ticket};
use super::egress::Waited;
use super::metadata::PacketProperties;
use super::switch::Switch;
use super::traveller::Traveller;
use crate::blocks::Executor;
use crate::blocks::Frame;
use crate::unsuitable::Unsuitable;

impl<E: Executor> Switch<E> {
    /// Takes over the queues of a plan, or returns the plan if the queues need packets with their headers in place.
    pub(super) fn take_queues(&mut self, plan: OutputPlan) -> Result<Option<OutputPlan>, Unsuitable> {
        let mut unsuitable = Unsuitable::default();
        if plan.ports.iter().any(|port| port.discipline.changes_packets()) {
            if let Some(field) = self.layout.reads_queues {
                unsuitable.findings.push(format!(
                    "queues that mark or trim packets work only after egress, where packets are bytes again, but the \
                     program reads `{field}` in egress, which requires queues before it"
                ));
            }
            return unsuitable.or(Some(plan));
        }
        unsuitable.unless(self.recorder.is_none(), || {
            "traces are being recorded, which is not possible with queues: a trace ends with the call in which its \
             packet arrives"
                .into()
        });
        unsuitable.or(())?;
        // The queues count the bytes that packets have in egress.
        self.layout.tells_length = true;
        self.layout.stop_at_queue();
        self.buffer = Some(Buffer::new(plan));
        Ok(None)
    }

    /// Returns the queues, if the switch has any.
    pub(super) fn queues(&self) -> Option<&OutputQueues<Ticket>> {
        self.buffer.as_ref()?.queues.as_deref()
    }

    /// Calls the queues, which call the switch for packets that come out of them. Packets that arise from these are
    /// handled after the call.
    fn with_queues<R>(&mut self, call: impl FnOnce(&mut OutputQueues<Ticket>, &mut Self) -> R) -> Option<R> {
        let mut queues = self.buffer.as_mut()?.queues.take()?;
        let result = call(&mut queues, self);
        self.buffer.as_mut()?.queues = Some(queues);
        Some(result)
    }

    /// Offers a packet to the queue of a port.
    pub(super) fn offer(
        &mut self,
        now: Instant,
        mut traveller: Box<Traveller<E::Packet>>,
        port: u64,
        out: &mut Outbox,
    ) {
        let to = u16::try_from(port).ok().filter(|_| port < self.layout.ports.usable.into()).map(Port);
        let to = to.filter(|&to| self.queues().is_some_and(|queues| queues.has(to)));
        let Some(to) = to else { return self.discard(traveller, Reason::NO_SUCH_PORT, out) };
        if let Err(reason) = self.count_copy() {
            return self.discard(traveller, reason, out);
        }
        let waiting = self.queues().map_or(0, |queues| queues.length(to).packets);
        let known = PacketProperties { port, waiting, ..PacketProperties::default() };
        self.assign_metadata(&self.layout.intrinsics.metadata.before_queue, &mut traveller, known);
        let Traveller { packet, way } = &*traveller;
        let class = self.layout.queue.map(|variable| u8::try_from(packet.low(variable)).unwrap_or(u8::MAX));
        // A program that never chooses leaves the choice to the code point, but for clones of a session with a class.
        let class = class.filter(|&class| self.layout.chooses_queue || class > 0);
        let length = self.layout.length_in_egress(way.length, way.header_bits, packet).min(way.most.into());
        let from = traveller.way.port;
        let Some(buffer) = &mut self.buffer else { return };
        let ticket = buffer.put(now, u32::try_from(length).unwrap_or(u32::MAX), class, traveller);
        self.with_queues(|queues, switch| queues.offer(now, [from, to], ticket, switch, out));
    }

    /// Continues when the link of a port is free.
    pub(super) fn ready(&mut self, now: Instant, port: Port, out: &mut Outbox) {
        self.with_queues(|queues, switch| {
            if queues.has(port) {
                queues.ready(now, port, switch, out);
            }
        });
    }

    /// Obeys a pause frame, which no program sees; returns any other packet.
    pub(super) fn obey(
        &mut self,
        now: Instant,
        port: Port,
        packet: wire::Packet,
        out: &mut Outbox,
    ) -> Option<wire::Packet> {
        self.with_queues(|queues, switch| match queues.has(port) {
            true => queues.obey(now, port, packet, switch, out),
            false => Some(packet),
        })?
    }

    /// Repeats pause frames that would otherwise expire at the other end.
    pub(super) fn refresh(&mut self, now: Instant, out: &mut Outbox) {
        self.with_queues(|queues, switch| queues.refresh(now, switch, out));
    }

    /// Ends a call: handles packets that came out of queues and start again, and asks to be woken.
    pub(super) fn finish(&mut self, now: Instant, out: &mut Outbox) {
        self.work(now, out);
        self.ask_wake(out);
    }
}

/// Egress and deparser are between a queue and its link.
impl<E: Executor> Behind<Ticket> for Switch<E> {
    fn leave(
        &mut self,
        now: Instant,
        port: Port,
        ticket: Ticket,
        queues: &TrafficManager<Ticket>,
        out: &mut Outbox,
    ) -> Option<wire::Packet> {
        let traveller = self.buffer.as_mut()?.take(ticket)?;
        let waited = Waited { since: ticket.since, left: queues.length(port).packets };
        self.egress(now, traveller, port.0.into(), waited, out)
    }

    fn refuse(&mut self, ticket: Ticket, reason: Reason, out: &mut Outbox) {
        if let Some(traveller) = self.buffer.as_mut().and_then(|buffer| buffer.take(ticket)) {
            self.discard(traveller, reason, out);
        }
    }

    /// Never called: queues return only packets whose headers they can change to their senders.
    fn turn_back(&mut self, _port: Port, ticket: Ticket, out: &mut Outbox) {
        self.refuse(ticket, queues::reasons::QUEUE_FULL, out);
    }
}
