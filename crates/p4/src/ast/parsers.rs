//! Parsers: states and the transitions between them (section 13).

use diagnostics::Span;

use super::{Annotation, Declaration, Expression, Keyset, Name, Parameter, Signature, Statement};

/// A parser with its states.
#[derive(Clone, Debug, PartialEq)]
pub struct Parser {
    /// Its name, type parameters and parameters.
    pub signature: Signature,
    /// The parameters of its constructor.
    pub constructor_parameters: Vec<Parameter>,
    /// Its local constants, variables, instances and value sets.
    pub locals: Vec<Declaration>,
    /// Its states. Parsing begins in the one called `start`.
    pub states: Vec<StateDeclaration>,
}

/// A state.
#[derive(Clone, Debug, PartialEq)]
pub struct StateDeclaration {
    /// Its annotations.
    pub annotations: Vec<Annotation>,
    /// Its name.
    pub name: Name,
    /// Its statements.
    pub statements: Vec<Statement>,
    /// Its transition; a state without one leads to `reject` (section 13.5).
    pub transition: Option<Transition>,
    /// The place in the source text.
    pub span: Span,
}

/// The transition of a state.
#[derive(Clone, Debug, PartialEq)]
pub struct Transition {
    /// Its kind.
    pub kind: TransitionKind,
    /// The place in the source text, including `transition`.
    pub span: Span,
}

/// The way in which a transition finds the next state.
#[derive(Clone, Debug, PartialEq)]
pub enum TransitionKind {
    /// `transition name;`
    Direct(Name),
    /// `transition select(values) { cases }`: the first case that matches decides.
    Select {
        /// The values that are compared.
        values: Vec<Expression>,
        /// The cases in order.
        cases: Vec<SelectCase>,
    },
}

/// `keyset : state;`
#[derive(Clone, Debug, PartialEq)]
pub struct SelectCase {
    /// The operand of the comparison.
    pub keyset: Keyset,
    /// The next state.
    pub next: Name,
    /// The place in the source text.
    pub span: Span,
}
