//! The end of a packet's way: deparsing, transmission, recirculation or discarding.

use arch::Instance;
use basis::Instant;
use node::{Outbox, Reason};
use wire::Tail;

use super::switch::{Job, Switch};
use super::trace::Origin;
use super::traveller::{Traveller, Way};
use crate::blocks::Executor;
use crate::blocks::Frame;

impl<E: Executor> Switch<E> {
    /// Runs the deparser, which turns headers into bytes.
    #[inline(always)]
    pub(super) fn deparse(&mut self, now: Instant, traveller: &mut Traveller<E::Packet>) -> Result<(), Reason> {
        self.run_stage(|blocks| &blocks.deparser, now, traveller)?;
        self.forget_requests();
        Ok(())
    }

    /// Removes the requests of the deparser, which may not make any. Even clearing an empty list has a cost.
    #[inline(always)]
    pub(super) fn forget_requests(&mut self) {
        if !self.requests.is_empty() {
            self.requests.clear();
        }
    }

    /// Turns the packet into the one that leaves.
    #[inline(always)]
    pub(super) fn transmit(&mut self, mut traveller: Box<Traveller<E::Packet>>, port: u32) -> wire::Packet {
        self.statistics.transmitted += traveller.way.packets;
        let leaving = traveller.leaving();
        self.note(traveller.way.pass, |recorder| recorder.transmitted(port, leaving.head.bytes(), leaving.len()));
        self.give_back(traveller);
        leaving
    }

    /// Starts the packet again with the parser, as the deparser emitted it (`v1model.p4`,
    /// `recirculate_preserving_field_list`). It is not truncated, because it does not leave.
    pub(super) fn recirculate(
        &mut self,
        mut traveller: Box<Traveller<E::Packet>>,
        keep: Option<usize>,
        out: &mut Outbox,
    ) {
        if traveller.way.rounds >= self.parameters.rounds {
            return self.discard(traveller, crate::reasons::RECIRCULATION_LIMIT, out);
        }
        self.statistics.recirculations += 1;
        let mut again = self.spare();
        again.begins_as_left(&traveller);
        self.keep(keep, &traveller.packet, &mut again.packet);
        self.give_back(std::mem::replace(&mut traveller, again));
        traveller.way.rounds += 1;
        self.fork(&mut traveller, Origin::Recirculated);
        self.begin(&mut traveller, Instance::Recirculated);
        self.queue.push_back(Job::Ingress(traveller));
    }

    /// Discards the packet.
    #[inline(never)]
    pub(super) fn discard(&mut self, mut traveller: Box<Traveller<E::Packet>>, reason: Reason, out: &mut Outbox) {
        let packets = traveller.way.packets;
        self.statistics.discarded.add_many(reason, packets);
        self.statistics.discarded_in.add_many((reason, traveller.way.block), packets);
        let ports = self.layout.ports.usable;
        self.note(traveller.way.pass, |recorder| {
            let detail =
                (reason == Reason::NO_SUCH_PORT).then(|| format!("ports are 0 to {}", ports.saturating_sub(1)));
            recorder.discarded(reason, detail);
        });
        self.requests.clear();
        out.discard(traveller.arrived(), reason);
        self.give_back(traveller);
    }

    /// Counts a round in which the program read a tail that is only a length.
    #[inline(always)]
    pub(super) fn count_tail(&mut self, traveller: &Traveller<E::Packet>) {
        if matches!(traveller.way.tail, Tail::Length(1..)) {
            let was_read = traveller.tail_was_parsed() || self.layout.reads_payload;
            self.statistics.tail_reads += u64::from(was_read);
        }
    }

    /// Returns a packet without bytes whose variables are all 0.
    #[inline(always)]
    pub(super) fn spare(&mut self) -> Box<Traveller<E::Packet>> {
        let Some(mut traveller) = self.spare.take().or_else(|| self.spares.pop()) else {
            return Box::new(Traveller { packet: self.executor.packet(), way: Way::default() });
        };
        traveller.packet.clear();
        traveller
    }

    /// Keeps the memory of a finished packet for reuse.
    #[inline(always)]
    pub(super) fn give_back(&mut self, mut traveller: Box<Traveller<E::Packet>>) {
        // More are needed only when a packet becomes many copies.
        const KEPT: usize = 64;
        traveller.forget();
        if let Some(other) = self.spare.replace(traveller)
            && self.spares.len() < KEPT
        {
            self.spares.push(other);
        }
    }
}
