//! One direction of PCIe between network card and memory.

use basis::{Duration, Instant, Rate};
use serde::{Deserialize, Serialize};

/// A bus that carries one packet at a time.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Bus {
    rate: Option<Rate>,
    free_at: Instant,
    /// The total time for which the bus has been busy.
    pub busy: Duration,
}

impl Bus {
    pub fn new(rate: Option<Rate>) -> Self {
        Self { rate, free_at: Instant::ZERO, busy: Duration::ZERO }
    }

    /// Transfers a packet of `bytes` bytes that is ready now, and returns the time at which it reaches the other end.
    pub fn carry(&mut self, now: Instant, bytes: usize) -> Instant {
        let Some(rate) = self.rate else { return now };
        let takes = rate.time_of(bytes as u64);
        self.busy = self.busy + takes;
        self.free_at = self.free_at.max(now) + takes;
        self.free_at
    }
}
