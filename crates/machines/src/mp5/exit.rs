//! The end of a cycle: packets depart, recirculate or are discarded.

use basis::Instant;
use node::{Outbox, Port, Reason};

use super::core::{Core, Leaving};
use super::ecn;
use super::packets::NOWHERE;
use super::parameters::{Recirculation, Steering};
use super::reasons;
use super::switch::ParallelPipelines;
use crate::pipelines::events::{Access, Completed};

impl ParallelPipelines {
    /// Returns the time at which packets leave in this cycle: its end, or its beginning with
    /// [`super::Departure::OneAfterAnother`].
    fn departure(&self) -> Instant {
        self.clock.edge(self.core.cycle + u64::from(!self.one_after_another))
    }

    /// Handles all packets that leave in this cycle in order of arrival, so that neither the output nor the last place
    /// in a queue depends on the order in which pipelines are updated.
    pub(super) fn leave(&mut self, out: &mut Outbox) {
        if !self.core.made.is_empty() {
            self.core.made.sort_unstable();
            for (unit, index, sequence) in self.core.made.drain(..) {
                out.emit(Access { unit, index, sequence });
            }
        }
        let at = self.departure();
        // A packet that cannot be recirculated is discarded below, which appends it to the list.
        let mut next = 0;
        while let Some(&Leaving { packet, reason, .. }) = self.core.leaving.get(next) {
            next += 1;
            if let Some(reason) = reason {
                self.remove(packet, reason, out);
            } else if self.core.packets.traveller(packet).detour != NOWHERE {
                self.recirculate(packet);
            } else {
                self.depart(packet, at, out);
            }
        }
        self.core.leaving.clear();
    }

    fn remove(&mut self, packet: u32, reason: Reason, out: &mut Outbox) {
        self.core.statistics.discarded.add(reason);
        let content = self.core.packets.remove(packet);
        if let Some(tracer) = &mut self.core.tracer {
            tracer.discarded(&*self.edge, content.sidecar.id, reason);
        }
        out.discard(content, reason);
    }

    /// Recirculates a packet from the end of its pipeline to the entrance of another one (section 2.3).
    fn recirculate(&mut self, packet: u32) {
        let Steering::Recirculation(Recirculation { latency, queue, limit }) = self.parameters.steering else {
            return;
        };
        let traveller = self.core.packets.traveller_mut(packet);
        let pipeline = usize::from(traveller.detour);
        if limit.is_some_and(|limit| traveller.recirculations >= limit) {
            return self.discard_at_end(packet, crate::reasons::RECIRCULATION_LIMIT);
        }
        if queue.is_some_and(|queue| self.entrance.returning_to(pipeline) >= queue as usize) {
            return self.discard_at_end(packet, reasons::RECIRCULATION_QUEUE_FULL);
        }
        traveller.recirculations += 1;
        traveller.detour = NOWHERE;
        self.core.statistics.recirculations += 1;
        // The packet is at the front one cycle later; with one-after-another updates, that cycle has begun when it
        // leaves.
        self.entrance.come_back(pipeline, self.core.cycle + 1 + latency, packet);
    }

    fn discard_at_end(&mut self, packet: u32, reason: Reason) {
        self.give_up(packet);
        let order = self.core.packets.traveller(packet).order;
        self.core.leaving.push(Leaving { order, packet, reason: Some(reason) });
    }

    /// Sends a packet out at the clock edge that ends its cycle in the last stage.
    fn depart(&mut self, packet: u32, at: Instant, out: &mut Outbox) {
        let traveller = *self.core.packets.traveller(packet);
        if !traveller.applies {
            self.core.statistics.bypassed += 1;
            self.core.statistics.transmitted += 1;
            let content = self.core.packets.remove(packet);
            if let Some(tracer) = &mut self.core.tracer {
                tracer.transmitted(&*self.edge, Port(traveller.port), &content);
            }
            out.transmit_at(Port(traveller.port), content, at);
            return;
        }
        let Core { tracer, plan, packets, .. } = &mut self.core;
        let mut content = packets.remove(packet);
        let frame = packets.frame_mut(packet);
        plan.code.finish(frame);
        let (fields, tables) = (plan.code.fields(frame), plan.code.tables_of(frame));
        if out.interest().wants::<Completed>() {
            out.emit(Completed { sequence: content.sidecar.id, fields: fields.into() });
        }
        let departure = match tracer {
            Some(tracer) => tracer.store(&mut *self.edge, fields, &mut content, tables),
            None => self.edge.store(fields, &mut content, tables, None),
        };
        let port = departure.port.unwrap_or(traveller.port);
        if departure.drop || !self.is_port(port) {
            let reason = if departure.drop { Reason::PROGRAM } else { Reason::NO_SUCH_PORT };
            self.core.statistics.discarded.add(reason);
            if let Some(tracer) = &mut self.core.tracer {
                tracer.discarded(&*self.edge, content.sidecar.id, reason);
            }
            out.discard(content, reason);
            return;
        }
        if traveller.marked {
            // The machine marks the packet after the program has made its own changes.
            ecn::mark(content.head.bytes_mut());
        }
        self.core.statistics.transmitted += 1;
        if let Some(tracer) = &mut self.core.tracer {
            tracer.transmitted(&*self.edge, Port(port), &content);
        }
        out.transmit_at(Port(port), content, at);
    }
}
