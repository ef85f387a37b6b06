//! Instructions of the IR, which define what a program means.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use super::issue::Operands;
use super::memory;
use super::{Declarations, Effects, Fault, Instructions, ReplyPlace, Target};
use crate::evaluate::{self, Environment};
use crate::threads::{Branch, InstructionId, MemoryField, Next, Place};
use crate::{Expression, Program, RegisterId, VariableId};

/// A program of threads as the IR says it, prepared for the interpreter: what executes its instructions is the definition of
/// their meaning.
#[derive(Clone, Debug)]
pub struct ThreadCode {
    declarations: Declarations,
    /// The greatest number of moves of an instruction.
    most_moves: usize,
}

impl ThreadCode {
    /// Prepares a program that [`crate::verify::program`] accepts. With any other program the interpreter may panic.
    ///
    /// # Panics
    /// If the program has no threads.
    pub fn new(program: Arc<Program>) -> Self {
        let declarations = Declarations::new(program);
        let moves = declarations.threads().instructions.iter().map(|instruction| instruction.moves.len());
        Self { most_moves: moves.max().unwrap_or(0), declarations }
    }
}

impl Deref for ThreadCode {
    type Target = Declarations;

    #[inline]
    fn deref(&self) -> &Declarations {
        &self.declarations
    }
}

impl DerefMut for ThreadCode {
    fn deref_mut(&mut self) -> &mut Declarations {
        &mut self.declarations
    }
}

impl Instructions for ThreadCode {
    #[inline]
    fn declarations(&self) -> &Declarations {
        &self.declarations
    }

    fn declarations_mut(&mut self) -> &mut Declarations {
        &mut self.declarations
    }

    fn most_writes(&self) -> usize {
        self.most_moves
    }

    #[inline]
    fn waits(&self, id: InstructionId) -> bool {
        self.threads().instruction(id).waits
    }

    /// Evaluates an instruction. Errors are found in the order of the text: that of the first move, transaction or branch that
    /// has one decides.
    #[inline]
    fn evaluate(&self, id: InstructionId, effects: &mut Effects<'_>) -> Result<Target, Fault> {
        let (program, instruction) = (&**self.program(), self.threads().instruction(id));
        let (variables, memory) = (effects.variables(), effects.local_memory());
        let mut reader = Reader { variables, memory, is_outside: false };
        for step in &instruction.moves {
            if let Some(condition) = &step.condition
                && reader.value(program, condition) == 0
            {
                continue;
            }
            let value = reader.value(program, &step.value);
            write(&mut reader, program, &step.place, value, effects)?;
        }
        reader.inside()?;
        if let Some(transaction) = &instruction.transaction {
            effects.ask(&self.declarations, transaction, &mut (&mut reader, program))?;
        }
        self.branch(&mut reader, &instruction.branch)
    }

    #[inline]
    fn reply(&self, id: InstructionId) -> ReplyPlace<'_> {
        let transaction = self.threads().instruction(id).transaction.as_ref();
        transaction.map_or(ReplyPlace::Nothing, |transaction| (&transaction.reply).into())
    }
}

impl ThreadCode {
    #[inline]
    fn branch(&self, reader: &mut Reader<'_>, branch: &Branch) -> Result<Target, Fault> {
        let program = &**self.program();
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
            Next::Jump(_) => Target::Jump(number),
        })
    }
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
    fn value(&mut self, program: &Program, expression: &Expression) -> u64 {
        evaluate::value(program, expression, self).1
    }

    /// Fails if something outside of local memory was read.
    #[inline]
    fn inside(&self) -> Result<(), Fault> {
        if self.is_outside { Err(Fault::LocalMemory) } else { Ok(()) }
    }
}

impl Operands<Expression> for (&mut Reader<'_>, &Program) {
    fn width(&self, operand: &Expression) -> u32 {
        self.1.type_of(operand).width()
    }

    #[inline]
    fn value(&mut self, operand: &Expression) -> Result<u64, Fault> {
        let value = self.0.value(self.1, operand);
        self.0.inside()?;
        Ok(value)
    }
}

/// Writes what a move writes.
#[inline]
fn write(
    reader: &mut Reader<'_>,
    program: &Program,
    place: &Place,
    value: u64,
    effects: &mut Effects<'_>,
) -> Result<(), Fault> {
    match place {
        Place::Variable(variable) => effects.set(*variable, value),
        Place::Bits { variable, high, low } => {
            effects.set_bits(*variable, (*low).into(), (high - low + 1).into(), value);
        }
        Place::Memory(MemoryField { address, offset, width }) => {
            let address = reader.value(program, address);
            reader.inside()?;
            effects.store(evaluate::first_bit(address, *offset).ok_or(Fault::LocalMemory)?, *width, value)?;
        }
    }
    Ok(())
}
