//! Flat programs by their type.

use std::fmt;
use std::ops::Deref;

use super::Form;
use crate::{Expression, Program, RegisterId, Statement, VariableId};

/// A program that is flat ([`Form::Flat`]): what machines with pipelines take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flat(Program);

impl Flat {
    /// A program by this type, if it is flat.
    ///
    /// # Errors
    /// Everything that keeps it from being flat, and from being well typed at all.
    pub fn new(program: Program) -> Result<Self, Vec<String>> {
        Form::Flat.verify(&program)?;
        Ok(Self(program))
    }

    /// The program.
    pub fn into_program(self) -> Program {
        self.0
    }

    /// The program, for passes to change. What they put in is flat, too: nobody looks again.
    pub fn edit(&mut self) -> &mut Program {
        &mut self.0
    }

    /// Takes the code out of the program.
    pub fn take_code(&mut self) -> FlatCode {
        FlatCode(std::mem::take(&mut self.0.packet))
    }
}

impl Deref for Flat {
    type Target = Program;

    fn deref(&self) -> &Program {
        &self.0
    }
}

impl fmt::Display for Flat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The code of a flat program.
#[derive(Clone, Debug)]
pub struct FlatCode(Vec<Statement>);

impl FlatCode {
    /// All of it.
    pub fn block(&self) -> FlatBlock<'_> {
        FlatBlock(&self.0)
    }
}

/// Statements of flat code, in order.
#[derive(Clone, Copy, Debug)]
pub struct FlatBlock<'c>(&'c [Statement]);

/// A statement of flat code.
#[derive(Clone, Copy, Debug)]
pub enum FlatStatement<'c> {
    /// As [`Statement::Assign`].
    Assign {
        /// Which variable.
        variable: VariableId,
        /// Its new value.
        value: &'c Expression,
    },
    /// As [`Statement::Write`].
    Write {
        /// Which register.
        register: RegisterId,
        /// Where; `None` for a scalar.
        index: Option<&'c Expression>,
        /// The new value.
        value: &'c Expression,
        /// Whether; `None` is always.
        predicate: Option<&'c Expression>,
    },
    /// As [`Statement::If`].
    If {
        /// A bool.
        condition: &'c Expression,
        /// What happens if it is true.
        then: FlatBlock<'c>,
        /// What happens if it is false.
        otherwise: FlatBlock<'c>,
    },
}

impl<'c> FlatBlock<'c> {
    /// Whether nothing happens.
    pub fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// The statements.
    pub fn statements(self) -> impl Iterator<Item = FlatStatement<'c>> {
        self.0.iter().map(|statement| match statement {
            Statement::Assign { variable, value } => FlatStatement::Assign { variable: *variable, value },
            Statement::Write { register, index, value, predicate } => FlatStatement::Write {
                register: *register,
                index: index.as_ref(),
                value,
                predicate: predicate.as_ref(),
            },
            Statement::If { condition, then, otherwise } => {
                FlatStatement::If { condition, then: FlatBlock(then), otherwise: FlatBlock(otherwise) }
            }
            Statement::AssignElement { .. } | Statement::Flow(_) | Statement::Packet(_) | Statement::Shared(_) => {
                unreachable!("`Flat::new` lets no such statement in: {statement:?}")
            }
        })
    }
}
