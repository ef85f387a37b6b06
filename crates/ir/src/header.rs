//! Headers: groups of variables that are extracted from the bytes of a packet and emitted as bytes.
//!
//! Every field of a header is a variable of its own, so expressions, assignments and passes need not know about
//! headers. Operations on a header as a whole (extraction, validity, emission) are statements that name it.

use basis::typed_id;

use crate::{Expression, VariableId};

typed_id!(
    /// Identifies a header of a program.
    HeaderId
);
typed_id!(
    /// Identifies a header stack of a program.
    StackId
);
typed_id!(
    /// Identifies an array of variables of a program.
    ArrayId
);

/// A header, or one element of a stack.
///
/// P4_16 leaves the value of a field of an invalid header undefined (8.25). Here it is undefined from the moment when
/// the header becomes invalid until the field is written; and when a header becomes valid, all its fields are
/// undefined, whatever was written to them before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The name as its author writes it: `hdr.ipv4`, `hdr.vlan[0]`.
    pub name: String,
    /// The variable that holds the validity, a bool.
    pub valid: VariableId,
    /// The fields in wire order.
    pub fields: Vec<HeaderField>,
}

/// A field of a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeaderField {
    /// The variable that holds the value, signed or unsigned; the first bit on the wire is the most significant one.
    pub variable: VariableId,
    /// The variable that holds the current length in bits of a `varbit<N>` field, whose value variable is N bits wide.
    /// The lowest bits of the value are the ones in use.
    pub length: Option<VariableId>,
}

/// A header stack: headers of one type that a parser fills one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stack {
    /// The name of the stack.
    pub name: String,
    /// The headers, all with fields of the same types.
    pub elements: Vec<HeaderId>,
    /// The variable that holds `nextIndex` (P4_16, 8.18), a `bit<32>`.
    pub next: VariableId,
}

/// Variables of one type that are selected by an index at run time, such as one field of all elements of a stack. Each
/// variable can also be accessed directly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array {
    /// The name of the array.
    pub name: String,
    /// The elements, in the order of the index.
    pub elements: Vec<VariableId>,
}

/// The header that a statement operates on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeaderReference {
    /// A fixed header.
    Fixed(HeaderId),
    /// The element of a stack at an index. If the index is outside of the stack, an extraction rejects the packet with
    /// the error `StackOutOfBounds`, and every other statement does nothing (P4_16, 8.25).
    Element(StackId, Expression),
}

impl HeaderReference {
    /// Returns the index expression, if there is one.
    pub fn expressions(&self) -> impl Iterator<Item = &Expression> {
        match self {
            Self::Fixed(_) => None,
            Self::Element(_, index) => Some(index),
        }
        .into_iter()
    }

    /// Returns the index expression, if there is one, for modification.
    pub fn expressions_mut(&mut self) -> impl Iterator<Item = &mut Expression> {
        match self {
            Self::Fixed(_) => None,
            Self::Element(_, index) => Some(index),
        }
        .into_iter()
    }
}
