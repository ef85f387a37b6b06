//! The sending end of a link: when it is free for the next packet.

use basis::{Duration, Instant, Rate};
use serde::{Deserialize, Serialize};

/// The link behind a port, as its sender sees it. The sender and whoever carries the packets both know its rate; it
/// carries one packet at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    rate: Rate,
    framing: u32,
    free_at: Instant,
}

impl Link {
    /// The bytes that Ethernet adds to every frame: preamble and start delimiter (8), frame check sequence (4) and
    /// interpacket gap (12) (IEEE 802.3, clauses 3.1.1 and 4.4.2).
    pub const ETHERNET_FRAMING: u32 = 24;

    /// Creates an idle link; `framing` is the number of bytes that each packet occupies in addition to its own.
    pub fn new(rate: Rate, framing: u32) -> Self {
        Self { rate, framing, free_at: Instant::ZERO }
    }

    /// Returns the rate of the link.
    pub fn rate(&self) -> Rate {
        self.rate
    }

    /// Returns the number of bytes that each packet occupies on the link in addition to its own.
    pub fn framing(&self) -> u32 {
        self.framing
    }

    /// Returns the time that a packet of `bytes` bytes occupies the link, framing included.
    #[inline]
    pub fn time_of(&self, bytes: usize) -> Duration {
        self.rate.time_of(bytes as u64 + u64::from(self.framing))
    }

    /// Returns true if a packet can start now.
    #[inline]
    pub fn is_free(&self, now: Instant) -> bool {
        self.free_at <= now
    }

    /// Returns the earliest time at which the next packet can start.
    #[inline]
    pub fn free_at(&self) -> Instant {
        self.free_at
    }

    /// Starts a packet of `bytes` bytes and returns the time at which its last bit has left. The link must be free.
    #[inline]
    pub fn begin(&mut self, now: Instant, bytes: usize) -> Instant {
        debug_assert!(self.is_free(now), "two packets on one line");
        self.free_at = now + self.time_of(bytes);
        self.free_at
    }
}
