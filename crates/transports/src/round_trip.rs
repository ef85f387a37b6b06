//! The smoothed round-trip time (RFC 6298, section 2).

use basis::Duration;
use serde::{Deserialize, Serialize};

/// The smoothed round-trip time of a connection or message, and its variation.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct RoundTrip {
    /// SRTT and RTTVAR, in picoseconds, once there is a measurement.
    smoothed: Option<(u64, u64)>,
}

impl RoundTrip {
    /// Adds a measurement. It must be certain which transmission of the packet was answered (Karn's algorithm, RFC
    /// 6298, section 3).
    pub fn measured(&mut self, round_trip: Duration) {
        let sample = round_trip.picoseconds();
        let (smoothed, variation) = match self.smoothed {
            // Rule 2.2.
            None => (sample, sample / 2),
            // Rule 2.3, with alpha 1/8 and beta 1/4: the variation is updated first, with the old smoothed value.
            Some((smoothed, variation)) => {
                let variation = variation - variation / 4 + smoothed.abs_diff(sample) / 4;
                (smoothed - smoothed / 8 + sample / 8, variation)
            }
        };
        self.smoothed = Some((smoothed, variation));
    }

    /// Returns true if there has been a measurement.
    pub fn is_known(&self) -> bool {
        self.smoothed.is_some()
    }

    /// Returns SRTT; `None` before the first measurement.
    pub fn mean(&self) -> Option<Duration> {
        self.smoothed.map(|(smoothed, _)| Duration::from_picoseconds(smoothed))
    }

    /// Returns the retransmission timeout, SRTT + max(G, 4 RTTVAR), where the RFC's G is the clock granularity and here
    /// the given least margin; `None` before the first measurement.
    pub fn timeout(&self, margin: Duration) -> Option<Duration> {
        let (smoothed, variation) = self.smoothed?;
        Some(Duration::from_picoseconds(smoothed + (4 * variation).max(margin.picoseconds())))
    }
}
