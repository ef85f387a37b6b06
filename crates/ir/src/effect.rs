//! Effects: what a program asks the machine to do with the packet when the entry point is done.

use crate::{DigestId, Expression};

/// A request to the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// A copy of the packet goes to a session's ports.
    Clone {
        /// Of which packet, and where it comes in.
        kind: CloneKind,
        /// The session, which the control plane set up.
        session: Expression,
        /// The place in [`crate::Program::field_lists`] of what the copy keeps.
        keep: Option<usize>,
    },
    /// The packet as it arrived begins again, after ingress.
    Resubmit {
        /// The place in [`crate::Program::field_lists`] of what it keeps.
        keep: Option<usize>,
    },
    /// The packet as it leaves begins again, after the deparser.
    Recirculate {
        /// The place in [`crate::Program::field_lists`] of what it keeps.
        keep: Option<usize>,
    },
    /// The packet is cut to a length in bytes when it leaves.
    Truncate {
        /// The length.
        length: Expression,
    },
    /// The control plane is told something.
    Digest {
        /// Which kind of message.
        digest: DigestId,
        /// What it holds.
        values: Vec<Expression>,
    },
}

/// Of which packet a clone is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CloneKind {
    /// Of the packet as it arrived, into egress.
    IngressToEgress,
    /// Of the packet as it leaves egress, into egress.
    EgressToEgress,
}

impl Effect {
    /// The expressions directly inside.
    pub fn expressions(&self) -> Vec<&Expression> {
        match self {
            Self::Clone { session, .. } => vec![session],
            Self::Resubmit { .. } | Self::Recirculate { .. } => vec![],
            Self::Truncate { length } => vec![length],
            Self::Digest { values, .. } => values.iter().collect(),
        }
    }

    /// The expressions directly inside, to change.
    pub fn expressions_mut(&mut self) -> Vec<&mut Expression> {
        match self {
            Self::Clone { session, .. } => vec![session],
            Self::Resubmit { .. } | Self::Recirculate { .. } => vec![],
            Self::Truncate { length } => vec![length],
            Self::Digest { values, .. } => values.iter_mut().collect(),
        }
    }
}
