//! The compiled form of a constraint: a tree in which every name is a number, every type is known, and every number that
//! is known has the width of what it is compared with.

use std::ops::Range;

use runtime::Bits;

use crate::expression::Relation;
use crate::types::Part;

/// A condition and the place of its text, in bytes.
#[derive(Clone, Debug)]
pub(crate) struct Condition {
    pub test: Test,
    pub place: Range<usize>,
    /// The number of operations and operands in the text, by which the smallest explanation is chosen.
    pub size: usize,
}

/// The question that a condition asks of a value.
#[derive(Clone, Debug)]
pub(crate) enum Test {
    /// Nothing: the answer is known.
    Known(bool),
    Not(Box<Condition>),
    /// Whether all hold.
    All(Box<[Condition]>),
    /// Whether one holds.
    Any(Box<[Condition]>),
    Implies(Box<[Condition; 2]>),
    /// Whether both answers are the same, or if `is_negated` differ.
    Same {
        of: Box<[Condition; 2]>,
        is_negated: bool,
    },
    /// Whether two values are in a relation.
    Compare(Relation, Pair),
    /// Whether the values of each pair are equal, or if `is_negated` those of one pair differ.
    AllEqual {
        pairs: Box<[Pair]>,
        is_negated: bool,
    },
}

/// Two values of one type.
#[derive(Clone, Debug)]
pub(crate) enum Pair {
    Integers(Integer, Integer),
    /// Unsigned values of this many bits.
    Bits(Value, Value, u32),
}

/// A signed integer that depends on the entry, or a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Integer {
    pub source: IntegerSource,
    pub is_negative: bool,
}

/// The source of an integer in a constraint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IntegerSource {
    /// A number. What the entry says is between -2^32 and 2^32, so that a number beyond `i64` is as good as its end.
    Number(i64),
    /// The priority of the entry.
    Priority,
    /// The length of the prefix of the key with this number.
    PrefixLength(usize),
}

/// An unsigned value.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    /// A number, cut to the width.
    Number(Bits),
    /// An integer, cut to the width.
    Integer(Integer),
    /// A part of the match of the key with this number.
    Key(usize, Part),
    /// The argument of the action for the parameter with this number.
    Parameter(usize),
}
