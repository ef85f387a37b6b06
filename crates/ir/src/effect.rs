//! Effects: requests that a program makes to the machine, which carries them out when the entry point has ended.

use crate::{DigestId, Expression};

/// A request to the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Sends a copy of the packet to the ports of a session.
    Clone {
        /// The version of the packet that is copied, and the point where the copy enters.
        kind: CloneKind,
        /// The session, which the control plane configures.
        session: Expression,
        /// The index in [`crate::Program::field_lists`] of the metadata that the copy preserves.
        keep: Option<usize>,
    },
    /// Sends a copy of the packet to the ports of a session, with data in front of it.
    Mirror {
        /// The session, which the control plane configures.
        session: Expression,
        /// The data: numbers and bools, whose bits lie in front of the packet in this order. The last byte is filled up
        /// with zeros.
        data: Vec<Expression>,
    },
    /// Sends the packet as it arrived back to the parser, after ingress.
    Resubmit {
        /// The index in [`crate::Program::field_lists`] of the metadata that the packet preserves.
        keep: Option<usize>,
        /// Data that lie in front of the packet when it begins again, in the form of [`Effect::Mirror`]'s; empty if none
        /// do.
        data: Vec<Expression>,
    },
    /// Sends the packet as it left the deparser back to the parser.
    Recirculate {
        /// The index in [`crate::Program::field_lists`] of the metadata that the packet preserves.
        keep: Option<usize>,
    },
    /// Truncates the departing packet.
    Truncate {
        /// The maximum length in bytes.
        length: Expression,
    },
    /// Sends a message to the control plane.
    Digest {
        /// The kind of message.
        digest: DigestId,
        /// The values of its fields.
        values: Vec<Expression>,
    },
}

/// The version of the packet from which a clone is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CloneKind {
    /// The packet as it arrived; the clone enters egress.
    IngressToEgress,
    /// The packet as it leaves egress; the clone enters egress.
    EgressToEgress,
}

impl Effect {
    /// Returns the operands of the effect.
    pub fn expressions(&self) -> Vec<&Expression> {
        match self {
            Self::Clone { session, .. } => vec![session],
            Self::Mirror { session, data } => [session].into_iter().chain(data).collect(),
            Self::Resubmit { data, .. } => data.iter().collect(),
            Self::Recirculate { .. } => vec![],
            Self::Truncate { length } => vec![length],
            Self::Digest { values, .. } => values.iter().collect(),
        }
    }

    /// Returns the operands of the effect, for modification.
    pub fn expressions_mut(&mut self) -> Vec<&mut Expression> {
        match self {
            Self::Clone { session, .. } => vec![session],
            Self::Mirror { session, data } => [session].into_iter().chain(data).collect(),
            Self::Resubmit { data, .. } => data.iter_mut().collect(),
            Self::Recirculate { .. } => vec![],
            Self::Truncate { length } => vec![length],
            Self::Digest { values, .. } => values.iter_mut().collect(),
        }
    }
}
