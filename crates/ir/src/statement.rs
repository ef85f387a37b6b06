//! Statements: what changes variables and registers.

use crate::{Expression, RegisterId, VariableId};

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
}

impl Statement {
    /// The expressions directly inside (not those of inner statements), in the order of the text.
    pub fn expressions(&self) -> Vec<&Expression> {
        match self {
            Self::Assign { value, .. } => vec![value],
            Self::Write { index, value, predicate, .. } => index.iter().chain([value]).chain(predicate).collect(),
            Self::If { condition, .. } => vec![condition],
        }
    }

    /// The expressions directly inside, to change.
    pub fn expressions_mut(&mut self) -> Vec<&mut Expression> {
        match self {
            Self::Assign { value, .. } => vec![value],
            Self::Write { index, value, predicate, .. } => index.iter_mut().chain([value]).chain(predicate).collect(),
            Self::If { condition, .. } => vec![condition],
        }
    }
}
