//! Flat programs as types of their own.

use std::fmt;
use std::ops::Deref;

use super::Form;
use crate::{Expression, Program, RegisterId, Statement, VariableId};

/// A program that is known to be flat ([`Form::Flat`]), as pipelined machines require.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flat(Program);

impl Flat {
    /// Wraps a program after verifying that it is flat.
    ///
    /// # Errors
    /// Lists everything that keeps the program from being flat or well typed.
    pub fn new(program: Program) -> Result<Self, Vec<String>> {
        Form::Flat.verify(&program)?;
        Ok(Self(program))
    }

    /// Returns the program.
    pub fn into_program(self) -> Program {
        self.0
    }

    /// Gives passes mutable access to the program. They must leave it flat; this is not verified again.
    pub fn edit(&mut self) -> &mut Program {
        &mut self.0
    }

    /// Takes the code out of the program, leaving an empty `packet` block.
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
    /// Returns the code as a block.
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
    /// See [`Statement::Assign`].
    Assign {
        /// The variable.
        variable: VariableId,
        /// The new value.
        value: &'c Expression,
    },
    /// See [`Statement::Write`].
    Write {
        /// The register.
        register: RegisterId,
        /// The index; `None` for a scalar.
        index: Option<&'c Expression>,
        /// The new value.
        value: &'c Expression,
        /// Whether the register is written; `None` stands for always.
        predicate: Option<&'c Expression>,
    },
    /// See [`Statement::If`].
    If {
        /// The condition, a bool.
        condition: &'c Expression,
        /// The block that runs if the condition is true.
        then: FlatBlock<'c>,
        /// The block that runs if the condition is false.
        otherwise: FlatBlock<'c>,
    },
}

impl<'c> FlatBlock<'c> {
    /// Returns true if the block has no statements.
    pub fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// Returns the statements in order.
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
