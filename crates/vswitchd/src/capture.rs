//! The stages of the virtual switch at which packets are captured.

use serde::{Deserialize, Serialize};
use service::capture as floor;

/// A stage at which packets are captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CapturePoint {
    /// Packets as they arrive.
    In,
    /// Packets behind the parser and the match, out of their tunnel, with what was found as a comment.
    Matched,
    /// Packets behind the actions, before any interface has taken them.
    Acted,
    /// Packets that an interface has taken.
    Out,
    /// Packets that were discarded, with the reason as a comment.
    Dropped,
}

impl CapturePoint {
    /// The stages with their names, in the order in which a packet passes them.
    pub const ALL: [(&'static str, Self); 5] = [
        ("in", Self::In),
        ("matched", Self::Matched),
        ("acted", Self::Acted),
        ("out", Self::Out),
        ("dropped", Self::Dropped),
    ];

    /// Returns the stage of a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(own, _)| *own == name).map(|(_, point)| point)
    }
}

impl floor::CapturePoint for CapturePoint {
    const RECEIVED: Self = Self::In;
    const TRANSMITTED: Self = Self::Out;
    const DISCARDED: Self = Self::Dropped;
}
