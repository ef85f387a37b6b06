//! Egress: one copy of a packet on its way to one port.

use basis::Instant;
use node::{Outbox, Reason};

use super::executor::Executor;
use super::switch::Switch;
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
        let ran = self.run("egress", self.layout.blocks.egress, now, &mut traveller);
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
        if self.layout.intrinsics.egress_spec.get(&traveller.packet) == self.layout.drop_port {
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
        if self.layout.tells_length {
            let grown = self.layout.header_bits(&traveller.packet) / 8;
            // Longer or shorter by the headers that ingress made valid or invalid.
            let length = (traveller.way.length + grown).saturating_sub(traveller.way.header_bits / 8);
            self.layout.intrinsics.packet_length.set(&mut traveller.packet, length);
        }
        let intrinsics = &self.layout.intrinsics;
        let packet = &mut traveller.packet;
        intrinsics.egress_global_timestamp.set(packet, self.now.microseconds());
        // Ports take packets as fast as they come: nothing waits but for copies of the same packet.
        intrinsics.deq_timedelta.set(packet, 0);
        intrinsics.deq_qdepth.set(packet, waiting);
        intrinsics.egress_port.set(packet, port.into());
        // Any value but the drop port (`simple_switch.md`); the next one, which is 0 after 511.
        intrinsics.egress_spec.set(packet, self.layout.drop_port.wrapping_add(1));
    }
}
