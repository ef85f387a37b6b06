//! The real clock of nodes.

use basis::{Duration, Instant};

/// The monotonic clock of the system, which counts from when this was made.
#[derive(Clone, Copy, Debug)]
pub struct RealClock {
    start: std::time::Instant,
}

impl RealClock {
    /// Returns a clock that starts at zero now.
    #[allow(clippy::new_without_default)] // a default value should not depend on the time
    pub fn new() -> Self {
        Self { start: std::time::Instant::now() }
    }

    /// Puts the clock forward, so that it is at least a time now.
    pub(crate) fn advance(&mut self, to: Instant) {
        let ahead = to.since(self.now()).picoseconds() / 1000;
        if let Some(start) = self.start.checked_sub(std::time::Duration::from_nanos(ahead)) {
            self.start = start;
        }
    }

    /// Returns the present time to the nanosecond. It never decreases.
    pub fn now(&self) -> Instant {
        let nanoseconds = u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        Instant::ZERO + Duration::from_nanoseconds(nanoseconds)
    }
}
