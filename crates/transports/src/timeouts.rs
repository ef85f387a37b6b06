//! Timeouts that double.

use basis::Duration;

/// How long after `timeouts` of them without a sign the next one comes: it doubles from the first to the longest.
pub fn doubled(first: Duration, longest: Duration, timeouts: u8) -> Duration {
    first.times(1 << timeouts.min(32)).min(longest.max(first))
}
