//! The chip as a device.

use std::borrow::Cow;
use std::sync::Arc;

use control::{Info, Plane, RefusedRequest, Request, Response};
use ir::interpret::threads::Instructions;
use ir::threads::EventId;
use node::Outbox;
use queues::{OutputPlan, OutputQueues};
use runtime::ProgramState;

use super::chip::Trio;
use super::timeline::Slices;
use super::trace::Traces;
use crate::device::Device;
use crate::trace::Trace;
use crate::unsuitable::Unsuitable;
use crate::{PartUse, Statistics};

impl<C: Instructions> Trio<C> {
    /// Lets the events happen that requests have raised since the last call.
    pub(super) fn happen_raised(&mut self, out: &mut Outbox) {
        for (event, argument) in self.plane.take_raised() {
            self.cycle = self.cycle.max(self.clock.first_edge_at_or_after(self.now));
            self.happen(EventId(event.0), argument, self.now, out);
        }
    }

    fn control_plane(&mut self) -> (&mut Plane, control::Device<'_>) {
        let states = std::slice::from_mut(&mut self.state);
        let (replication, digests) = (&mut self.replication, &mut self.digests);
        (&mut self.plane, control::Device { states, replication, digests, now: self.now })
    }

    fn executed(&mut self, requests: &[Request]) {
        self.next_idle.executed(requests, std::slice::from_ref(&self.state));
    }
}

impl<C: Instructions> Device for Trio<C> {
    fn info(&self) -> &Arc<Info> {
        self.plane.info()
    }

    fn ports(&self) -> Option<u32> {
        Some(self.ports)
    }

    fn hold_queues(&mut self, plan: OutputPlan) -> Result<Option<OutputPlan>, Unsuitable> {
        let mut unsuitable = Unsuitable::default();
        let has = self.parameters.ports.len();
        unsuitable.unless(plan.ports.len() <= has, || {
            format!("{} cables are connected to a chip with {has} ports", plan.ports.len())
        });
        unsuitable.or(())?;
        self.link(plan);
        Ok(None)
    }

    fn execute(&mut self, request: &Request) -> Result<Response, control::Error> {
        let (plane, mut device) = self.control_plane();
        let response = plane.execute(request, &mut device);
        self.executed(std::slice::from_ref(request));
        response
    }

    fn execute_together(&mut self, requests: &[Request]) -> Result<Vec<Response>, RefusedRequest> {
        let (plane, mut device) = self.control_plane();
        let responses = plane.execute_together(requests, &mut device);
        self.executed(requests);
        responses
    }

    fn state(&self) -> Cow<'_, ProgramState> {
        Cow::Borrowed(&self.state)
    }

    fn observe(&mut self) -> Result<(), Unsuitable> {
        self.traces.get_or_insert_default();
        Ok(())
    }

    fn take_traces(&mut self) -> Vec<Trace> {
        self.traces.as_mut().map(Traces::take).unwrap_or_default()
    }

    fn record_timeline(&mut self, cycles: u64) -> bool {
        self.slices = Some(Slices::new(cycles));
        true
    }

    fn trace_events(&self) -> Option<String> {
        self.slices.as_ref().map(|slices| slices.text(self.code.declarations().program(), self.clock))
    }

    fn parts(&self) -> Vec<PartUse> {
        self.part_uses()
    }

    fn statistics(&self) -> Statistics {
        let in_queues = self.queues.as_ref().map_or(0, |queues| OutputQueues::held(queues));
        self.statistics.of_any_machine(self.cycle, self.held() + in_queues, self.own_counters())
    }
}
