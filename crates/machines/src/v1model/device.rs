//! The switch as a device.

use std::borrow::Cow;
use std::sync::Arc;

use basis::Instant;
use control::{Info, Request, Response};
use measure::Counts;
use node::{Burst, Control, Node, Outbox, Port, Reason};
use queues::{OutputPlan, OutputQueues};
use runtime::State;

use super::Switch;
use super::executor::Executor;
use super::trace::{Recorder, Trace};
use crate::Statistics;
use crate::device::Device;
use crate::unsuitable::Unsuitable;

/// So many packets before its turn comes the processor is told to bring a packet of a burst near: memory is slower than
/// what the switch does with one packet, and faster than what it does with these.
const AHEAD: usize = 8;

impl<E: Executor> Node for Switch<E> {
    fn receive(&mut self, now: Instant, port: Port, burst: &mut Burst, out: &mut Outbox) {
        self.now = now;
        if self.buffer.is_some() {
            return self.receive_for_queues(now, port, burst, out);
        }
        burst.iter().take(AHEAD).for_each(wire::Packet::prefetch);
        let mut packets = burst.drain(..);
        while let Some(packet) = packets.next() {
            packets.as_slice().iter().skip(AHEAD - 1).take(1).for_each(wire::Packet::prefetch);
            self.arrive(now, port, packet, out);
        }
    }

    /// Pauses have to be repeated. Without queues it is never asked for.
    fn wake(&mut self, now: Instant, out: &mut Outbox) {
        self.now = now;
        self.copies = 0;
        self.refresh(now, out);
        self.finish(now, out);
    }

    /// Lines of ports with queues become free. Tables and groups are the business of [`Device::execute`], a link that is
    /// down that of whoever drains its ports.
    fn control(&mut self, now: Instant, request: Control, out: &mut Outbox) {
        if let Control::PortReady(port) = request {
            self.now = now;
            self.copies = 0;
            self.ready(now, port, out);
            self.finish(now, out);
        }
    }
}

impl<E: Executor> Switch<E> {
    /// As [`Node::receive`], where packets wait in queues, and pauses are the business of the ports.
    #[inline(never)]
    fn receive_for_queues(&mut self, now: Instant, port: Port, burst: &mut Burst, out: &mut Outbox) {
        for packet in burst.drain(..) {
            // What a pause lets go on is no copy of what came before.
            self.copies = 0;
            if let Some(packet) = self.obey(now, port, packet, out) {
                self.arrive(now, port, packet, out);
            }
        }
        self.finish(now, out);
    }
}

impl<E: Executor> Device for Switch<E> {
    fn info(&self) -> &Arc<Info> {
        self.plane.info()
    }

    fn ports(&self) -> Option<u32> {
        Some(self.layout.ports.usable)
    }

    fn hold_queues(&mut self, plan: OutputPlan) -> Result<Option<OutputPlan>, Unsuitable> {
        self.take_queues(plan)
    }

    fn execute(&mut self, request: &Request) -> Result<Response, control::Error> {
        let (state, replication, digests) = (&mut self.state, &mut self.replication, &mut self.digests);
        self.plane.execute(request, &mut control::Device { state, replication, digests })
    }

    fn state(&self) -> Cow<'_, State> {
        Cow::Borrowed(&self.state)
    }

    fn statistics(&self) -> Statistics {
        let in_flight = self.queues().map_or(0, OutputQueues::held);
        crate::Statistics { in_flight, ..self.statistics.of_any_machine() }
    }

    fn drops(&self) -> Counts<(Reason, &'static str)> {
        self.statistics.discarded_in.clone()
    }

    fn observe(&mut self) -> Result<(), Unsuitable> {
        let mut unsuitable = Unsuitable::default();
        unsuitable.unless(self.executor.observes(), || {
            "what runs the program tells nobody what happens, so that there is nothing to record".into()
        });
        unsuitable.unless(self.buffer.is_none(), || {
            "packets wait in queues here, and a packet's trace ends with the call that brings it".into()
        });
        unsuitable.or(())?;
        let program = self.executor.program();
        self.layout.tell_all(program);
        self.recorder.get_or_insert_with(|| Recorder::new(program));
        Ok(())
    }

    fn take_traces(&mut self) -> Vec<Trace> {
        self.recorder.as_mut().map(Recorder::take).unwrap_or_default()
    }
}
