//! Statements about the packet's bytes and headers.

use crate::{Expression, HeaderPlace, VariableId};

/// A statement about the packet. All but `SetValid` and `Emit` stand in parsers only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PacketStatement {
    /// The next bits of the packet become a header, which becomes valid (P4_16, 13.8.1). The parser rejects with
    /// `PacketTooShort` if there are not enough; nothing is extracted then.
    Extract {
        /// Which header.
        header: HeaderPlace,
        /// The bits of its variable-length field, if it has one: a number. One that is no multiple of 8 is
        /// `ParserInvalidArgument`, and more than the field can hold `HeaderTooShort`; between these two comes
        /// `PacketTooShort` (13.8.2).
        length: Option<Expression>,
    },
    /// The next bits of the packet become these variables, one behind the other, and stay in the packet (13.8.3).
    Lookahead {
        /// The variables.
        variables: Vec<VariableId>,
    },
    /// Bits of the packet are skipped (13.8.4). The parser rejects with `ParserInvalidArgument` if they are not whole
    /// bytes, and with `PacketTooShort` if there are not enough.
    Advance {
        /// How many: a number, a multiple of 8.
        bits: Expression,
    },
    /// Rejects with an error unless a condition holds (13.7).
    Verify {
        /// A bool.
        condition: Expression,
        /// Which error: a number of at most 32 bits.
        error: Expression,
    },
    /// A header becomes valid or invalid. If that is new, its fields are undefined after it, and variable-length ones
    /// have no bits.
    SetValid {
        /// Which header.
        header: HeaderPlace,
        /// What it becomes.
        valid: bool,
    },
    /// A header goes into the packet that leaves, if it is valid (16.1).
    Emit {
        /// Which header.
        header: HeaderPlace,
    },
}

impl PacketStatement {
    /// The expressions directly inside.
    pub fn expressions(&self) -> Vec<&Expression> {
        match self {
            Self::Extract { header, length } => header.expressions().chain(length).collect(),
            Self::Lookahead { .. } => vec![],
            Self::Advance { bits } => vec![bits],
            Self::Verify { condition, error } => vec![condition, error],
            Self::SetValid { header, .. } | Self::Emit { header } => header.expressions().collect(),
        }
    }

    /// The expressions directly inside, to change.
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
