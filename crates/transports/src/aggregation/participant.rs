//! What a host runs beside its transport to take part in a job.

use std::collections::VecDeque;
use std::sync::Arc;

use basis::Instant;
use node::{Counter, NotBegun, Outbox, Reason, UnfinishedWork};
use serde::{Deserialize, Serialize};
use wire::Packet;

use super::{Collective, Job, Member, Outcomes, Setup, Tensor};
use crate::{Endpoint, reasons};

/// A protocol that a host runs beside its transport, with packets of its own.
pub trait Participant: Endpoint<Outbox> {
    /// Reports what the participant would begin on its own and has not begun.
    fn not_begun(&self, tell: &mut dyn FnMut(NotBegun)) {
        let _ = tell;
    }
}

/// A change to a participant at a time that is known beforehand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Change {
    /// Others take part from now on.
    SetUp(Arc<Setup>),
    /// The process fails: it sends nothing, and packets to it are discarded.
    Fail,
    /// The process leaves for good, because another one takes its place or the job is taken away. Nobody misses what it has
    /// not done.
    Leave,
    /// The process that failed is started again, with nothing that it knew.
    Start,
}

/// The changes to a participant, in the order of their times.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Timetable {
    changes: VecDeque<(Instant, Change)>,
    has_failed: bool,
    has_left: bool,
}

impl Timetable {
    /// The timetable of these changes. Those of one time happen in their order here.
    pub fn new(changes: impl IntoIterator<Item = (Instant, Change)>) -> Self {
        let mut changes: Vec<(Instant, Change)> = changes.into_iter().collect();
        changes.sort_by_key(|(at, _)| *at);
        Self { changes: changes.into(), has_failed: false, has_left: false }
    }

    /// Returns the timetable of a participant that is only there once it is started.
    #[must_use]
    pub fn absent(self) -> Self {
        Self { has_failed: true, ..self }
    }

    fn next(&self) -> Option<Instant> {
        self.changes.front().map(|(at, _)| *at)
    }

    /// Carries out the changes that are due. Returns true if the process was started again.
    fn carry_out(&mut self, now: Instant, member: &mut (impl Member + ?Sized)) -> bool {
        let mut is_started = false;
        while self.next().is_some_and(|at| at <= now)
            && let Some((_, change)) = self.changes.pop_front()
        {
            match change {
                Change::SetUp(setup) => member.set_up(now, setup),
                Change::Fail => self.has_failed = true,
                Change::Leave => (self.has_failed, self.has_left) = (true, true),
                Change::Start => {
                    (self.has_failed, self.has_left) = (false, false);
                    member.restart(now);
                    is_started = true;
                }
            }
        }
        is_started
    }

    /// Returns the earlier of the next change and, unless the process has failed, its own deadline.
    fn deadline(&self, own: Option<Instant>) -> Option<Instant> {
        own.filter(|_| !self.has_failed).into_iter().chain(self.next()).min()
    }

    fn failed(&self) -> Vec<UnfinishedWork> {
        if self.has_left {
            return Vec::new();
        }
        let why = match self.next() {
            Some(at) => format!("its process has failed, and the next change to it comes at {at}"),
            None => "its process has failed, and nobody starts it again".to_owned(),
        };
        vec![UnfinishedWork { what: "a process that takes part in a job".to_owned(), why }]
    }
}

/// A worker: a job above a collective.
pub struct Worker<C: ?Sized = dyn Collective> {
    timetable: Timetable,
    job: Box<dyn Job>,
    collective: Box<C>,
    /// Scratch memory, reused between calls.
    outcomes: Outcomes,
    begin: Vec<Tensor>,
}

impl<C: Collective + ?Sized> Worker<C> {
    /// Creates a worker that has begun nothing.
    pub fn new(job: Box<dyn Job>, collective: Box<C>, timetable: Timetable) -> Self {
        Self { timetable, job, collective, outcomes: Outcomes::default(), begin: Vec::new() }
    }

    /// Tells the job what has come out, and begins what it wants, until neither has anything.
    fn pass_on(&mut self, now: Instant, out: &mut Outbox) {
        loop {
            let Self { job, outcomes, begin, .. } = self;
            outcomes.drain(|outcome| job.outcome(now, outcome, begin, out));
            if self.begin.is_empty() {
                return;
            }
            for tensor in self.begin.drain(..) {
                self.collective.begin(now, tensor);
            }
        }
    }
}

impl<C: Collective + ?Sized> Endpoint<Outbox> for Worker<C> {
    fn accepts(&self, packet: &Packet) -> bool {
        self.collective.accepts(packet)
    }

    fn receive(&mut self, now: Instant, packet: Packet, out: &mut Outbox) -> Result<(), (Packet, Reason)> {
        if self.timetable.has_failed {
            return Err((packet, reasons::UNEXPECTED));
        }
        self.collective.receive(now, packet, &mut self.outcomes)?;
        self.pass_on(now, out);
        Ok(())
    }

    fn wake(&mut self, now: Instant, out: &mut Outbox) {
        if self.timetable.carry_out(now, &mut *self.collective) {
            self.job.restarted(now, &mut self.begin, out);
        }
        if self.timetable.has_failed {
            return;
        }
        let is_due = |deadline: Option<Instant>| deadline.is_some_and(|deadline| deadline <= now);
        if is_due(self.collective.deadline()) {
            self.collective.wake(now, &mut self.outcomes);
        }
        if is_due(self.job.deadline()) {
            self.job.wake(now, &mut self.begin, out);
        }
        self.pass_on(now, out);
    }

    fn transmit(&mut self, now: Instant) -> Option<Packet> {
        if self.timetable.has_failed { None } else { self.collective.transmit(now) }
    }

    fn transmit_while_paused(&mut self, now: Instant) -> Option<Packet> {
        if self.timetable.has_failed { None } else { self.collective.transmit_while_paused(now) }
    }

    fn is_ready(&self, at: Instant) -> bool {
        !self.timetable.has_failed && self.collective.is_ready(at)
    }

    fn deadline(&self) -> Option<Instant> {
        self.timetable.deadline(self.collective.deadline().into_iter().chain(self.job.deadline()).min())
    }

    fn waiting(&self, now: Instant) -> Vec<UnfinishedWork> {
        if self.timetable.has_failed { self.timetable.failed() } else { self.collective.waiting(now) }
    }

    fn counters(&self, tell: &mut dyn FnMut(Counter)) {
        self.collective.counters(tell);
    }
}

impl<C: Collective + ?Sized> Participant for Worker<C> {
    fn not_begun(&self, tell: &mut dyn FnMut(NotBegun)) {
        if !self.timetable.has_left {
            self.job.not_begun(tell);
        }
    }
}

basis::snapshot!([C: Collective + ?Sized] Worker<C> { values timetable; parts job, collective; });

/// A server of a job, which adds up what switches have not, and wants nothing itself.
pub struct Server<M: ?Sized = dyn Member> {
    timetable: Timetable,
    member: Box<M>,
    /// Scratch memory; servers report nothing.
    outcomes: Outcomes,
}

impl<M: Member + ?Sized> Server<M> {
    /// Creates a server.
    pub fn new(member: Box<M>, timetable: Timetable) -> Self {
        Self { timetable, member, outcomes: Outcomes::default() }
    }
}

impl<M: Member + ?Sized> Endpoint<Outbox> for Server<M> {
    fn accepts(&self, packet: &Packet) -> bool {
        self.member.accepts(packet)
    }

    fn receive(&mut self, now: Instant, packet: Packet, _out: &mut Outbox) -> Result<(), (Packet, Reason)> {
        if self.timetable.has_failed {
            return Err((packet, reasons::UNEXPECTED));
        }
        self.member.receive(now, packet, &mut self.outcomes)
    }

    fn wake(&mut self, now: Instant, _out: &mut Outbox) {
        self.timetable.carry_out(now, &mut *self.member);
        if !self.timetable.has_failed && self.member.deadline().is_some_and(|deadline| deadline <= now) {
            self.member.wake(now, &mut self.outcomes);
        }
    }

    fn transmit(&mut self, now: Instant) -> Option<Packet> {
        if self.timetable.has_failed { None } else { self.member.transmit(now) }
    }

    fn transmit_while_paused(&mut self, now: Instant) -> Option<Packet> {
        if self.timetable.has_failed { None } else { self.member.transmit_while_paused(now) }
    }

    fn is_ready(&self, at: Instant) -> bool {
        !self.timetable.has_failed && self.member.is_ready(at)
    }

    fn deadline(&self) -> Option<Instant> {
        self.timetable.deadline(self.member.deadline())
    }

    fn waiting(&self, now: Instant) -> Vec<UnfinishedWork> {
        if self.timetable.has_failed { self.timetable.failed() } else { self.member.waiting(now) }
    }

    fn counters(&self, tell: &mut dyn FnMut(Counter)) {
        self.member.counters(tell);
    }
}

impl<M: Member + ?Sized> Participant for Server<M> {}

basis::snapshot!([M: Member + ?Sized] Server<M> { values timetable; parts member; });
