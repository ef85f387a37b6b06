//! The switch as a device.

use std::borrow::Cow;
use std::sync::Arc;

use basis::Instant;
use control::{Info, RefusedRequest, Request, Response};
use measure::Counts;
use node::{Burst, Control, Node, Outbox, Port, Reason, Station};
use queues::{OutputPlan, OutputQueues};
use runtime::ProgramState;

use super::Switch;
use super::trace::{Recorder, Trace};
use crate::Statistics;
use crate::blocks::Executor;
use crate::device::Device;
use crate::unsuitable::Unsuitable;

/// The number of packets by which prefetching runs ahead in a burst. Memory latency is longer than the processing of
/// one packet, but shorter than that of this many.
const AHEAD: usize = 8;

impl<E: Executor> Node for Switch<E> {
    fn receive(&mut self, now: Instant, port: Port, burst: &mut Burst, out: &mut Outbox) {
        self.now = now;
        if self.buffer.is_some() {
            return self.receive_for_queues(now, port, burst, out);
        }
        if self.next_idle.is_new() {
            self.ask_wake(out);
        }
        burst.iter().take(AHEAD).for_each(wire::Packet::prefetch);
        let mut packets = burst.drain(..);
        while let Some(packet) = packets.next() {
            packets.as_slice().iter().skip(AHEAD - 1).take(1).for_each(wire::Packet::prefetch);
            self.arrive(now, port, packet, out);
        }
    }

    /// Repeats pause frames, and finds entries whose idle timeouts have ended.
    fn wake(&mut self, now: Instant, out: &mut Outbox) {
        self.now = now;
        self.copies = 0;
        self.expire(now);
        self.refresh(now, out);
        self.finish(now, out);
    }

    /// Idle timeouts of entries do not keep a run going: no packet waits for them.
    fn rests_after(&self) -> Option<Instant> {
        let refreshes = self.queues().is_some_and(|queues| queues.next_refresh().is_some());
        (!refreshes && self.account().held == 0).then_some(Instant::ZERO)
    }

    fn takes_whole(&mut self, packet: &wire::Packet) -> bool {
        self.treats_alike(packet)
    }

    /// Continues when the link of a port becomes free, and selects no member of a group whose port is down. Tables and
    /// groups are changed by [`Device::execute`].
    fn control(&mut self, now: Instant, request: Control, out: &mut Outbox) {
        self.now = now;
        self.copies = 0;
        match request {
            Control::PortReady(port) => self.ready(now, port, out),
            Control::Link { port, up } => {
                self.state.set_port(port.0.into(), up);
                self.replication.set_port(port.0.into(), up);
                self.repeats_ports = None;
            }
            _ => {}
        }
        self.finish(now, out);
    }
}

impl<E: Executor> Switch<E> {
    /// Handles packets as [`Node::receive`] does if there are queues, whose ports obey pause frames.
    #[inline(never)]
    fn receive_for_queues(&mut self, now: Instant, port: Port, burst: &mut Burst, out: &mut Outbox) {
        for packet in burst.drain(..) {
            // Packets released by a pause frame are not copies of earlier packets.
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

    fn cpu_port(&self) -> Option<Port> {
        self.parameters.cpu_port.map(Port)
    }

    fn hold_queues(&mut self, plan: OutputPlan) -> Result<Option<OutputPlan>, Unsuitable> {
        self.take_queues(plan)
    }

    fn execute(&mut self, request: &Request) -> Result<Response, control::Error> {
        if let Request::MulticastGroup(..) = request {
            self.repeats_ports = None;
        }
        let (plane, mut device) = self.control_plane();
        let response = plane.execute(request, &mut device);
        self.executed(std::slice::from_ref(request));
        response
    }

    fn execute_together(&mut self, requests: &[Request]) -> Result<Vec<Response>, RefusedRequest> {
        self.repeats_ports = None;
        let (plane, mut device) = self.control_plane();
        let responses = plane.execute_together(requests, &mut device);
        self.executed(requests);
        responses
    }

    fn state(&self) -> Cow<'_, ProgramState> {
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
            "this executor does not report what happens to packets, so there is nothing to record".into()
        });
        unsuitable.unless(self.buffer.is_none(), || {
            "traces cannot be recorded with queues, because a trace ends with the call in which its packet arrives"
                .into()
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
