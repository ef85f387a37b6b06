//! The switch as a device.

use std::borrow::Cow;
use std::sync::Arc;

use basis::Instant;
use control::{Info, Request, Response};
use measure::Counts;
use node::{Burst, Control, Node, Outbox, Port, Reason};
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
        burst.iter().take(AHEAD).for_each(wire::Packet::prefetch);
        let mut packets = burst.drain(..);
        while let Some(packet) = packets.next() {
            packets.as_slice().iter().skip(AHEAD - 1).take(1).for_each(wire::Packet::prefetch);
            self.arrive(now, port, packet, out);
        }
    }

    /// Never asked for.
    fn wake(&mut self, _now: Instant, _out: &mut Outbox) {}

    /// Nothing can be asked of it this way: tables and groups are the business of [`Device::execute`], a link that is
    /// down that of whoever drains its ports.
    fn control(&mut self, _now: Instant, _request: Control, _out: &mut Outbox) {}
}

impl<E: Executor> Device for Switch<E> {
    fn info(&self) -> &Arc<Info> {
        self.plane.info()
    }

    fn ports(&self) -> Option<u32> {
        Some(self.layout.ports.usable)
    }

    fn execute(&mut self, request: &Request) -> Result<Response, control::Error> {
        let (state, replication, digests) = (&mut self.state, &mut self.replication, &mut self.digests);
        self.plane.execute(request, &mut control::Device { state, replication, digests })
    }

    fn state(&self) -> Cow<'_, State> {
        Cow::Borrowed(&self.state)
    }

    fn statistics(&self) -> Statistics {
        self.statistics.of_any_machine()
    }

    fn drops(&self) -> Counts<(Reason, &'static str)> {
        self.statistics.discarded_in.clone()
    }

    fn observe(&mut self) -> Result<(), Unsuitable> {
        let mut unsuitable = Unsuitable::default();
        unsuitable.unless(self.executor.observes(), || {
            "what runs the program tells nobody what happens, so that there is nothing to record".into()
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
