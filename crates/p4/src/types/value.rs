//! Values that are known before a program runs (section 18.1).

use std::rc::Rc;

use num_bigint::BigInt;

use super::Definition;

/// A value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// Of `int`, `bit<N>`, `int<N>`, or an enumeration with an underlying type; within the range of its type.
    Integer(BigInt),
    /// Of `bool`.
    Bool(bool),
    /// Of `string`.
    String(Rc<str>),
    /// Of `error`.
    Error(Rc<str>),
    /// A member of an enumeration without an underlying type, by its place.
    Member(Definition, u32),
    /// Fields or elements in the order of the type.
    Parts(Vec<Rc<Value>>),
    /// `...`, before the type is known.
    Default,
    /// Fields by name, before the type is known.
    Fields(Vec<(Rc<str>, Rc<Value>)>),
}

impl Value {
    /// True for a value without parts, which takes no time to print; one with shared parts may double with each
    /// declaration.
    pub(crate) fn is_simple(&self) -> bool {
        !matches!(self, Self::Parts(_) | Self::Fields(_))
    }

    /// The number that it is.
    pub fn integer(&self) -> Option<&BigInt> {
        if let Self::Integer(number) = self { Some(number) } else { None }
    }
}
