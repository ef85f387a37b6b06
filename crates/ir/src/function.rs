//! Functions: named code, to which the controls, actions and functions of a language are lowered.

use basis::typed_id;

use crate::{ParserId, Statement, VariableId};

typed_id!(
    /// Identifies a function of a program.
    FunctionId
);

/// Named code that is called.
///
/// Parameters and locals are variables of the program, which the caller assigns and reads. No function calls itself,
/// directly or indirectly (P4_16 forbids it and [`crate::verify`] checks it), so one set of variables is enough.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// The name of the function.
    pub name: String,
    /// The construct of the source language that it was lowered from.
    pub kind: FunctionKind,
    /// The variables that receive the data of a table entry or of the control plane, in order. Other callers assign
    /// these variables themselves.
    pub parameters: Vec<VariableId>,
    /// The statements of the function.
    pub body: Vec<Statement>,
}

/// The construct of the source language that a function was lowered from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionKind {
    /// A control. `exit` in it ends the whole entry point.
    Control,
    /// An action.
    Action,
    /// A function.
    Function,
}

/// An entry point: a name that an architecture defines, and the block that it stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entrance {
    /// The name, such as `parser`, `ingress` or `deparser`.
    pub name: String,
    /// The block that runs.
    pub block: Block,
}

/// A block that a machine can run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Block {
    /// A parser.
    Parser(ParserId),
    /// A function.
    Function(FunctionId),
}
