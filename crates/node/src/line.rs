//! The sending end of a line: when it is free for the next packet.

use basis::{Duration, Instant, Rate};
use serde::{Deserialize, Serialize};

/// A line that a port sends on. Both who sends and who carries the packets know its rate; what is on it at a time is
/// one packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    rate: Rate,
    framing: u32,
    free_at: Instant,
}

impl Line {
    /// What Ethernet puts around every frame: preamble and start delimiter (8 bytes), frame check sequence (4) and
    /// gap (12) (IEEE 802.3, clauses 3.1.1 and 4.4.2).
    pub const ETHERNET_FRAMING: u32 = 24;

    /// A free line; `framing` is what each packet takes on it beside its own bytes, in bytes.
    pub fn new(rate: Rate, framing: u32) -> Self {
        Self { rate, framing, free_at: Instant::ZERO }
    }

    /// Its rate.
    pub fn rate(&self) -> Rate {
        self.rate
    }

    /// What each packet takes on it beside its own bytes, in bytes.
    pub fn framing(&self) -> u32 {
        self.framing
    }

    /// How long a packet of so many bytes takes on it.
    #[inline]
    pub fn time_of(&self, bytes: usize) -> Duration {
        self.rate.time_of(bytes as u64 + u64::from(self.framing))
    }

    /// True if a packet can start now.
    #[inline]
    pub fn is_free(&self, now: Instant) -> bool {
        self.free_at <= now
    }

    /// When the next packet can start, at the earliest.
    #[inline]
    pub fn free_at(&self) -> Instant {
        self.free_at
    }

    /// A packet of so many bytes starts; says when its last bit has left.
    #[inline]
    pub fn begin(&mut self, now: Instant, bytes: usize) -> Instant {
        debug_assert!(self.is_free(now), "two packets on one line");
        self.free_at = now + self.time_of(bytes);
        self.free_at
    }
}
