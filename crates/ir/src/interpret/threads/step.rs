//! One instruction of a thread.

use super::issue::Asked;
use super::thread::{At, Pending, Write};
use super::{Effects, Fault, Instructions, Target, Thread, Ticket, memory};
use crate::interpret::Observer;
use crate::threads::InstructionId;

/// The outcome of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// An instruction was executed.
    Done,
    /// An instruction was executed and asks for this transaction ([`Thread::request`]). If it is synchronous, the thread waits
    /// until it is answered.
    Asks(Ticket),
    /// Nothing was done: the thread waits for the reply to a transaction.
    Waits,
    /// The thread has ended.
    Ended(ThreadEnding),
}

/// The way in which a thread ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThreadEnding {
    /// It came to its end. A packet that it still holds is consumed.
    Done,
    /// It was stopped by an error. A packet that it still holds is dropped.
    Fault(Fault),
}

impl Thread {
    /// Executes one instruction, unless the thread waits or has ended.
    pub fn step<I, O>(&mut self, code: &I, observer: &mut O) -> Step
    where
        I: Instructions + ?Sized,
        O: Observer + ?Sized,
    {
        if self.waits(code) {
            return Step::Waits;
        }
        let id = match self.at {
            At::Instruction(id) => id,
            At::End => return self.end(ThreadEnding::Done, observer),
            At::Ended(ending) => return Step::Ended(ending),
        };
        if self.executed >= code.declarations().limit {
            return self.end(ThreadEnding::Fault(Fault::TooManyInstructions), observer);
        }
        self.executed += 1;
        observer.executed(id);
        match self.instruction(code, id, observer) {
            Ok(Some(ticket)) => {
                observer.requested(ticket, &self.pending.last().expect("just asked for").request);
                Step::Asks(ticket)
            }
            Ok(None) if self.at == At::End => self.end(ThreadEnding::Done, observer),
            Ok(None) => Step::Done,
            Err(fault) => self.end(ThreadEnding::Fault(fault), observer),
        }
    }

    fn end<O: Observer + ?Sized>(&mut self, ending: ThreadEnding, observer: &mut O) -> Step {
        self.at = At::Ended(ending);
        observer.thread_ended(ending);
        Step::Ended(ending)
    }

    /// Executes an instruction. If it has an error, it has no effect.
    #[inline]
    fn instruction<I, O>(&mut self, code: &I, id: InstructionId, observer: &mut O) -> Result<Option<Ticket>, Fault>
    where
        I: Instructions + ?Sized,
        O: Observer + ?Sized,
    {
        let mut writes = std::mem::take(&mut self.writes);
        // A request is large, and most instructions have none: it is not returned, but put here.
        let mut asked = None;
        let evaluated = code.evaluate(id, &mut Effects { thread: self, writes: &mut writes, asked: &mut asked });
        let outcome = evaluated.and_then(|target| {
            let next = self.target(code, target)?;
            let ticket = asked.as_ref().map(|asked| self.ask(asked, id));
            self.at = next;
            self.write(code, &writes, observer);
            Ok(ticket)
        });
        writes.clear();
        self.writes = writes;
        outcome
    }

    /// Asks for a transaction.
    fn ask(&mut self, asked: &Asked, instruction: InstructionId) -> Ticket {
        let ticket = Ticket(self.asked);
        self.asked += 1;
        self.note(asked);
        let Asked { request, reply_to: address, is_asynchronous, .. } = *asked;
        self.pending.push(Pending { ticket, request, is_asynchronous, instruction: instruction.0, address });
        ticket
    }

    fn target<I: Instructions + ?Sized>(&mut self, code: &I, target: Target) -> Result<At, Fault> {
        match target {
            Target::Goto(to) => Ok(At::Instruction(to)),
            Target::Jump(number) if number < code.declarations().threads().instructions.len() as u64 => {
                Ok(At::Instruction(InstructionId(number as u32)))
            }
            Target::Jump(_) => Err(Fault::NoInstruction),
            Target::Call { to, then } => {
                *self.calls.get_mut(self.depth).ok_or(Fault::TooManyCalls)? = then;
                self.depth += 1;
                Ok(At::Instruction(to))
            }
            Target::Return => {
                self.depth = self.depth.checked_sub(1).ok_or(Fault::ReturnWithoutCall)?;
                Ok(At::Instruction(self.calls[self.depth]))
            }
            Target::End => Ok(At::End),
        }
    }

    fn write<I, O>(&mut self, code: &I, writes: &[Write], observer: &mut O)
    where
        I: Instructions + ?Sized,
        O: Observer + ?Sized,
    {
        for write in writes {
            match *write {
                Write::Variable { variable, value } => self.set(code, variable, value, observer),
                Write::Memory { from, width, value } => {
                    observer.stored(from, width, value);
                    memory::write(&mut self.memory, from, width, value);
                }
            }
        }
    }
}
