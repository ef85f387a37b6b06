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

impl floor::CapturePoint for CapturePoint {
    const RECEIVED: Self = Self::In;
    const TRANSMITTED: Self = Self::Out;
    const DISCARDED: Self = Self::Dropped;
    const ALL: &'static [(&'static str, Self)] = &[
        ("in", Self::In),
        ("matched", Self::Matched),
        ("acted", Self::Acted),
        ("out", Self::Out),
        ("dropped", Self::Dropped),
    ];
}
