//! One instruction of a thread.

use super::issue::{self, Asked};
use super::thread::{At, Pending, Write};
use super::{Fault, Thread, ThreadCode, Ticket, memory};
use crate::evaluate::{self, Environment};
use crate::interpret::Observer;
use crate::threads::{Branch, Instruction, InstructionId, MemoryField, Next, Place};
use crate::{Expression, Program, RegisterId, VariableId};

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

/// The variables and the local memory of a thread, for expressions.
pub(super) struct Reader<'t> {
    pub variables: &'t [u64],
    pub memory: &'t [u8],
    /// Whether something outside of local memory was read.
    pub is_outside: bool,
}

impl Environment for Reader<'_> {
    type Value = u64;

    #[inline]
    fn variable(&mut self, id: VariableId) -> u64 {
        self.variables[id.index()]
    }

    fn read(&mut self, _: RegisterId, _: usize) -> u64 {
        unreachable!("`verify` refuses registers in threads")
    }

    #[inline]
    fn memory(&mut self, from: Option<u64>, width: u16) -> u64 {
        from.and_then(|from| memory::read(self.memory, from, width)).unwrap_or_else(|| {
            self.is_outside = true;
            0
        })
    }
}

impl Reader<'_> {
    #[inline]
    pub fn value(&mut self, program: &Program, expression: &Expression) -> u64 {
        evaluate::value(program, expression, self).1
    }

    /// Fails if something outside of local memory was read.
    #[inline]
    pub fn inside(&self) -> Result<(), Fault> {
        if self.is_outside { Err(Fault::LocalMemory) } else { Ok(()) }
    }
}

/// Where a thread goes on.
enum Target {
    Goto(InstructionId),
    Call { to: InstructionId, then: InstructionId },
    Return,
    End,
}

impl Thread {
    /// Executes one instruction, unless the thread waits or has ended.
    pub fn step<O: Observer + ?Sized>(&mut self, code: &ThreadCode, observer: &mut O) -> Step {
        if self.waits(code) {
            return Step::Waits;
        }
        let id = match self.at {
            At::Instruction(id) => id,
            At::End => return self.end(ThreadEnding::Done, observer),
            At::Ended(ending) => return Step::Ended(ending),
        };
        if self.executed >= code.limit {
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
    fn instruction<O: Observer + ?Sized>(
        &mut self,
        code: &ThreadCode,
        id: InstructionId,
        observer: &mut O,
    ) -> Result<Option<Ticket>, Fault> {
        let instruction = code.threads().instruction(id);
        let mut writes = std::mem::take(&mut self.writes);
        // A request is large, and most instructions have none: it is not returned, but put here.
        let mut asked = None;
        let prepared = self.prepare(code, instruction, &mut writes, &mut asked);
        let outcome = prepared.and_then(|target| {
            let next = self.target(target)?;
            let ticket = asked.as_ref().map(|asked| {
                let is_asynchronous = instruction.transaction.as_ref().is_some_and(|asked| asked.is_asynchronous);
                self.ask(asked, id, is_asynchronous)
            });
            self.at = next;
            self.write(code, &writes, observer);
            Ok(ticket)
        });
        writes.clear();
        self.writes = writes;
        outcome
    }

    /// Asks for a transaction.
    fn ask(&mut self, asked: &Asked, instruction: InstructionId, is_asynchronous: bool) -> Ticket {
        let ticket = Ticket(self.asked);
        self.asked += 1;
        self.note(asked);
        let Asked { request, reply_to: address, .. } = *asked;
        self.pending.push(Pending { ticket, request, is_asynchronous, instruction: instruction.0, address });
        ticket
    }

    /// Evaluates an instruction: what it writes, its transaction, and where the thread goes on. Errors are found in the order
    /// of the text: that of the first move, transaction or branch that has one decides.
    #[inline]
    fn prepare(
        &self,
        code: &ThreadCode,
        instruction: &Instruction,
        writes: &mut Vec<Write>,
        asked: &mut Option<Asked>,
    ) -> Result<Target, Fault> {
        let program = &**code.program();
        let mut reader = Reader { variables: &self.variables, memory: &self.memory, is_outside: false };
        for step in &instruction.moves {
            if let Some(condition) = &step.condition
                && reader.value(program, condition) == 0
            {
                continue;
            }
            let value = reader.value(program, &step.value);
            let write = place(&mut reader, program, &step.place, value, writes)?;
            writes.push(write);
        }
        reader.inside()?;
        if let Some(transaction) = &instruction.transaction {
            *asked = Some(issue::evaluate(self, code, &mut reader, transaction)?);
        }
        branch(&mut reader, code, &instruction.branch)
    }

    fn target(&mut self, target: Target) -> Result<At, Fault> {
        match target {
            Target::Goto(to) => Ok(At::Instruction(to)),
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

    fn write<O: Observer + ?Sized>(&mut self, code: &ThreadCode, writes: &[Write], observer: &mut O) {
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

/// Returns the place that a move writes, with its new value.
#[inline]
fn place(
    reader: &mut Reader<'_>,
    program: &Program,
    place: &Place,
    value: u64,
    writes: &[Write],
) -> Result<Write, Fault> {
    match place {
        Place::Variable(variable) => Ok(Write::Variable { variable: *variable, value }),
        Place::Bits { variable, high, low } => {
            // Other moves of the instruction may write other bits of the variable.
            let before = writes.iter().rev().find_map(|write| match write {
                Write::Variable { variable: written, value } if written == variable => Some(*value),
                _ => None,
            });
            let before = before.unwrap_or_else(|| reader.variable(*variable));
            let mask = (u64::MAX >> (63 - (high - low))) << low;
            Ok(Write::Variable { variable: *variable, value: before & !mask | value << low })
        }
        Place::Memory(MemoryField { address, offset, width }) => {
            let address = reader.value(program, address);
            reader.inside()?;
            let from = evaluate::first_bit(address, *offset).ok_or(Fault::LocalMemory)?;
            let end = from.checked_add(u64::from(*width)).ok_or(Fault::LocalMemory)?;
            if end > reader.memory.len() as u64 * 8 {
                return Err(Fault::LocalMemory);
            }
            let overlaps = |write: &Write| match write {
                Write::Memory { from: other, width, .. } => *other < end && from < other + u64::from(*width),
                Write::Variable { .. } => false,
            };
            if writes.iter().any(overlaps) {
                return Err(Fault::WrittenTwice);
            }
            Ok(Write::Memory { from, width: *width, value })
        }
    }
}

#[inline]
fn branch(reader: &mut Reader<'_>, code: &ThreadCode, branch: &Branch) -> Result<Target, Fault> {
    let program = &**code.program();
    let taken = branch.cases.iter().find(|(condition, _)| reader.value(program, condition) != 0);
    let next = taken.map_or(&branch.otherwise, |(_, next)| next);
    let number = match next {
        Next::Jump(to) => reader.value(program, to),
        _ => 0,
    };
    reader.inside()?;
    Ok(match next {
        Next::Goto(to) => Target::Goto(*to),
        Next::Call { to, then } => Target::Call { to: *to, then: *then },
        Next::Return => Target::Return,
        Next::End => Target::End,
        Next::Jump(_) if number < code.threads().instructions.len() as u64 => {
            Target::Goto(InstructionId(number as u32))
        }
        Next::Jump(_) => return Err(Fault::NoInstruction),
    })
}
