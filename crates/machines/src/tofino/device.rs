//! The chip as a device.

use std::borrow::Cow;
use std::sync::Arc;

use basis::Instant;
use control::{Info, Plane, RefusedRequest, Request, Response};
use measure::Counts;
use node::{Burst, Control, Node, Outbox, Port, Reason, Station};
use queues::{OutputPlan, OutputQueues};
use runtime::ProgramState;

use super::ports::Numbering;
use super::switch::Tofino;
use crate::blocks::Executor;
use crate::device::Device;
use crate::trace::{Recorder, Trace};
use crate::unsuitable::Unsuitable;

impl<E: Executor> Node for Tofino<E> {
    fn receive(&mut self, now: Instant, port: Port, burst: &mut Burst, out: &mut Outbox) {
        self.called = now;
        self.catch_up(now, out);
        let place = self.queue_ports.place(self.device_port(port));
        for packet in burst.drain(..) {
            let packet = match place {
                Some(place) => self.with_queues(|queues, chip| queues.obey(now, place, packet, chip, out)).flatten(),
                None => Some(packet),
            };
            if let Some(packet) = packet {
                self.arrive(now, port, packet, out);
            }
        }
        self.finish(now, out);
    }

    fn wake(&mut self, now: Instant, out: &mut Outbox) {
        (self.called, self.copies) = (now, 0);
        self.catch_up(now, out);
        self.with_queues(|queues, chip| queues.refresh(now, chip, out));
        self.finish(now, out);
    }

    fn control(&mut self, now: Instant, request: Control, out: &mut Outbox) {
        (self.called, self.copies) = (now, 0);
        self.catch_up(now, out);
        match request {
            Control::PortReady(port) => {
                if let Some(place) = self.queue_ports.place(self.device_port(port)) {
                    self.with_queues(|queues, chip| queues.ready(now, place, chip, out));
                }
            }
            Control::Link { port, up } => {
                let device = self.device_port(port);
                self.set_link(device, up);
            }
            _ => {}
        }
        self.finish(now, out);
    }

    /// Idle timeouts of entries do not keep a run going: no packet waits for them.
    fn rests_after(&self) -> Option<Instant> {
        let rests = self.generators.rests(&self.settings.generators)
            && self.account().held == 0
            && self.next_due().is_none()
            && self.queues.as_ref().is_none_or(|queues| queues.next_refresh().is_none());
        rests.then_some(Instant::ZERO)
    }
}

impl<E: Executor> Tofino<E> {
    /// Ends a call: handles packets that begin again or are due, and asks to be woken.
    fn finish(&mut self, now: Instant, out: &mut Outbox) {
        self.serve_changed(now, out);
        self.catch_up(now, out);
        self.generate(now, out);
        self.next_idle.expire(now, &mut self.states);
        self.finish_traces();
        let refresh = self.queues.as_ref().and_then(|queues| queues.next_refresh());
        let own = self.next_due().into_iter().chain(self.generators.next());
        if let Some(at) = refresh.into_iter().chain(self.next_idle.ask()).chain(own).min() {
            out.wake_at(at);
        }
    }

    fn control_plane(&mut self) -> (&mut Plane, control::Device<'_>) {
        let (states, replication, digests) = (&mut self.states, &mut self.replication, &mut self.digests);
        (&mut self.plane, control::Device { states, replication, digests, now: self.now })
    }
}

impl<E: Executor> Device for Tofino<E> {
    fn info(&self) -> &Arc<Info> {
        self.plane.info()
    }

    fn ports(&self) -> Option<u32> {
        self.ports.numbers().last().map(|last| u32::from(*last) + 1)
    }

    fn has_port(&self, port: u32) -> bool {
        u16::try_from(port).is_ok_and(|port| self.ports.place(port).is_some())
    }

    fn cpu_port(&self) -> Option<Port> {
        Some(Port(self.settings.cpu_port))
    }

    fn number_ports_in_order(&mut self) {
        self.numbering = Some(Numbering::in_order(&self.ports));
    }

    fn number_for_programs(&self, port: Port) -> u32 {
        self.numbering.as_ref().map_or(port.0, |numbering| numbering.device(port)).into()
    }

    fn hold_queues(&mut self, plan: OutputPlan) -> Result<Option<OutputPlan>, Unsuitable> {
        self.take_queues(plan)
    }

    fn execute(&mut self, request: &Request) -> Result<Response, control::Error> {
        if let Request::Configure(request) = request {
            return self.configure(request);
        }
        let (plane, mut device) = self.control_plane();
        let response = plane.execute(request, &mut device);
        self.next_idle.executed(std::slice::from_ref(request), &self.states);
        response
    }

    fn execute_together(&mut self, requests: &[Request]) -> Result<Vec<Response>, RefusedRequest> {
        if let [request @ Request::Configure(_)] = requests {
            let response = self.execute(request).map_err(|error| RefusedRequest { at: 0, error })?;
            return Ok(vec![response]);
        }
        let (plane, mut device) = self.control_plane();
        let responses = plane.execute_together(requests, &mut device);
        self.next_idle.executed(requests, &self.states);
        responses
    }

    fn state(&self) -> Cow<'_, ProgramState> {
        Cow::Borrowed(&self.states[0])
    }

    fn statistics(&self) -> crate::Statistics {
        let in_queues = self.queues.as_ref().map_or(0, |queues| OutputQueues::held(queues));
        self.statistics.of_any_machine(in_queues + self.agenda.len() as u64)
    }

    fn observe(&mut self) -> Result<(), Unsuitable> {
        let mut unsuitable = Unsuitable::default();
        unsuitable.unless(self.executor.observes(), || {
            "machine code does not report what happens to packets: `--executor interpreter` does".into()
        });
        unsuitable.or(())?;
        let program = self.executor.program();
        self.recorder.get_or_insert_with(|| Recorder::new(program));
        Ok(())
    }

    fn take_traces(&mut self) -> Vec<Trace> {
        self.recorder.as_mut().map(Recorder::take).unwrap_or_default()
    }

    fn drops(&self) -> Counts<(Reason, &'static str)> {
        self.statistics.discarded_in.clone()
    }
}
