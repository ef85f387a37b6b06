//! The receiver's feedback of congestion marks.

use serde::{Deserialize, Serialize};
use wire::tcp::flag;

use super::segment::{Segment, congestion};

/// The way in which a receiver reports congestion marks to the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Echo {
    /// It does not report them.
    Off,
    /// Every acknowledgement after a mark carries ECE, until the sender has reduced its window and says so (RFC 3168,
    /// section 6.1.3).
    Classic { is_on: bool },
    /// Each acknowledgement carries ECE if the packets that it covers were marked; `is_on` is DCTCP.CE (RFC 8257,
    /// section 3.2).
    Exact { is_on: bool },
}

impl Echo {
    /// Returns true if an arriving segment is marked differently from the segments whose acknowledgement is delayed, so
    /// that these must be acknowledged first, before [`Self::arrived`] is called (RFC 8257, section 3.2).
    pub fn changes(&self, segment: &Segment) -> bool {
        let is_marked = segment.congestion == congestion::EXPERIENCED;
        matches!(*self, Self::Exact { is_on } if segment.payload > 0 && is_on != is_marked)
    }

    /// Records an arriving segment.
    pub fn arrived(&mut self, segment: &Segment) {
        let is_marked = segment.congestion == congestion::EXPERIENCED;
        match self {
            Self::Off => {}
            Self::Classic { is_on } => {
                // The mark on a packet with CWR is newer than the one that CWR responds to.
                *is_on = is_marked || *is_on && !segment.has(flag::CWR);
            }
            Self::Exact { is_on } if segment.payload > 0 => *is_on = is_marked,
            Self::Exact { .. } => {}
        }
    }

    /// Returns the flag that acknowledgements carry now.
    pub fn flag(self) -> u8 {
        match self {
            Self::Classic { is_on: true } | Self::Exact { is_on: true } => flag::ECE,
            _ => 0,
        }
    }
}
