//! Instructions: what a thread does in one step.

use basis::typed_id;

use super::{Destination, MemoryField, Operation};
use crate::{Expression, VariableId};

typed_id!(
    /// Identifies an instruction of a program of threads. Its number is what a jump takes.
    InstructionId
);

/// One instruction. Its moves, the operands of its transaction and its branch all see what was there before it; then the
/// moves write, the transaction is issued, and the thread goes on where the branch leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// The name, unique among instructions.
    pub name: String,
    /// Whether the instruction begins only when all replies to earlier asynchronous transactions of the thread have come.
    pub waits: bool,
    /// The values that are written, at most [`super::MAX_MOVES`]. No bit is written twice: [`crate::verify`] refuses an instruction that surely does so,
    /// and a thread ends with an error if one does at run time.
    pub moves: Vec<Move>,
    /// The transaction, if there is one.
    pub transaction: Option<Transaction>,
    /// Where the thread goes on.
    pub branch: Branch,
}

/// A value that an instruction writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// The place.
    pub place: Place,
    /// The value, of the type of the place.
    pub value: Expression,
    /// Whether the value is written; `None` stands for always. If it is false, neither the value nor the address of the
    /// place is evaluated.
    pub condition: Option<Expression>,
}

/// A place that an instruction writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A variable.
    Variable(VariableId),
    /// Bits of a variable, of type `bit<high - low + 1>`; the others keep their values.
    Bits {
        /// The variable, a number.
        variable: VariableId,
        /// The position of the highest bit, counted from 0; less than the width of the variable.
        high: u16,
        /// The position of the lowest bit; at most `high`.
        low: u16,
    },
    /// A bit field of local memory.
    Memory(MemoryField),
}

/// A transaction of an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transaction<E = Expression> {
    /// Whether the thread goes on without waiting for the reply. Then the transaction takes effect at some later time, and
    /// the reply, if it goes anywhere, comes at some later time: before an instruction that [`Instruction::waits`].
    /// Of two transactions of one thread that touch the same line of shared memory, the same table of records or packets
    /// of the thread, the one that was issued first takes effect first; other orders are open.
    pub is_asynchronous: bool,
    /// What is asked for.
    pub operation: Operation<E>,
    /// Where the reply goes.
    pub reply: Destination<E>,
}

/// Where a thread goes on after an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// Conditions and where they lead. The first one that holds decides; later ones are not evaluated.
    pub cases: Vec<(Expression, Next)>,
    /// Where the thread goes on if no condition holds.
    pub otherwise: Next,
}

/// A way that a branch leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// To an instruction.
    Goto(InstructionId),
    /// To the instruction with this number. The thread ends with an error if there is none.
    Jump(Expression),
    /// To a subroutine. The thread ends with an error if [`super::MAX_CALLS`] calls have not returned.
    Call {
        /// The first instruction of the subroutine.
        to: InstructionId,
        /// The instruction at which the thread goes on when the subroutine returns.
        then: InstructionId,
    },
    /// Back from a subroutine. The thread ends with an error if it is in none.
    Return,
    /// Nowhere: the thread ends. A packet of the thread that was neither sent nor dropped is consumed.
    End,
}

impl Branch {
    /// Makes a branch without conditions.
    pub const fn to(next: Next) -> Self {
        Self { cases: Vec::new(), otherwise: next }
    }

    /// Returns all ways, in order, the one without a condition last.
    pub fn ways(&self) -> impl Iterator<Item = &Next> {
        self.cases.iter().map(|(_, next)| next).chain([&self.otherwise])
    }
}
