//! Parsers: states, and what leads from one to the next (section 13).

use diagnostics::Span;

use super::{Annotation, Declaration, Expression, Keyset, Name, Parameter, Signature, Statement};

/// A parser with its states.
#[derive(Clone, Debug, PartialEq)]
pub struct Parser {
    /// Its name, type parameters and parameters.
    pub signature: Signature,
    /// What it is made with.
    pub constructor_parameters: Vec<Parameter>,
    /// Constants, variables, instances and value sets of its own.
    pub locals: Vec<Declaration>,
    /// Its states; the first to run is called `start`.
    pub states: Vec<State>,
}

/// A state.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// What is noted beside it.
    pub annotations: Vec<Annotation>,
    /// Its name.
    pub name: Name,
    /// What it does.
    pub statements: Vec<Statement>,
    /// Where it leads; without one to `reject` (section 13.5).
    pub transition: Option<Transition>,
    /// All of it.
    pub span: Span,
}

/// Where a state leads.
#[derive(Clone, Debug, PartialEq)]
pub struct Transition {
    /// What is written.
    pub kind: TransitionKind,
    /// All of it, `transition` among it.
    pub span: Span,
}

/// How the next state is found.
#[derive(Clone, Debug, PartialEq)]
pub enum TransitionKind {
    /// `transition name;`
    Direct(Name),
    /// `transition select(values) { cases }`: the first case that matches.
    Select {
        /// What is compared.
        values: Vec<Expression>,
        /// With what, and what follows.
        cases: Vec<SelectCase>,
    },
}

/// `keyset : state;`
#[derive(Clone, Debug, PartialEq)]
pub struct SelectCase {
    /// What the values are compared with.
    pub keyset: Keyset,
    /// Where it leads.
    pub next: Name,
    /// All of it.
    pub span: Span,
}
