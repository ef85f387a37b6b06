//! Egress: one copy of a packet on its way to one port.

use basis::Instant;
use node::{Outbox, Port, Reason};

use super::executor::Executor;
use super::switch::Switch;
use super::tell::Known;
use super::traveller::Traveller;

/// What a packet's wait was like.
pub(super) struct Waited {
    /// Since when it has waited.
    pub(super) since: Instant,
    /// How many packets still wait for its port.
    pub(super) left: u64,
}

impl<E: Executor> Switch<E> {
    /// A packet goes through egress and leaves at once, for its port takes packets as fast as they come: what waited were
    /// only copies of the same packet.
    pub(super) fn egress_at_once(
        &mut self,
        now: Instant,
        traveller: Box<Traveller<E::Packet>>,
        port: u32,
        out: &mut Outbox,
    ) {
        let waiting = &mut self.waiting[port as usize];
        *waiting -= 1;
        let waited = Waited { since: now, left: u64::from(*waiting) };
        if let Some(leaving) = self.egress(now, traveller, port, waited, out) {
            out.transmit(Port(port as u16), leaving);
        }
    }

    /// A packet comes out of the queue of a port, and goes through egress and on: what of it leaves by that port.
    pub(super) fn egress(
        &mut self,
        now: Instant,
        mut traveller: Box<Traveller<E::Packet>>,
        port: u32,
        waited: Waited,
        out: &mut Outbox,
    ) -> Option<wire::Packet> {
        self.leave_queue(&mut traveller, port, waited);
        let ran = self.run_stage(|blocks| &blocks.egress, now, &mut traveller);
        let asked = self.asked(&mut traveller, out);
        if let Err(reason) = ran {
            self.discard(traveller, reason, out);
            return None;
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
            self.discard(traveller, Reason::PROGRAM, out);
            return None;
        }
        if let Err(reason) = self.deparse(now, &mut traveller) {
            self.discard(traveller, reason, out);
            return None;
        }
        match asked.recirculate {
            Some(keep) => {
                self.recirculate(traveller, keep, out);
                None
            }
            None => Some(self.transmit(traveller, port)),
        }
    }

    /// What the switch tells the program before egress begins.
    fn leave_queue(&mut self, traveller: &mut Traveller<E::Packet>, port: u32, waited: Waited) {
        // Of two times in microseconds, so that it is what lies between the timestamps.
        let time = match waited.since == self.now {
            true => 0,
            false => self.now.microseconds() - waited.since.microseconds(),
        };
        let known = Known { port: port.into(), waiting: waited.left, waited: time, ..Known::default() };
        self.tell(&self.layout.intrinsics.told.before_egress, traveller, known);
    }
}
