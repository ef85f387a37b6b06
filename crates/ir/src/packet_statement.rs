//! Statements that operate on the packet's bytes and headers.

use crate::{Expression, HeaderReference, VariableId};

/// A statement that operates on the packet. All but `SetValid` and `Emit` may occur in parsers only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PacketStatement {
    /// Extracts the next bits of the packet into a header, which becomes valid (P4_16, 13.8.1). If there are not enough
    /// bits, nothing is extracted and the parser rejects with `PacketTooShort`.
    Extract {
        /// The header.
        header: HeaderReference,
        /// The length in bits of the header's variable-length field, if it has one: a number. The parser rejects with
        /// `ParserInvalidArgument` if it is not a multiple of 8, with `PacketTooShort` if there are not enough bits,
        /// and with `HeaderTooShort` if it is more than the field can hold, checked in this order (13.8.2).
        length: Option<Expression>,
    },
    /// Copies the next bits of the packet into variables without consuming them (13.8.3).
    Lookahead {
        /// The variables, in wire order.
        variables: Vec<VariableId>,
    },
    /// Skips bits of the packet (13.8.4). The parser rejects with `ParserInvalidArgument` if they are not whole bytes,
    /// and with `PacketTooShort` if there are not enough.
    Advance {
        /// The number of bits, a multiple of 8.
        bits: Expression,
    },
    /// Rejects with an error unless a condition holds (13.7).
    Verify {
        /// The condition, a bool.
        condition: Expression,
        /// The error, a number of at most 32 bits.
        error: Expression,
    },
    /// Makes a header valid or invalid. If this changes its validity, its fields become undefined, and variable-length
    /// ones get a length of 0 bits.
    SetValid {
        /// The header.
        header: HeaderReference,
        /// The new validity.
        valid: bool,
    },
    /// Appends a header to the departing packet if it is valid (16.1).
    Emit {
        /// The header.
        header: HeaderReference,
    },
}

impl PacketStatement {
    /// Returns the operands of the statement.
    pub fn expressions(&self) -> Vec<&Expression> {
        match self {
            Self::Extract { header, length } => header.expressions().chain(length).collect(),
            Self::Lookahead { .. } => vec![],
            Self::Advance { bits } => vec![bits],
            Self::Verify { condition, error } => vec![condition, error],
            Self::SetValid { header, .. } | Self::Emit { header } => header.expressions().collect(),
        }
    }

    /// Returns the operands of the statement, for modification.
    pub fn expressions_mut(&mut self) -> Vec<&mut Expression> {
        match self {
            Self::Extract { header, length } => header.expressions_mut().chain(length).collect(),
            Self::Lookahead { .. } => vec![],
            Self::Advance { bits } => vec![bits],
            Self::Verify { condition, error } => vec![condition, error],
            Self::SetValid { header, .. } | Self::Emit { header } => header.expressions_mut().collect(),
        }
    }
}
