//! Statements: the steps of a program.

use crate::{ArrayId, Expression, Flow, PacketStatement, RegisterId, SharedStatement, VariableId};

/// One step of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    /// Assigns a value to a variable.
    Assign {
        /// The variable.
        variable: VariableId,
        /// The new value, of the variable's type.
        value: Expression,
    },
    /// Writes a value to a register if the predicate holds.
    Write {
        /// The register.
        register: RegisterId,
        /// The index in the array, reduced as [`runtime::RegisterFile::wrap`] defines; `None` for a scalar.
        index: Option<Expression>,
        /// The new value, of the register's type.
        value: Expression,
        /// Whether the register is written; `None` stands for always. Structured programs use [`Statement::If`]
        /// instead.
        predicate: Option<Expression>,
    },
    /// Runs one of two blocks.
    If {
        /// The condition, a bool.
        condition: Expression,
        /// The block that runs if the condition is true.
        then: Vec<Statement>,
        /// The block that runs if the condition is false.
        otherwise: Vec<Statement>,
    },
    /// Assigns a value to the variable at an index of an array; does nothing if the index is outside of the array.
    AssignElement {
        /// The array.
        array: ArrayId,
        /// The index, a number counted from 0.
        index: Expression,
        /// The new value, of the type of the elements.
        value: Expression,
    },
    /// Control flow: a loop, a call, a table.
    Flow(Flow),
    /// An operation on the packet's bytes and headers.
    Packet(PacketStatement),
    /// An operation on state that packets share, or communication with what lies outside the program.
    Shared(SharedStatement),
}

impl Statement {
    /// Returns the operands of the statement, not those of nested statements, in the order of the text.
    pub fn expressions(&self) -> Vec<&Expression> {
        match self {
            Self::Assign { value, .. } => vec![value],
            Self::Write { index, value, predicate, .. } => index.iter().chain([value]).chain(predicate).collect(),
            Self::If { condition, .. } => vec![condition],
            Self::AssignElement { index, value, .. } => vec![index, value],
            Self::Flow(flow) => flow.expressions(),
            Self::Packet(step) => step.expressions(),
            Self::Shared(step) => step.expressions(),
        }
    }

    /// Returns the operands of the statement, for modification.
    pub fn expressions_mut(&mut self) -> Vec<&mut Expression> {
        match self {
            Self::Assign { value, .. } => vec![value],
            Self::Write { index, value, predicate, .. } => index.iter_mut().chain([value]).chain(predicate).collect(),
            Self::If { condition, .. } => vec![condition],
            Self::AssignElement { index, value, .. } => vec![index, value],
            Self::Flow(flow) => flow.expressions_mut(),
            Self::Packet(step) => step.expressions_mut(),
            Self::Shared(step) => step.expressions_mut(),
        }
    }

    /// Returns the nested blocks, in the order of the text.
    pub fn blocks(&self) -> Vec<&[Self]> {
        match self {
            Self::If { then, otherwise, .. } => vec![then, otherwise],
            Self::Flow(flow) => flow.blocks(),
            _ => vec![],
        }
    }

    /// Calls `visit` for this statement and every nested one, outermost first.
    pub fn walk<'s>(&'s self, visit: &mut dyn FnMut(&'s Self)) {
        visit(self);
        for statement in self.blocks().into_iter().flatten() {
            statement.walk(visit);
        }
    }
}
