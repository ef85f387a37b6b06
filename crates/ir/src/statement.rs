//! Statements: what changes variables and registers.

use crate::{ArrayId, Expression, Flow, PacketStatement, RegisterId, SharedStatement, VariableId};

/// One step of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    /// A variable takes a value.
    Assign {
        /// Which variable.
        variable: VariableId,
        /// Its new value, of its type.
        value: Expression,
    },
    /// A register takes a value, if the predicate holds.
    Write {
        /// Which register.
        register: RegisterId,
        /// Where in the array, reduced as [`runtime::RegisterFile::wrap`] says; `None` for a scalar.
        index: Option<Expression>,
        /// The new value, of the register's type.
        value: Expression,
        /// Whether it is written at all; `None` is always. Structured programs use [`Statement::If`] instead.
        predicate: Option<Expression>,
    },
    /// One of two blocks is run.
    If {
        /// A bool.
        condition: Expression,
        /// Run if it is true.
        then: Vec<Statement>,
        /// Run if it is false.
        otherwise: Vec<Statement>,
    },
    /// The variable at an index of an array takes a value; outside of the array nothing happens.
    AssignElement {
        /// Which array.
        array: ArrayId,
        /// Where in it, from 0: a number.
        index: Expression,
        /// The new value, of the type of its elements.
        value: Expression,
    },
    /// What comes next is chosen.
    Flow(Flow),
    /// The packet and its headers.
    Packet(PacketStatement),
    /// What is shared by packets, or comes from outside.
    Shared(SharedStatement),
}

impl Statement {
    /// The expressions directly inside (not those of inner statements), in the order of the text.
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

    /// The expressions directly inside, to change.
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

    /// The blocks directly inside, in the order of the text.
    pub fn blocks(&self) -> Vec<&[Self]> {
        match self {
            Self::If { then, otherwise, .. } => vec![then, otherwise],
            Self::Flow(flow) => flow.blocks(),
            _ => vec![],
        }
    }

    /// Calls `visit` for this statement and every one inside, outermost first.
    pub fn walk<'s>(&'s self, visit: &mut dyn FnMut(&'s Self)) {
        visit(self);
        for statement in self.blocks().into_iter().flatten() {
            statement.walk(visit);
        }
    }
}
