//! What executes the instructions of threads: the interpreter of the IR, or the words of a machine.

use super::issue::{self, Asked, Operands};
use super::thread::Write;
use super::{Declarations, Fault, Thread};
use crate::VariableId;
use crate::threads::{Destination, InstructionId, Transaction};

/// Executes the instructions of a program of threads. A [`Thread`] steps over anything that does: it keeps what the thread
/// knows, asks for transactions and takes replies. [`super::ThreadCode`], which executes the IR, defines what a program means;
/// others are held against it.
pub trait Instructions: Send {
    /// Returns what the program consists of beside its instructions.
    fn declarations(&self) -> &Declarations;

    /// Returns the same, to change what a machine says: the limit.
    fn declarations_mut(&mut self) -> &mut Declarations;

    /// Returns the greatest number of writes of an instruction, for which a thread has memory from the beginning.
    fn most_writes(&self) -> usize;

    /// Returns whether an instruction begins only when all replies to earlier asynchronous transactions have come.
    ///
    /// # Panics
    /// If there is no such instruction.
    fn waits(&self, id: InstructionId) -> bool;

    /// Evaluates an instruction, given what there is before it: tells `effects` what it writes and asks for, and returns where
    /// the thread goes on. If it returns an error, the instruction has no effect.
    ///
    /// # Errors
    /// Returns what ends the thread.
    ///
    /// # Panics
    /// If there is no such instruction.
    fn evaluate(&self, id: InstructionId, effects: &mut Effects<'_>) -> Result<Target, Fault>;

    /// Returns where the reply to the transaction of an instruction goes.
    ///
    /// # Panics
    /// If there is no such instruction.
    fn reply(&self, id: InstructionId) -> ReplyPlace<'_>;
}

/// The way by which a thread goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// At an instruction.
    Goto(InstructionId),
    /// At the instruction with this number. The thread ends with an error if there is none.
    Jump(u64),
    /// In a subroutine.
    Call {
        /// The first instruction of the subroutine.
        to: InstructionId,
        /// The instruction at which the thread goes on when the subroutine returns.
        then: InstructionId,
    },
    /// Back to the instruction behind the call of the subroutine.
    Return,
    /// Nowhere.
    End,
}

/// The place to which a reply goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplyPlace<'i> {
    /// Nowhere.
    Nothing,
    /// Into these variables ([`Destination::Variables`]).
    Variables(&'i [Option<VariableId>]),
    /// Into local memory, at the address that was evaluated with the operands.
    Memory,
}

impl<'i, E> From<&'i Destination<E>> for ReplyPlace<'i> {
    fn from(destination: &'i Destination<E>) -> Self {
        match destination {
            Destination::Nothing => Self::Nothing,
            Destination::Variables(variables) => Self::Variables(variables),
            Destination::Memory(_) => Self::Memory,
        }
    }
}

/// What a thread has before an instruction, and what the instruction does.
pub struct Effects<'t> {
    pub(super) thread: &'t Thread,
    pub(super) writes: &'t mut Vec<Write>,
    pub(super) asked: &'t mut Option<Asked>,
}

impl<'t> Effects<'t> {
    /// Returns the values of all variables before the instruction, by id.
    #[inline]
    pub fn variables(&self) -> &'t [u64] {
        &self.thread.variables
    }

    /// Returns the local memory before the instruction.
    #[inline]
    pub fn local_memory(&self) -> &'t [u8] {
        &self.thread.memory
    }

    /// Writes a variable.
    #[inline]
    pub fn set(&mut self, variable: VariableId, value: u64) {
        self.writes.push(Write::Variable { variable, value });
    }

    /// Writes `width` bits of a variable, 1 to 64, from the bit `low` on, which is counted from the least significant one. The
    /// others keep their values, or those that earlier writes of the instruction give them.
    #[inline]
    pub fn set_bits(&mut self, variable: VariableId, low: u32, width: u32, value: u64) {
        let before = self.writes.iter().rev().find_map(|write| match write {
            Write::Variable { variable: written, value } if *written == variable => Some(*value),
            _ => None,
        });
        let before = before.unwrap_or_else(|| self.thread.variables[variable.index()]);
        let mask = (u64::MAX >> (64 - width)) << low;
        self.set(variable, before & !mask | value << low);
    }

    /// Writes a bit field of local memory, whose first bit is `from` bits behind its beginning.
    ///
    /// # Errors
    /// If the field lies outside of local memory, or the instruction has written one of its bits.
    #[inline]
    pub fn store(&mut self, from: u64, width: u16, value: u64) -> Result<(), Fault> {
        let end = from.checked_add(u64::from(width)).ok_or(Fault::LocalMemory)?;
        if end > self.thread.memory.len() as u64 * 8 {
            return Err(Fault::LocalMemory);
        }
        let overlaps = |write: &Write| match write {
            Write::Memory { from: other, width, .. } => *other < end && from < other + u64::from(*width),
            Write::Variable { .. } => false,
        };
        if self.writes.iter().any(overlaps) {
            return Err(Fault::WrittenTwice);
        }
        self.writes.push(Write::Memory { from, width, value });
        Ok(())
    }

    /// Asks for a transaction, at most once.
    ///
    /// # Errors
    /// If an operand has an error, or is not what the operation allows.
    #[inline]
    pub fn ask<E>(
        &mut self,
        declarations: &Declarations,
        transaction: &Transaction<E>,
        operands: &mut impl Operands<E>,
    ) -> Result<(), Fault> {
        *self.asked = Some(issue::evaluate(self.thread, declarations, transaction, operands)?);
        Ok(())
    }
}
