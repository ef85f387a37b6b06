//! Threads that run in a given order.

use basis::Instant;
use runtime::ProgramState;

use super::{Instructions, Output, Step, Thread, ThreadCode, ThreadEnding, Ticket};
use crate::interpret::{Observer, Unobserved};

/// Threads of one program over one state, which go on as they are told: one instruction or one transaction at a time.
#[derive(Debug)]
pub struct Interleaving<'c, I = ThreadCode> {
    code: &'c I,
    /// The state that the threads share.
    pub state: ProgramState,
    threads: Vec<Thread>,
    /// What the threads' transactions have asked of the machine, with the numbers of the threads.
    pub outputs: Vec<(usize, Output)>,
    scratch: Vec<Output>,
}

impl<'c, I: Instructions> Interleaving<'c, I> {
    /// Starts without threads.
    pub fn new(code: &'c I, state: ProgramState) -> Self {
        Self { code, state, threads: Vec::new(), outputs: Vec::new(), scratch: Vec::new() }
    }

    /// Adds a thread, which has not been stepped, and returns its number.
    pub fn add(&mut self, thread: Thread) -> usize {
        self.threads.push(thread);
        self.threads.len() - 1
    }

    /// Returns the threads, by number.
    pub fn threads(&self) -> &[Thread] {
        &self.threads
    }

    /// Executes the next instruction of a thread, if it does not wait.
    ///
    /// # Panics
    /// If there is no such thread.
    pub fn step(&mut self, thread: usize, observer: &mut dyn Observer) -> Step {
        self.threads[thread].step(self.code, observer)
    }

    /// Lets a transaction take effect that a thread has asked for, and answers it at once. Returns false, and does nothing, if
    /// that is not possible now ([`Thread::may_apply`]).
    ///
    /// # Panics
    /// If there is no such thread.
    pub fn apply(&mut self, thread: usize, ticket: Ticket, now: Instant, observer: &mut dyn Observer) -> bool {
        let number = thread;
        let thread = &mut self.threads[thread];
        if !thread.may_apply(ticket) {
            return false;
        }
        thread.perform(self.code, &mut self.state, ticket, now, &mut self.scratch, observer);
        self.outputs.extend(self.scratch.drain(..).map(|output| (number, output)));
        true
    }

    /// Steps a thread as far as it can go without transactions taking effect; returns how it ended, if it did.
    ///
    /// # Panics
    /// If there is no such thread.
    pub fn finish(&mut self, thread: usize, observer: &mut dyn Observer) -> Option<ThreadEnding> {
        loop {
            match self.step(thread, observer) {
                Step::Done | Step::Asks(_) => (),
                Step::Waits => return None,
                Step::Ended(ending) => return Some(ending),
            }
        }
    }
}

impl Thread {
    /// Lets a transaction take effect that the thread has asked for, and answers it.
    ///
    /// # Panics
    /// If the thread has not asked for it, or it has been answered.
    pub fn perform<I, O>(
        &mut self,
        code: &I,
        state: &mut ProgramState,
        ticket: Ticket,
        now: Instant,
        outputs: &mut Vec<Output>,
        observer: &mut O,
    ) where
        I: Instructions + ?Sized,
        O: Observer + ?Sized,
    {
        let request = *self.request(ticket).expect("a transaction that has not been answered");
        let reply = code.declarations().apply(state, now, &request, &mut self.packets, outputs);
        self.answer(code, ticket, &reply, observer);
    }
}

/// Runs a thread to its end; each transaction takes effect when the thread asks for it. What transactions ask of the machine
/// is appended to `outputs`.
pub fn run<I: Instructions + ?Sized>(
    code: &I,
    state: &mut ProgramState,
    thread: &mut Thread,
    now: Instant,
    outputs: &mut Vec<Output>,
) -> ThreadEnding {
    let observer = &mut Unobserved;
    loop {
        match thread.step(code, observer) {
            Step::Done => (),
            Step::Asks(ticket) => thread.perform(code, state, ticket, now, outputs, observer),
            Step::Waits => unreachable!("every transaction is answered at once"),
            Step::Ended(ending) => return ending,
        }
    }
}
