//! What a worker wants summed.

use basis::Instant;
use basis::snapshot::Snapshot;
use node::{NotBegun, Outbox};

use super::{Outcome, Tensor};

/// The part of a job that one worker does: it says which tensors to begin when, and is told what comes out. It is a state
/// machine without a clock, which may emit events and asks for nothing else in the outbox.
pub trait Job: Send + Snapshot {
    /// Returns the time at which the job next wants to be woken; `None` if it waits only for outcomes, or for nothing.
    fn deadline(&self) -> Option<Instant>;

    /// Handles the deadline having passed, and appends the tensors to begin.
    fn wake(&mut self, now: Instant, begin: &mut Vec<Tensor>, out: &mut Outbox);

    /// Handles something that has come out, and appends the tensors to begin.
    fn outcome(&mut self, now: Instant, outcome: Outcome<'_>, begin: &mut Vec<Tensor>, out: &mut Outbox);

    /// Handles the worker having been started again after it failed, and appends the tensors to begin, from the first.
    fn restarted(&mut self, now: Instant, begin: &mut Vec<Tensor>, out: &mut Outbox);

    /// Reports the tensors that the job has not begun, each with the reason.
    fn not_begun(&self, tell: &mut dyn FnMut(NotBegun));
}
