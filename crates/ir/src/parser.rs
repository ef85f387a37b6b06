//! Parsers: graphs of states that take a packet's bytes apart.

use basis::typed_id;

use crate::{Expression, Statement};

typed_id!(
    /// Numbers a parser of a program.
    ParserId
);
typed_id!(
    /// Numbers a state of a parser.
    StateId
);
typed_id!(
    /// Numbers a value set of a program.
    ValueSetId
);
typed_id!(
    /// Numbers an error of a program, in the order of declaration.
    ErrorId
);

/// The errors of `core.p4`, which every program has first, so that an executor can name them by number.
pub const CORE_ERRORS: [&str; 7] = [
    "NoError",
    "PacketTooShort",
    "NoMatch",
    "StackOutOfBounds",
    "HeaderTooShort",
    "ParserTimeout",
    "ParserInvalidArgument",
];

impl ErrorId {
    /// Nothing went wrong.
    pub const NO_ERROR: Self = Self(0);
    /// Not enough bytes in the packet for an extraction.
    pub const PACKET_TOO_SHORT: Self = Self(1);
    /// No case of a `select` matched.
    pub const NO_MATCH: Self = Self(2);
    /// An element of a stack that is not there.
    pub const STACK_OUT_OF_BOUNDS: Self = Self(3);
    /// A variable-length field longer than its bound.
    pub const HEADER_TOO_SHORT: Self = Self(4);
    /// The parser took too long.
    pub const PARSER_TIMEOUT: Self = Self(5);
    /// A length that makes no sense, such as one that is no multiple of 8.
    pub const PARSER_INVALID_ARGUMENT: Self = Self(6);
}

/// A parser. It starts in its first state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parser {
    /// Its name.
    pub name: String,
    /// Its states.
    pub states: Vec<State>,
}

/// A state of a parser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// Its name.
    pub name: String,
    /// What it does.
    pub body: Vec<Statement>,
    /// What comes next.
    pub transition: Transition,
}

/// What comes after a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Transition {
    /// Always this.
    To(Next),
    /// The first case that matches; without one the parser ends with the error `NoMatch`.
    Select {
        /// What is compared.
        keys: Vec<Expression>,
        /// The cases in order.
        cases: Vec<Case>,
    },
}

/// A case of a selection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// What the keys are compared with, in order; a value set takes as many keys as its members have values.
    pub sets: Vec<Set>,
    /// What comes then.
    pub next: Next,
}

/// Where a parser goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// The parser is done.
    Accept,
    /// The packet is refused, with the error `NoError`: nothing but the program says so.
    Reject,
    /// Another state.
    State(StateId),
}

/// What one key is compared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Set {
    /// One value of the key's type.
    Value(Expression),
    /// `value &&& mask`: everything that agrees with the value where the mask is 1.
    Mask(Expression, Expression),
    /// `low .. high`, both ends among them, as the key's type orders them.
    Range(Expression, Expression),
    /// What the control plane put into a value set.
    ValueSet(ValueSetId),
    /// Everything.
    Any,
}

/// A set of values that the control plane fills.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueSet {
    /// Its name.
    pub name: String,
    /// How each value of a member is compared.
    pub fields: Vec<runtime::tables::KeyField>,
    /// How many members it can hold.
    pub size: u32,
}

impl Transition {
    /// The expressions inside.
    pub fn expressions(&self) -> Vec<&Expression> {
        let Self::Select { keys, cases } = self else { return Vec::new() };
        let sets = cases.iter().flat_map(|case| &case.sets).flat_map(|set| match set {
            Set::Value(value) => vec![value],
            Set::Mask(first, second) | Set::Range(first, second) => vec![first, second],
            Set::ValueSet(_) | Set::Any => vec![],
        });
        keys.iter().chain(sets).collect()
    }
}
