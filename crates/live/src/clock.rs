//! Real time, as nodes are told it.

use basis::{Duration, Instant};

/// The monotonic clock of the system, from when this was made.
#[derive(Clone, Copy, Debug)]
pub struct RealClock {
    start: std::time::Instant,
}

impl RealClock {
    /// A clock that starts now.
    #[allow(clippy::new_without_default)] // a default that differs from call to call would surprise
    pub fn new() -> Self {
        Self { start: std::time::Instant::now() }
    }

    /// What time it is, to the nanosecond; never earlier than before.
    pub fn now(&self) -> Instant {
        let nanoseconds = u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        Instant::ZERO + Duration::from_nanoseconds(nanoseconds)
    }
}
