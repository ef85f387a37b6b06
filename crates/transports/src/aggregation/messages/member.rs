//! The application of a host that takes part in a job over messages.

use basis::Instant;
use demand::{Application, Arrived, Message, Wanted};
use measure::Interest;
use node::{NotBegun, Outbox, UnfinishedWork};

use super::MessageScheme;
use crate::aggregation::{Job, Outcomes, Tensor};
use crate::jobs::TensorEvent;

/// A job above a scheme that carries its sums as messages, or such a scheme without a job at a server.
pub struct MessageMember {
    job: Option<Box<dyn Job>>,
    scheme: Box<dyn MessageScheme>,
    /// The events that the job has emitted and the host has not taken.
    events: Outbox,
    /// Scratch memory, reused between calls.
    outcomes: Outcomes,
    begin: Vec<Tensor>,
}

impl MessageMember {
    /// Creates a member that has begun nothing. A host that is only a server has no job.
    pub fn new(job: Option<Box<dyn Job>>, scheme: Box<dyn MessageScheme>) -> Self {
        let events = Outbox::new(Interest::of::<TensorEvent>());
        Self { job, scheme, events, outcomes: Outcomes::default(), begin: Vec::new() }
    }

    /// Tells the job what has come out, and begins what it wants, until neither has anything.
    fn pass_on(&mut self, now: Instant, wanted: &mut Vec<Wanted>) {
        loop {
            let Self { job, outcomes, begin, events, .. } = self;
            outcomes.drain(|outcome| {
                if let Some(job) = job {
                    job.outcome(now, outcome, begin, events);
                }
            });
            if self.begin.is_empty() {
                return;
            }
            for tensor in self.begin.drain(..) {
                self.scheme.begin(tensor, wanted, &mut self.outcomes);
            }
        }
    }
}

impl Application for MessageMember {
    fn deadline(&self) -> Option<Instant> {
        self.job.as_ref()?.deadline()
    }

    fn wake(&mut self, now: Instant, wanted: &mut Vec<Wanted>) {
        if let Some(job) = &mut self.job {
            job.wake(now, &mut self.begin, &mut self.events);
        }
        self.pass_on(now, wanted);
    }

    fn arrived(&mut self, now: Instant, message: Arrived, wanted: &mut Vec<Wanted>) {
        self.scheme.arrived(&message, wanted, &mut self.outcomes);
        self.pass_on(now, wanted);
    }

    fn finished(&mut self, _now: Instant, _message: Message, _wanted: &mut Vec<Wanted>) {}

    fn remaining(&self) -> Option<u64> {
        let mut count = 0;
        self.not_begun(&mut |waiting| count += waiting.count);
        Some(count)
    }

    fn not_begun(&self, tell: &mut dyn FnMut(NotBegun)) {
        if let Some(job) = &self.job {
            job.not_begun(tell);
        }
    }

    fn waiting(&self, now: Instant) -> Vec<UnfinishedWork> {
        self.scheme.waiting(now)
    }

    fn report(&mut self, out: &mut Outbox) {
        out.events.append(&mut self.events.events);
    }
}

basis::snapshot!(MessageMember { parts job, scheme; });
