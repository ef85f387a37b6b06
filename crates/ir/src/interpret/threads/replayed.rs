//! A thread that runs again as a machine says that it ran.

use basis::Instant;
use runtime::ProgramState;

use super::{Bytes, Instructions, Output, Request, Step, Thread, ThreadEnding, Ticket, Touched};
use crate::interpret::Unobserved;

/// A thread that a machine has run, and that runs again in the machine's order: when its transactions took effect among those of
/// other threads, and when replies reached it. What it does in between is its own.
#[derive(Debug)]
pub struct ReplayedThread {
    thread: Thread,
    /// The replies to transactions that have taken effect, as long as they have not reached the thread.
    replies: Vec<(Ticket, Bytes)>,
}

impl ReplayedThread {
    /// Begins with a thread that has not been stepped.
    pub fn new(thread: Thread) -> Self {
        Self { thread, replies: Vec::new() }
    }

    /// Returns the thread.
    pub fn thread(&self) -> &Thread {
        &self.thread
    }

    /// Steps the thread until it has asked for a transaction, and lets that take effect; its reply stays on the way. What the
    /// transaction asks of the machine is appended to `outputs`. Returns false if it cannot take effect then: the thread waits or
    /// ends before it, or it has taken effect, or an earlier one that touches the same has not.
    pub fn take<I: Instructions + ?Sized>(
        &mut self,
        code: &I,
        state: &mut ProgramState,
        ticket: Ticket,
        now: Instant,
        outputs: &mut Vec<Output>,
    ) -> bool {
        while self.thread.asked() <= ticket.0 {
            if let Step::Waits | Step::Ended(_) = self.thread.step(code, &mut Unobserved) {
                return false;
            }
        }
        let Some(request) = self.may_take(ticket) else { return false };
        let reply = code.declarations().apply(state, now, &request, self.thread.packets_mut(), outputs);
        self.replies.push((ticket, reply));
        true
    }

    /// Returns the request of a transaction that may take effect now.
    fn may_take(&self, ticket: Ticket) -> Option<Request> {
        let has_taken = |ticket: Ticket| self.replies.iter().any(|(own, _)| *own == ticket);
        let request = *self.thread.request(ticket).filter(|_| !has_taken(ticket))?;
        // Of two that touch the same, the one that was asked for first takes effect first.
        let touched = request.touches();
        let mut earlier = self.thread.pending().filter(|(own, _)| *own < ticket && !has_taken(*own));
        let is_late = earlier.any(|(_, other)| touched != Touched::Nothing && other.touches() == touched);
        (!is_late).then_some(request)
    }

    /// Gives the thread the reply to a transaction that has taken effect, after it has executed so many instructions. Returns
    /// false if it cannot reach it then: the thread waits or ends before, or there is no such reply.
    pub fn reply<I: Instructions + ?Sized>(&mut self, code: &I, ticket: Ticket, executed: u64) -> bool {
        while self.thread.executed() < executed {
            match self.thread.step(code, &mut Unobserved) {
                Step::Waits => return false,
                // The last instruction of a thread may come before the replies to its last transactions.
                Step::Ended(_) if self.thread.executed() < executed => return false,
                _ => (),
            }
        }
        let Some(place) = self.replies.iter().position(|(own, _)| *own == ticket) else { return false };
        let (_, reply) = self.replies.remove(place);
        self.thread.answer(code, ticket, &reply, &mut Unobserved);
        true
    }

    /// Executes the instructions that see no further reply: until the thread asks for a transaction, or ends. Returns how it
    /// ended, if it did and no reply is on the way.
    pub fn go_on<I: Instructions + ?Sized>(&mut self, code: &I) -> Option<ThreadEnding> {
        while self.thread.pending().next().is_none() {
            if let Step::Ended(ending) = self.thread.step(code, &mut Unobserved) {
                return Some(ending);
            }
        }
        None
    }
}
