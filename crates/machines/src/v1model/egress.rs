//! Egress: the processing of one copy of a packet for one port.

use basis::Instant;
use node::{Outbox, Port, Reason};

use super::metadata::PacketProperties;
use super::switch::Switch;
use super::traveller::Traveller;
use crate::blocks::Executor;

/// The wait of a packet in a queue.
pub(super) struct Waited {
    /// The time since which it has waited.
    pub(super) since: Instant,
    /// The number of packets that still wait for its port.
    pub(super) left: u64,
}

impl<E: Executor> Switch<E> {
    /// Runs egress and transmits the packet at once, for ports without links of their own, where only copies of the
    /// same packet ever wait.
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

    /// Runs egress and deparser on a packet that comes out of a queue, and returns the packet that leaves by the port,
    /// if any.
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

    /// Finishes egress of a packet that made requests. As in `simple_switch.md`, "after-egress pseudocode", clones are
    /// made before the packet is dropped, and dropping precedes recirculation.
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

    /// Deparses the packet, unless egress failed or the program drops it.
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

    /// Sets the intrinsic metadata that the program sees in egress.
    #[inline(always)]
    fn leave_queue(&mut self, traveller: &mut Traveller<E::Packet>, port: u32, waited: Waited) {
        // Both times are rounded to microseconds first, so that the result is the difference of the timestamps.
        let time = match waited.since == self.now {
            true => 0,
            false => self.now.microseconds() - waited.since.microseconds(),
        };
        let known =
            PacketProperties { port: port.into(), waiting: waited.left, waited: time, ..PacketProperties::default() };
        self.assign_metadata(&self.layout.intrinsics.metadata.before_egress, traveller, known);
    }
}
