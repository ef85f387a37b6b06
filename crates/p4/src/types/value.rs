//! Compile-time known values (section 18.1).

use std::rc::Rc;

use num_bigint::BigInt;

use super::Definition;

/// A compile-time known value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A value of `int`, `bit<N>`, `int<N>`, or an enumeration with an underlying type, within the range of its type.
    Integer(BigInt),
    /// A `bool`.
    Bool(bool),
    /// A `string`.
    String(Rc<str>),
    /// An `error`, by its name.
    Error(Rc<str>),
    /// A member of an enumeration without an underlying type, by its index.
    Member(Definition, u32),
    /// The fields or elements, in the order of the type.
    Parts(Vec<Rc<Value>>),
    /// `...`, before the type is known.
    Default,
    /// The fields by name, before the type is known.
    Fields(Vec<(Rc<str>, Rc<Value>)>),
}

impl Value {
    /// Returns true for a value without parts. A value with shared parts may double in size with each declaration,
    /// which makes it expensive to print.
    pub(crate) fn is_simple(&self) -> bool {
        !matches!(self, Self::Parts(_) | Self::Fields(_))
    }

    /// The number, if it is one.
    pub fn integer(&self) -> Option<&BigInt> {
        if let Self::Integer(number) = self { Some(number) } else { None }
    }
}
