//! What happens between the parts of the chip: packets wait for their cycle, and are on their way for a while.

use std::ops::Range;

use basis::{Duration, Instant};
use node::{Outbox, Port, Reason};

use super::item::Side;
use super::ports::{pipe_of, recirculates};
use super::reasons;
use super::settings::LatencySettings;
use super::switch::{Arrival, Job, Tofino};
use super::timing::Part;
use crate::blocks::Executor;
use crate::trace::Origin;

/// A packet that has passed egress and is about to be put on the link of its port.
#[derive(Clone, Copy, Debug)]
pub(super) struct Departing {
    pub(super) side: Side,
    /// The time for which egress took packets of other ports first. The rest of the cycle that was under way when the packet
    /// came does not count: the port has a packet ready by then, or no link would carry its rate.
    pub(super) waited: Duration,
}

impl<E: Executor> Tofino<E> {
    /// Does a job at a time. A time that has passed comes behind earlier ones that a late call has not come to yet, or packets on
    /// one way would overtake each other.
    pub(super) fn plan(&mut self, at: Instant, job: Job) {
        let is_next = at <= self.now && self.next_of_packets().is_none_or(|other| at <= other);
        if is_next { self.jobs.push_back(job) } else { self.agenda.add(at, job) }
    }

    /// Gives a packet that comes to ingress a cycle of its pipe; fails if too many wait for one. Returns the time of the
    /// cycle, and notes when the packet will have passed the deparser.
    pub(super) fn enter_ingress(&mut self, now: Instant, port: u16) -> Result<Instant, Reason> {
        let (pipe, Some(timing)) = (pipe_of(port), &mut self.timing) else {
            self.passed = now;
            return Ok(now);
        };
        if timing.backlog(now, pipe, Part::Ingress) >= timing.latencies.ingress_buffer {
            return Err(reasons::INGRESS_FULL);
        }
        let taken = timing.take(now, pipe, Part::Ingress);
        self.passed = taken + timing.latencies.of_ingress();
        Ok(taken)
    }

    /// Gives a packet that has left its queue a cycle of its pipe in egress. Returns the time of the cycle, and for how long
    /// the packet waited for others; and notes when it will have passed the deparser.
    pub(super) fn enter_egress(&mut self, now: Instant, port: u16) -> (Instant, Duration) {
        let Some(timing) = &mut self.timing else {
            self.passed = now;
            return (now, Duration::ZERO);
        };
        let next = timing.next_cycle(now);
        let taken = timing.take(now, pipe_of(port), Part::Egress);
        self.passed = taken + timing.latencies.of_egress();
        (taken, taken.since(next))
    }

    /// Returns the time at which a packet that has passed a deparser reaches its queue.
    pub(super) fn reaches_queue(&self) -> Instant {
        let on_the_way = self.timing.as_ref().map_or(Duration::ZERO, |timing| timing.latencies.traffic_manager);
        self.passed + on_the_way
    }

    /// Puts a packet that has passed egress on the link of its port, which it occupies for a time, or begins again with it
    /// if the port recirculates.
    pub(super) fn emit(
        &mut self,
        packet: wire::Packet,
        port: u16,
        side: Side,
        occupies: Range<Instant>,
        out: &mut Outbox,
    ) {
        let latencies = self.timing.as_ref().map(|timing| &timing.latencies);
        let in_egress = latencies.map_or(Duration::ZERO, LatencySettings::of_egress);
        if recirculates(port) {
            let on_the_way = latencies.map_or(Duration::ZERO, |latencies| latencies.recirculation);
            self.statistics.recirculations += 1;
            let back = occupies.end + in_egress + on_the_way;
            self.look_for_patterns(back, port, &packet);
            let pass = self.fork(side.pass, Origin::Recirculated, &packet);
            let rounds = side.rounds.saturating_add(1);
            let arrival = Arrival { packet, port, rounds, resubmitted: None, pass };
            return self.plan(back, Job::Ingress(arrival));
        }
        self.statistics.transmitted += 1;
        let length = packet.len();
        self.note(side.pass, |recorder| recorder.transmitted(port.into(), packet.head.bytes(), length));
        out.transmit_at(self.node_port(port), packet, (occupies.start + in_egress).max(self.called));
    }

    /// Does what is due: packets that have reached the next part, and links that have become free. A call that comes late does
    /// each at its own time, so that meters and registers see what they would have seen.
    pub(super) fn catch_up(&mut self, now: Instant, out: &mut Outbox) {
        loop {
            self.work(self.now, out);
            // What ghost threads hear comes before packets that reach the stage at the same time.
            if self.updates.next().is_some_and(|at| at <= now && self.next_of_packets().is_none_or(|other| at <= other))
            {
                self.run_next_ghost(now);
                continue;
            }
            let ready = self.calls.next().filter(|at| *at <= now);
            if ready.is_some_and(|at| self.agenda.next().is_none_or(|other| at <= other)) {
                if let Some((at, place)) = self.calls.due(now) {
                    (self.now, self.copies) = (self.now.max(at), 0);
                    let now = self.now;
                    self.with_queues(|queues, chip| queues.ready(now, place, chip, out));
                }
            } else if let Some((at, job)) = self.agenda.due(now) {
                (self.now, self.copies) = (self.now.max(at), 0);
                self.jobs.push_back(job);
            } else {
                self.now = now;
                return;
            }
        }
    }

    /// Returns the time at which [`Tofino::catch_up`] must be called, if at all.
    pub(super) fn next_due(&self) -> Option<Instant> {
        self.updates.next().into_iter().chain(self.next_of_packets()).min()
    }

    /// Returns the next time at which a packet has reached a part, or the link of a port is free.
    fn next_of_packets(&self) -> Option<Instant> {
        self.agenda.next().into_iter().chain(self.calls.next()).min()
    }

    /// Asks for a call when the link of a port is free: the port itself knows no time.
    pub(super) fn call_at(&mut self, place: Port, at: Instant, out: &mut Outbox) {
        let port = self.queue_ports.number(place);
        // Nothing outside knows ports that recirculate.
        if recirculates(port) { self.calls.add(at, place) } else { out.ready_at(self.node_port(port), at) }
    }
}
