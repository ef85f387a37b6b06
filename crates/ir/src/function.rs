//! Functions: code with a name, which controls, actions and functions of a language become.

use basis::typed_id;

use crate::{ParserId, Statement, VariableId};

typed_id!(
    /// Numbers a function of a program.
    FunctionId
);

/// Code that is called.
///
/// Parameters and locals are variables of the program, which the caller assigns and reads: no function calls itself,
/// not even through others (P4_16 forbids it; [`crate::verify`] checks it), so that one place for each is enough.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// What it was in its language.
    pub kind: FunctionKind,
    /// What an entry of a table, or the control plane, gives to it, in order. Others assign these variables
    /// themselves.
    pub parameters: Vec<VariableId>,
    /// What it does.
    pub body: Vec<Statement>,
}

/// What a function was in its language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionKind {
    /// A control. `exit` in it ends the whole entry point.
    Control,
    /// An action.
    Action,
    /// A function.
    Function,
}

/// Where a machine begins: a name that an architecture gives, and what it stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entrance {
    /// The name, such as `parser`, `ingress` or `deparser`.
    pub name: String,
    /// What runs.
    pub block: Block,
}

/// What can be entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Block {
    /// A parser.
    Parser(ParserId),
    /// A function.
    Function(FunctionId),
}
