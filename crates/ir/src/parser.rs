//! Parsers: state machines that dissect the bytes of a packet.

use basis::typed_id;

use crate::{Expression, Statement};

typed_id!(
    /// Identifies a parser of a program.
    ParserId
);
typed_id!(
    /// Identifies a state of a parser.
    StateId
);
typed_id!(
    /// Identifies a value set of a program.
    ValueSetId
);
typed_id!(
    /// Identifies an error of a program, in the order of declaration.
    ErrorId
);

/// The errors of `core.p4`. They come first in every program with parsers, so that an executor can name them by number.
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
    /// No error.
    pub const NO_ERROR: Self = Self(0);
    /// The packet has too few bytes for an extraction.
    pub const PACKET_TOO_SHORT: Self = Self(1);
    /// No case of a `select` matched.
    pub const NO_MATCH: Self = Self(2);
    /// The index of a header stack is out of bounds.
    pub const STACK_OUT_OF_BOUNDS: Self = Self(3);
    /// A variable-length field is longer than its maximum.
    pub const HEADER_TOO_SHORT: Self = Self(4);
    /// The parser took too long.
    pub const PARSER_TIMEOUT: Self = Self(5);
    /// An invalid length, such as one that is not a multiple of 8.
    pub const PARSER_INVALID_ARGUMENT: Self = Self(6);
}

/// A parser. It starts in its first state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parser {
    /// The name of the parser.
    pub name: String,
    /// The states.
    pub states: Vec<ParserState>,
}

/// A state of a parser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParserState {
    /// The name of the state.
    pub name: String,
    /// The statements that run in the state.
    pub body: Vec<Statement>,
    /// The way in which the next state is chosen.
    pub transition: Transition,
}

/// The way in which a parser continues after a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Transition {
    /// Unconditionally.
    To(Next),
    /// By the first case that matches; if none does, the parser rejects with the error `NoMatch`.
    Select {
        /// The values that are compared.
        keys: Vec<Expression>,
        /// The cases in order.
        cases: Vec<Case>,
    },
}

/// A case of a `select`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The sets that the keys are compared with, in order. A value set takes as many keys as its members have fields;
    /// every other set takes one.
    pub sets: Vec<Set>,
    /// The way in which the parser continues if all of them match.
    pub next: Next,
}

/// A successor of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// The parser accepts the packet.
    Accept,
    /// The parser rejects the packet with the error `NoError`, because only the program's logic refused it.
    Reject,
    /// Another state.
    State(StateId),
}

/// A set of values that a key is compared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Set {
    /// One value of the key's type.
    Value(Expression),
    /// `value &&& mask`: all values that equal `value` in the bits that are 1 in the mask.
    Mask(Expression, Expression),
    /// `low .. high`: all values between the two, both included, in the order of the key's type.
    Range(Expression, Expression),
    /// The members of a value set, which the control plane fills.
    ValueSet(ValueSetId),
    /// All values.
    Any,
}

/// A set of values that the control plane fills.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueSet {
    /// The name of the value set.
    pub name: String,
    /// The width and match kind of each field of a member.
    pub fields: Vec<runtime::tables::KeyField>,
    /// The maximum number of members.
    pub size: u32,
}

impl Transition {
    /// Returns the keys and the expressions of the cases' sets.
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
