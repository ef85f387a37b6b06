//! Headers: groups of variables that come from the bytes of a packet and become bytes again.
//!
//! Every field of a header is a variable of its own, so that expressions, assignments and passes need to know nothing
//! of headers. What concerns a header as a whole (extraction, validity, emission) is a statement that names it.

use basis::typed_id;

use crate::{Expression, VariableId};

typed_id!(
    /// Numbers a header of a program.
    HeaderId
);
typed_id!(
    /// Numbers a stack of a program.
    StackId
);
typed_id!(
    /// Numbers an array of a program.
    ArrayId
);

/// A header, or one element of a stack.
///
/// A field of an invalid header has a value that P4_16 leaves open (8.25): it is undefined since the header became
/// invalid, until it is written, and a header that becomes valid has undefined fields whatever was written before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Its name, as its author writes it: `hdr.ipv4`, `hdr.vlan[0]`.
    pub name: String,
    /// A bool.
    pub valid: VariableId,
    /// Its fields in the order of the wire.
    pub fields: Vec<HeaderField>,
}

/// A field of a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeaderField {
    /// Its value: unsigned or signed, the first bit on the wire the highest.
    pub variable: VariableId,
    /// For a `varbit<N>`, whose variable is N bits wide: how many bits there are now, the lowest ones of the value.
    pub length: Option<VariableId>,
}

/// A header stack: headers of one kind that a parser fills one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stack {
    /// Its name.
    pub name: String,
    /// The headers, all with the same fields.
    pub elements: Vec<HeaderId>,
    /// `nextIndex` (P4_16, 8.18): a `bit<32>`.
    pub next: VariableId,
}

/// Variables of one type among which an index chooses at run time, such as one field of all elements of a stack.
/// Each variable can also be named by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array {
    /// Its name.
    pub name: String,
    /// The variables.
    pub elements: Vec<VariableId>,
}

/// Which header a statement is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeaderPlace {
    /// This one.
    Fixed(HeaderId),
    /// The element of a stack at an index. Outside of the stack there is none: an extraction rejects with the error
    /// `StackOutOfBounds`, and everything else does nothing (P4_16, 8.25).
    Element(StackId, Expression),
}

impl HeaderPlace {
    /// The expressions directly inside.
    pub fn expressions(&self) -> impl Iterator<Item = &Expression> {
        match self {
            Self::Fixed(_) => None,
            Self::Element(_, index) => Some(index),
        }
        .into_iter()
    }

    /// The expressions directly inside, to change.
    pub fn expressions_mut(&mut self) -> impl Iterator<Item = &mut Expression> {
        match self {
            Self::Fixed(_) => None,
            Self::Element(_, index) => Some(index),
        }
        .into_iter()
    }
}
