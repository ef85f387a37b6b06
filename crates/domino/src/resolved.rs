//! The program with every name looked up and every rule checked: what can be lowered without asking anything more.

use std::rc::Rc;

use diagnostics::Span;
use ir::{BinaryOperator, Register};
use runtime::hash::HashFunction;

use crate::syntax::{Operator, Unary};

/// A whole program.
#[derive(Debug)]
pub(crate) struct Resolved {
    /// Names of the packet's fields, in order.
    pub fields: Vec<Rc<str>>,
    /// State, in order.
    pub registers: Vec<Register>,
    pub functions: Vec<Function>,
    /// Which function a packet runs.
    pub packet: usize,
}

/// A function. Its locals are its parameters, in order, and then its variables; a packet is not among them.
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

/// One step. Blocks are gone, for every local has a number of its own.
#[derive(Debug)]
pub(crate) enum Statement {
    Assign { target: Place, operator: Option<BinaryOperator>, value: Value },
    Call(Call),
    If { condition: Value, then: Vec<Statement>, otherwise: Vec<Statement>, returns: Returns },
    Return(Option<Value>),
}

/// Whether the function ends here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Returns {
    Never,
    Sometimes,
    Always,
}

/// What can be assigned.
#[derive(Debug)]
pub(crate) enum Place {
    Field(usize),
    Local(usize),
    Register(usize, Option<Value>),
}

/// A value.
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

/// A call of a function with a body.
#[derive(Debug)]
pub(crate) struct Call {
    pub function: usize,
    pub arguments: Vec<Value>,
    pub span: Span,
}

/// Whether a function ends in a list of statements.
pub(crate) fn returns(statements: &[Statement]) -> Returns {
    statements.iter().map(Statement::returns).max().unwrap_or(Returns::Never)
}

impl Statement {
    /// Whether the function ends in this statement.
    pub fn returns(&self) -> Returns {
        match self {
            Self::Return(_) => Returns::Always,
            Self::If { returns, .. } => *returns,
            Self::Assign { .. } | Self::Call(_) => Returns::Never,
        }
    }
}

/// Whether a function ends in a choice, from whether it ends in each of the two sides.
pub(crate) fn returns_of_choice(then: &[Statement], otherwise: &[Statement]) -> Returns {
    let (then, otherwise) = (returns(then), returns(otherwise));
    if then == otherwise { then } else { Returns::Sometimes }
}
