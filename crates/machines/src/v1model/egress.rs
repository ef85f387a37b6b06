//! Egress: one copy of a packet on its way to one port.

use basis::Instant;
use node::{Outbox, Reason};

use super::executor::Executor;
use super::switch::Switch;
use super::tell::Known;
use super::traveller::Traveller;

impl<E: Executor> Switch<E> {
    /// A packet comes out of the queue of a port, and goes through egress and on.
    pub(super) fn egress(
        &mut self,
        now: Instant,
        mut traveller: Box<Traveller<E::Packet>>,
        port: u32,
        out: &mut Outbox,
    ) {
        self.leave_queue(&mut traveller, port);
        let ran = self.run_stage(|blocks| &blocks.egress, now, &mut traveller);
        let asked = self.asked(&mut traveller, out);
        if let Err(reason) = ran {
            return self.discard(traveller, reason, out);
        }
        // The order of `simple_switch.md`, "after-egress pseudocode".
        if asked.resubmit.is_some() {
            self.statistics.ignored_requests += 1;
            self.note(traveller.way.pass, |recorder| recorder.ignored("resubmit"));
        }
        if let Some((session, keep)) = asked.clone {
            self.clone_of_egress(&traveller, session, keep, out);
        }
        if self.layout.intrinsics.drop(&traveller.packet) {
            return self.discard(traveller, Reason::PROGRAM, out);
        }
        if let Err(reason) = self.deparse(now, &mut traveller) {
            return self.discard(traveller, reason, out);
        }
        match asked.recirculate {
            Some(keep) => self.recirculate(traveller, keep, out),
            None => self.transmit(traveller, port, out),
        }
    }

    /// What the switch tells the program before egress begins.
    fn leave_queue(&mut self, traveller: &mut Traveller<E::Packet>, port: u32) {
        let waiting = &mut self.waiting[port as usize];
        *waiting -= 1;
        let waiting = u64::from(*waiting);
        // Ports take packets as fast as they come: nothing waits but for copies of the same packet.
        let known = Known { port: port.into(), waiting, waited: 0, ..Known::default() };
        self.tell(&self.layout.intrinsics.told.before_egress, traveller, known);
    }
}
