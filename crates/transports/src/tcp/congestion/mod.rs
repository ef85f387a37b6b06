//! The congestion window (RFC 5681), and the parts that the algorithms have in common.

mod cubic;
mod dctcp;

use basis::{Duration, Instant};
use serde::{Deserialize, Serialize};

use super::{Algorithm, Parameters};
use cubic::Cubic;
use dctcp::Dctcp;

/// The congestion window of a connection, in bytes.
#[derive(Debug, Serialize, Deserialize)]
pub struct Congestion {
    /// cwnd.
    window: u64,
    /// ssthresh.
    threshold: u64,
    /// SMSS.
    segment: u64,
    /// Bytes acknowledged since the window grew, in congestion avoidance.
    credit: u64,
    algorithm: State,
}

#[derive(Debug, Serialize, Deserialize)]
enum State {
    NewReno,
    Cubic(Cubic),
    Dctcp(Dctcp),
}

/// The reason for a reduction of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    Loss,
    Echo,
}

impl Congestion {
    pub fn new(parameters: &Parameters) -> Self {
        let algorithm = match parameters.algorithm {
            Algorithm::NewReno => State::NewReno,
            Algorithm::Cubic => State::Cubic(Cubic::default()),
            Algorithm::Dctcp => State::Dctcp(Dctcp::default()),
        };
        Self { window: 1, threshold: u64::MAX, segment: 1, credit: 0, algorithm }
    }

    /// Sets the initial window when the connection opens, given the payload of a full segment in bytes and the number
    /// of segments.
    pub fn open(&mut self, segment: u32, initial_window: u32) {
        self.segment = u64::from(segment);
        self.window = self.segment * u64::from(initial_window);
    }

    pub fn window(&self) -> u64 {
        self.window
    }

    pub fn is_slow_start(&self) -> bool {
        self.window < self.threshold
    }

    /// Grows the window for `bytes` newly acknowledged bytes. Must be called only outside of fast recovery, and only if
    /// the window has limited the sender.
    pub fn acknowledged(&mut self, now: Instant, bytes: u64, round_trip: Duration) {
        if self.is_slow_start() {
            // RFC 5681, equation 2.
            self.window += bytes.min(self.segment);
            return;
        }
        match &mut self.algorithm {
            State::Cubic(cubic) => self.window = cubic.grow(now, bytes, round_trip, self.window, self.segment),
            // The window grows by one segment for each window acknowledged (RFC 5681, section 3.1). RFC 8257, section
            // 3.4, is the same.
            State::NewReno | State::Dctcp(_) => {
                self.credit += bytes;
                if self.credit >= self.window {
                    self.credit -= self.window;
                    self.window += self.segment;
                }
            }
        }
    }

    /// Records an acknowledgement up to position `unacknowledged` for `bytes` new bytes, with or without ECE. The next
    /// new data will be sent at position `next`.
    pub fn heard(&mut self, unacknowledged: u64, next: u64, bytes: u64, has_echo: bool) {
        if let State::Dctcp(dctcp) = &mut self.algorithm {
            dctcp.heard(unacknowledged, next, bytes, has_echo);
        }
    }

    /// Reduces the window, which happens at most once per round trip; `in_flight` is FlightSize.
    pub fn reduce(&mut self, cause: Cause, in_flight: u64) {
        self.threshold = self.reduced(cause, in_flight);
        self.window = self.threshold;
        self.credit = 0;
    }

    /// Reduces the window to one segment after a timeout; `is_first` is true for the first timeout since something was
    /// acknowledged.
    pub fn timed_out(&mut self, in_flight: u64, is_first: bool) {
        // The threshold stays the same if the same segment times out again (RFC 5681, section 3.1).
        if is_first {
            self.threshold = self.reduced(Cause::Loss, in_flight);
        }
        if let State::Cubic(cubic) = &mut self.algorithm {
            cubic.timed_out();
        }
        self.window = self.segment;
        self.credit = 0;
    }

    fn reduced(&mut self, cause: Cause, in_flight: u64) -> u64 {
        let reduced = match (&mut self.algorithm, cause) {
            (State::Cubic(cubic), _) => cubic.reduce(self.window, in_flight),
            (State::Dctcp(dctcp), Cause::Echo) => dctcp.reduce(self.window),
            // RFC 5681, equation 4.
            _ => in_flight / 2,
        };
        reduced.max(2 * self.segment)
    }

    /// Limits the window at the end of a recovery without selective acknowledgements (RFC 6582, section 3.2, step 3,
    /// first option).
    pub fn limit(&mut self, in_flight: u64) {
        self.window = self.threshold.min(in_flight.max(self.segment) + self.segment);
    }

    /// Sets the initial window to one segment, because the SYN or SYN-ACK was lost (RFC 5681, section 3.1).
    pub fn opened_late(&mut self) {
        self.window = self.segment;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn congestion(algorithm: Algorithm) -> Congestion {
        let mut congestion = Congestion::new(&Parameters { algorithm, ..Parameters::default() });
        congestion.open(1000, 10);
        congestion
    }

    const ROUND_TRIP: Duration = Duration::from_microseconds(100);

    #[test]
    fn slow_start_adds_at_most_one_segment_per_ack() {
        let mut congestion = congestion(Algorithm::NewReno);
        congestion.acknowledged(Instant::ZERO, 2000, ROUND_TRIP);
        congestion.acknowledged(Instant::ZERO, 300, ROUND_TRIP);
        assert_eq!(congestion.window(), 11_300);
    }

    #[test]
    fn congestion_avoidance_adds_one_segment_per_window() {
        let mut congestion = congestion(Algorithm::NewReno);
        congestion.reduce(Cause::Loss, 40_000);
        assert_eq!(congestion.window(), 20_000);
        for acknowledgement in 1..=20 {
            congestion.acknowledged(Instant::ZERO, 1000, ROUND_TRIP);
            assert_eq!(congestion.window(), if acknowledgement < 20 { 20_000 } else { 21_000 });
        }
    }

    #[test]
    fn the_window_is_never_reduced_below_two_segments() {
        for algorithm in [Algorithm::NewReno, Algorithm::Cubic, Algorithm::Dctcp] {
            for cause in [Cause::Loss, Cause::Echo] {
                let mut congestion = congestion(algorithm);
                (0..30).for_each(|_| congestion.reduce(cause, 1000));
                assert_eq!(congestion.window(), 2000);
            }
        }
    }

    #[test]
    fn a_repeated_timeout_keeps_the_threshold() {
        let mut congestion = congestion(Algorithm::NewReno);
        congestion.timed_out(10_000, true);
        congestion.timed_out(1000, false);
        assert_eq!((congestion.window(), congestion.threshold), (1000, 5000));
    }
}
