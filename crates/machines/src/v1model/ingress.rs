//! Ingress: packets enter, for the first time or again, and their destination is determined.

use arch::Instance;
use basis::Instant;
use node::{Outbox, Port, Reason};

use super::metadata::PacketProperties;
use super::reasons;
use super::switch::{Job, Switch};
use super::trace::Origin;
use super::traveller::Traveller;
use crate::blocks::Executor;
use crate::blocks::begins;

impl<E: Executor> Switch<E> {
    /// Processes a packet that arrives from outside.
    #[inline(always)]
    pub(super) fn arrive(&mut self, now: Instant, port: Port, arrived: wire::Packet, out: &mut Outbox) {
        let mut traveller = self.spare();
        if self.buffer.is_some() {
            traveller.way.code_point = queues::code_point(&arrived);
        }
        traveller.arrive(port, arrived);
        self.statistics.received += traveller.way.packets;
        if let Some(recorder) = &mut self.recorder {
            traveller.way.pass = recorder.arrive(now, port, traveller.way.sidecar.id, begins(&traveller.packet));
        }
        if u32::from(port.0) < self.layout.ports.usable {
            self.begin(&mut traveller, Instance::Normal);
            self.copies = 1;
            match self.layout.blocks.through {
                Some(_) => self.pass_through(now, traveller, out),
                None => self.ingress(now, traveller, out),
            }
            if !self.queue.is_empty() {
                self.work(now, out);
            }
        } else {
            self.discard(traveller, Reason::NO_SUCH_PORT, out);
        }
        if let Some(recorder) = &mut self.recorder {
            recorder.finish(self.executor.program(), &self.state);
        }
    }

    /// Sets the intrinsic metadata that the program sees in the parser.
    #[inline(always)]
    pub(super) fn begin(&self, traveller: &mut Traveller<E::Packet>, instance: Instance) {
        // Packets that are resubmitted or recirculated before a queue keep their time, because nothing takes time
        // there.
        self.assign_metadata(
            &self.layout.intrinsics.metadata.before_parser,
            traveller,
            PacketProperties { instance, ..PacketProperties::default() },
        );
    }

    /// Runs all stages on a packet, with a gate in place of the queue, and sends it on. A packet that does not pass the gate goes on
    /// as if it had gone through ingress alone. Nothing is in a queue when this is called.
    #[inline(always)]
    fn pass_through(&mut self, now: Instant, mut traveller: Box<Traveller<E::Packet>>, out: &mut Outbox) {
        let (error, passed, ran) =
            self.run_all(|blocks| blocks.through.as_ref().expect("asked for"), now, &mut traveller);
        self.count_error(error, &traveller);
        let Some(port) = passed else {
            if ran.is_ok() {
                traveller.way.block = self.layout.blocks.until_queue.last;
            }
            return self.after_ingress(now, traveller, ran, out);
        };
        self.count_tail(&traveller);
        self.forget_requests();
        match ran {
            // The gate has seen that the port is one of those of the switch.
            Ok(()) => {
                let leaving = self.transmit(traveller, port as u32);
                out.transmit(Port(port as u16), leaving);
            }
            Err(reason) => self.discard(traveller, reason, out),
        }
    }

    /// Runs parser and ingress on a packet and sends it on.
    #[inline(always)]
    pub(super) fn ingress(&mut self, now: Instant, mut traveller: Box<Traveller<E::Packet>>, out: &mut Outbox) {
        let ran = self.until_queue(now, &mut traveller);
        self.after_ingress(now, traveller, ran, out);
    }

    /// Sends a packet on that has gone through ingress. Nearly every packet goes straight from here to its port, so the code on
    /// that path is inlined here and all other code is in separate functions.
    #[inline(always)]
    fn after_ingress(
        &mut self,
        now: Instant,
        traveller: Box<Traveller<E::Packet>>,
        ran: Result<(), Reason>,
        out: &mut Outbox,
    ) {
        self.count_tail(&traveller);
        if !self.requests.is_empty() {
            return self.settle_asked(now, traveller, ran, out);
        }
        match ran {
            Ok(()) => self.settle(now, traveller, out),
            Err(reason) => self.discard(traveller, reason, out),
        }
    }

    /// Finishes ingress of a packet that made requests. As in `simple_switch.md`, "after-ingress pseudocode", clones
    /// are made first, and resubmission precedes multicast.
    #[inline(never)]
    fn settle_asked(
        &mut self,
        now: Instant,
        mut traveller: Box<Traveller<E::Packet>>,
        ran: Result<(), Reason>,
        out: &mut Outbox,
    ) {
        let asked = self.asked(&mut traveller, out);
        if let Err(reason) = ran {
            return self.discard(traveller, reason, out);
        }
        if let Some((session, keep)) = asked.clone {
            self.clone_of_ingress(now, &traveller, session, keep, out);
        }
        if asked.recirculate.is_some() {
            self.statistics.ignored_requests += 1;
            self.note(traveller.way.pass, |recorder| recorder.ignored("recirculate"));
        }
        match asked.resubmit {
            Some(keep) => self.resubmit(traveller, keep, out),
            None => self.settle(now, traveller, out),
        }
    }

    /// Determines the destination of a packet: multicast precedes dropping, and dropping precedes unicast.
    #[inline(always)]
    fn settle(&mut self, now: Instant, mut traveller: Box<Traveller<E::Packet>>, out: &mut Outbox) {
        let group = self.layout.intrinsics.group.get(&traveller.packet);
        if group != 0 {
            return self.multicast(traveller, group as u32, out);
        }
        if self.layout.intrinsics.drop(&traveller.packet) {
            return self.discard(traveller, Reason::PROGRAM, out);
        }
        let port = self.layout.intrinsics.destination.get(&traveller.packet);
        self.assign_metadata(
            &self.layout.intrinsics.metadata.after_ingress,
            &mut traveller,
            PacketProperties::default(),
        );
        self.pass_queue(now, traveller, port, out);
    }

    /// Starts a packet again as it was at the beginning of the parser, except for its instance type and the fields that
    /// it keeps (`v1model.p4`, `resubmit_preserving_field_list`).
    fn resubmit(&mut self, mut traveller: Box<Traveller<E::Packet>>, keep: Option<usize>, out: &mut Outbox) {
        if traveller.way.rounds >= self.parameters.rounds {
            return self.discard(traveller, reasons::RESUBMIT_LIMIT, out);
        }
        self.statistics.resubmissions += 1;
        let mut again = self.spare();
        again.begins_like(&traveller);
        self.keep(keep, &traveller.packet, &mut again.packet);
        self.give_back(std::mem::replace(&mut traveller, again));
        traveller.way.rounds += 1;
        self.fork(&mut traveller, Origin::Resubmitted);
        self.begin(&mut traveller, Instance::Resubmitted);
        self.queue.push_back(Job::Ingress(traveller));
    }
}
