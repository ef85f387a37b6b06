//! The retransmission timeout (RFC 6298).

use basis::Duration;
use serde::{Deserialize, Serialize};

use super::TcpParameters;
use crate::round_trip::RoundTrip;

/// The retransmission timer's state: the smoothed round-trip time, the base timeout and the number of backoffs.
#[derive(Debug, Serialize, Deserialize)]
pub struct Timeout {
    round_trip: RoundTrip,
    base: Duration,
    backoff: u8,
}

impl Timeout {
    pub fn new(parameters: &TcpParameters) -> Self {
        Self { round_trip: RoundTrip::default(), base: parameters.first_timeout, backoff: 0 }
    }

    /// Adds a measurement. It must be certain which transmission was acknowledged (Karn's algorithm, RFC 6298, section
    /// 3).
    pub fn measured(&mut self, round_trip: Duration, parameters: &TcpParameters) {
        self.round_trip.measured(round_trip);
        let timeout = self.round_trip.timeout(Duration::ZERO).unwrap_or(self.base);
        self.base = timeout.max(parameters.shortest_timeout).min(parameters.longest_timeout);
        self.backoff = 0;
    }

    /// Doubles the timeout after it has expired (rule 5.5).
    pub fn back_off(&mut self) {
        self.backoff = self.backoff.saturating_add(1);
    }

    /// Sets the timeout for data after the SYN or its answer was lost, if nothing has been measured: three times the
    /// first timeout (rule 5.7, where that is 1 s).
    pub fn opened_late(&mut self, parameters: &TcpParameters) {
        if !self.round_trip.is_known() {
            self.base = parameters.first_timeout.times(3).min(parameters.longest_timeout.max(parameters.first_timeout));
            self.backoff = 0;
        }
    }

    /// Returns the retransmission timeout (RTO).
    pub fn length(&self, parameters: &TcpParameters) -> Duration {
        let doubled = self.base.picoseconds().saturating_mul(1 << self.backoff.min(20));
        Duration::from_picoseconds(doubled).min(parameters.longest_timeout.max(self.base))
    }

    /// Returns the smoothed round-trip time (SRTT).
    pub fn round_trip(&self) -> Option<Duration> {
        self.round_trip.mean()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn milliseconds(count: u64) -> Duration {
        Duration::from_microseconds(count * 1000)
    }

    #[test]
    fn the_timeout_follows_the_rules_of_rfc_6298() {
        let parameters = TcpParameters { shortest_timeout: milliseconds(1), ..TcpParameters::default() };
        let mut timeout = Timeout::new(&parameters);
        assert_eq!(timeout.length(&parameters), milliseconds(1000));
        timeout.measured(milliseconds(80), &parameters);
        // 2.2: 80 + 4 * 40.
        assert_eq!(timeout.length(&parameters), milliseconds(240));
        timeout.measured(milliseconds(160), &parameters);
        // 2.3: RTTVAR = 3/4 * 40 + 1/4 * 80 = 50; SRTT = 7/8 * 80 + 1/8 * 160 = 90.
        assert_eq!(timeout.length(&parameters), milliseconds(290));
        timeout.back_off();
        timeout.back_off();
        assert_eq!(timeout.length(&parameters), milliseconds(1160));
        (0..100).for_each(|_| timeout.back_off());
        assert_eq!(timeout.length(&parameters), parameters.longest_timeout);
        // Karn's algorithm: only a measurement ends the backoff.
        timeout.measured(milliseconds(90), &parameters);
        assert!(timeout.length(&parameters) < milliseconds(290));
    }

    #[test]
    fn the_timeout_is_never_below_the_minimum() {
        let parameters = TcpParameters::default();
        let mut timeout = Timeout::new(&parameters);
        timeout.measured(Duration::from_microseconds(10), &parameters);
        assert_eq!(timeout.length(&parameters), parameters.shortest_timeout);
    }
}
