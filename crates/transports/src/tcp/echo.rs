//! How a receiver tells the sender that packets met congestion.

use serde::{Deserialize, Serialize};
use wire::tcp::flag;

use super::segment::{Segment, congestion};

/// How a receiver tells the sender that packets met congestion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Echo {
    /// It does not.
    Off,
    /// Every acknowledgement after a mark says so, until the sender says that it has reduced its window (RFC 3168,
    /// section 6.1.3).
    Classic { is_on: bool },
    /// An acknowledgement says whether the packets that it is for were marked: DCTCP.CE (RFC 8257, section 3.2).
    Exact { is_on: bool },
}

impl Echo {
    /// A segment has arrived. True if what waits to be acknowledged is to be acknowledged first, by an acknowledgement
    /// made before this call: it is not marked as this one is (RFC 8257, section 3.2, which allows two of them).
    pub fn changes(&self, segment: &Segment) -> bool {
        let is_marked = segment.congestion == congestion::EXPERIENCED;
        matches!(*self, Self::Exact { is_on } if segment.payload > 0 && is_on != is_marked)
    }

    /// A segment has arrived.
    pub fn arrived(&mut self, segment: &Segment) {
        let is_marked = segment.congestion == congestion::EXPERIENCED;
        match self {
            Self::Off => {}
            Self::Classic { is_on } => {
                // The mark of a packet that says CWR is younger than what CWR answers.
                *is_on = is_marked || *is_on && !segment.has(flag::CWR);
            }
            Self::Exact { is_on } if segment.payload > 0 => *is_on = is_marked,
            Self::Exact { .. } => {}
        }
    }

    /// The flag that acknowledgements carry now.
    pub fn flag(self) -> u8 {
        match self {
            Self::Classic { is_on: true } | Self::Exact { is_on: true } => flag::ECE,
            _ => 0,
        }
    }
}
