//! A record of a flow log.

use basis::Instant;

use crate::configuration::Course;
use crate::session::{Count, FlowKey};

/// A record of the flow log of a vNIC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlowRecord {
    /// Packets of a flow.
    Flow(RecordedFlow),
    /// No packet of the vNIC was recorded in a window.
    NoData {
        /// The position of the vNIC.
        vnic: u32,
        /// The time at which the window began.
        first: Instant,
        /// The time at which it ended.
        last: Instant,
    },
    /// Some records of the vNIC found no room in a window.
    Skipped {
        /// The position of the vNIC.
        vnic: u32,
        /// The time at which the window began.
        first: Instant,
        /// The time at which it ended.
        last: Instant,
    },
}

/// The packets of one direction of a flow in one window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordedFlow {
    /// The position of the vNIC.
    pub vnic: u32,
    /// The key of the packets as the vNIC sees them.
    pub key: FlowKey,
    /// Whether the vNIC sends them or is given them.
    pub course: Course,
    /// The number of packets, and of the bytes of their frames.
    pub count: Count,
    /// The time of the first packet.
    pub first: Instant,
    /// The time of the last packet.
    pub last: Instant,
    /// Whether the security groups of the vNIC accept the flow.
    pub is_accepted: bool,
    /// What is known of their session, if they have one.
    pub session: Option<RecordedSession>,
}

/// What a record says of a session beside the packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordedSession {
    /// The time at which it began.
    pub began: Instant,
    /// The key of the packets as the other end sees them.
    pub peer: FlowKey,
    /// The place of the other end.
    pub far: FarEnd,
}

/// The place of the other end of a session, as seen from a vNIC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FarEnd {
    /// A vNIC of this switch, by its position.
    Vnic(u32),
    /// Another switch, by its tunnel endpoint as a number, to which packets leave on the path of the underlay at this position.
    Endpoint(u128, usize),
    /// The world outside all VPCs, to which packets leave on the path of the underlay at this position.
    Outside(usize),
    /// It is not known, because nothing leads there any more.
    Unknown,
}

impl FlowRecord {
    /// Returns the position of the vNIC.
    pub fn vnic(&self) -> u32 {
        match self {
            Self::Flow(RecordedFlow { vnic, .. }) | Self::NoData { vnic, .. } | Self::Skipped { vnic, .. } => *vnic,
        }
    }
}
