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
    #[inline(always)]
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
    #[inline(always)]
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
        if !self.requests.is_empty() {
            return self.leave_asked(now, traveller, port, ran, out);
        }
        match self.finish_egress(now, &mut traveller, ran) {
            Ok(()) => Some(self.transmit(traveller, port)),
            Err(reason) => {
                self.discard(traveller, reason, out);
                None
            }
        }
    }

    /// The end of egress for a packet that asked for something. The order of `simple_switch.md`, "after-egress pseudocode":
    /// clones before dropping, dropping before recirculation.
    #[inline(never)]
    fn leave_asked(
        &mut self,
        now: Instant,
        mut traveller: Box<Traveller<E::Packet>>,
        port: u32,
        ran: Result<(), Reason>,
        out: &mut Outbox,
    ) -> Option<wire::Packet> {
        let asked = self.asked(&mut traveller, out);
        if ran.is_ok() && asked.resubmit.is_some() {
            self.statistics.ignored_requests += 1;
            self.note(traveller.way.pass, |recorder| recorder.ignored("resubmit"));
        }
        if let (Ok(()), Some((session, keep))) = (ran, asked.clone) {
            self.clone_of_egress(&traveller, session, keep, out);
        }
        match (self.finish_egress(now, &mut traveller, ran), asked.recirculate) {
            (Err(reason), _) => self.discard(traveller, reason, out),
            (Ok(()), Some(keep)) => self.recirculate(traveller, keep, out),
            (Ok(()), None) => return Some(self.transmit(traveller, port)),
        }
        None
    }

    /// The packet's headers become bytes, unless egress failed or the program drops it.
    #[inline(always)]
    fn finish_egress(
        &mut self,
        now: Instant,
        traveller: &mut Traveller<E::Packet>,
        ran: Result<(), Reason>,
    ) -> Result<(), Reason> {
        ran?;
        match self.layout.intrinsics.drop(&traveller.packet) {
            true => Err(Reason::PROGRAM),
            false => self.deparse(now, traveller),
        }
    }

    /// What the switch tells the program before egress begins.
    #[inline(always)]
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
