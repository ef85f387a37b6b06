//! The resolved program: every name is resolved and every rule is checked, so that lowering needs no further
//! information.

use std::rc::Rc;

use diagnostics::Span;
use ir::{BinaryOperator, Register};
use runtime::hash::HashFunction;

use crate::syntax::{Operator, Unary};

/// A resolved program.
#[derive(Debug)]
pub(crate) struct Resolved {
    /// The names of the packet's fields, in order of declaration.
    pub fields: Vec<Rc<str>>,
    /// The state, in order of declaration.
    pub registers: Vec<Register>,
    pub functions: Vec<Function>,
    /// The index of the packet function.
    pub packet: usize,
}

/// A function. Its locals are its parameters, in order, followed by its variables; the packet parameter is not among
/// them.
#[derive(Debug, Default)]
pub(crate) struct Function {
    pub name: Rc<str>,
    pub locals: Vec<Local>,
    pub body: Vec<Statement>,
}

/// A parameter or variable of a function.
#[derive(Debug)]
pub(crate) struct Local {
    pub name: Rc<str>,
    pub span: Span,
    pub is_parameter: bool,
    pub is_read: bool,
    pub is_assigned: bool,
}

/// A statement. There are no blocks, because every local has an index of its own.
#[derive(Debug)]
pub(crate) enum Statement {
    Assign { target: AssignmentTarget, operator: Option<BinaryOperator>, value: Value },
    Call(Call),
    If { condition: Value, then: Vec<Statement>, otherwise: Vec<Statement>, returns: Returns },
    Return(Option<Value>),
}

/// Whether control always, sometimes or never leaves the function in a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Returns {
    Never,
    Sometimes,
    Always,
}

/// The target of an assignment.
#[derive(Debug)]
pub(crate) enum AssignmentTarget {
    Field(usize),
    Local(usize),
    Register(usize, Option<Value>),
}

/// An expression.
#[derive(Debug)]
pub(crate) enum Value {
    Constant(i32),
    Field(usize),
    Local(usize),
    Register(usize, Option<Box<Value>>),
    Unary(Unary, Box<Value>),
    Binary(Operator, Box<Value>, Box<Value>),
    Conditional(Box<Value>, Box<Value>, Box<Value>),
    Hash(HashFunction, Vec<Value>),
    Call(Call),
}

/// A call of a function that the program defines.
#[derive(Debug)]
pub(crate) struct Call {
    pub function: usize,
    pub arguments: Vec<Value>,
    pub span: Span,
}

/// Returns whether control leaves the function in a list of statements.
pub(crate) fn returns(statements: &[Statement]) -> Returns {
    statements.iter().map(Statement::returns).max().unwrap_or(Returns::Never)
}

impl Statement {
    /// Returns whether control leaves the function in this statement.
    pub fn returns(&self) -> Returns {
        match self {
            Self::Return(_) => Returns::Always,
            Self::If { returns, .. } => *returns,
            Self::Assign { .. } | Self::Call(_) => Returns::Never,
        }
    }
}

/// Returns whether control leaves the function in an `if`, given its two branches.
pub(crate) fn returns_of_choice(then: &[Statement], otherwise: &[Statement]) -> Returns {
    let (then, otherwise) = (returns(then), returns(otherwise));
    if then == otherwise { then } else { Returns::Sometimes }
}
