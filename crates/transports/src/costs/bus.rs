//! One direction between network card and memory.

use basis::{Duration, Instant, Rate};
use serde::{Deserialize, Serialize};

/// It carries packets one after the other.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Bus {
    rate: Option<Rate>,
    free_at: Instant,
    /// How long it has carried something.
    pub busy: Duration,
}

impl Bus {
    pub fn new(rate: Option<Rate>) -> Self {
        Self { rate, free_at: Instant::ZERO, busy: Duration::ZERO }
    }

    /// When a packet of so many bytes is at the other end that is ready now.
    pub fn carry(&mut self, now: Instant, bytes: usize) -> Instant {
        let Some(rate) = self.rate else { return now };
        let takes = rate.time_of(bytes as u64);
        self.busy = self.busy + takes;
        self.free_at = self.free_at.max(now) + takes;
        self.free_at
    }
}
