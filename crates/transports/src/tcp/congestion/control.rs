//! The contract of congestion control algorithms.

use std::fmt;

use basis::snapshot::Snapshot;
use basis::{Duration, Instant};

/// A congestion control algorithm, by name: it makes the control of each connection.
pub trait CongestionAlgorithm: fmt::Debug + Sync {
    /// Returns the name of the algorithm in plans, such as `cubic`.
    fn name(&self) -> &'static str;

    /// Returns true if the algorithm needs every mark of the network (RFC 8257): its connections always ask for
    /// explicit congestion notification, and their receivers echo each mark instead of one a window.
    fn counts_marks(&self) -> bool {
        false
    }

    /// Makes the control of a connection that has not been opened.
    fn control(&self) -> Box<dyn CongestionControl>;
}

/// The control of the congestion window of one connection: a state machine that is told of acknowledgements and losses.
///
/// Slow start (RFC 5681, section 3.1) and the bounds of a window are the same for all. An algorithm says how the window
/// grows beyond, how far it shrinks, and may change it at any acknowledgement. The defaults are those of NewReno.
pub trait CongestionControl: fmt::Debug + Send + Snapshot {
    /// Tells of every acknowledgement of something that was sent, before anything else is done with it. A control that
    /// is driven by delays changes the window here.
    fn heard(&mut self, acknowledgement: &Heard, window: &mut Window) {
        let _ = (acknowledgement, window);
    }

    /// Lets the window grow in congestion avoidance: new data was acknowledged outside of a recovery, without a mark,
    /// and the window was what limited the sender.
    fn grow(&mut self, acknowledgement: &Heard, window: &mut Window) {
        window.add_segment_a_window(acknowledgement.bytes);
    }

    /// Returns the slow start threshold, in bytes, that becomes the window after a loss or a mark, once for all that
    /// went wrong in a round trip. `in_flight` is FlightSize in bytes. Two segments are the least, whatever is
    /// returned.
    fn reduced(&mut self, cause: Cause, window: &Window, in_flight: u64) -> u64 {
        let _ = (cause, window);
        // RFC 5681, equation 4.
        in_flight / 2
    }

    /// Tells that the retransmission timer has expired, which sets the window to one segment.
    fn timed_out(&mut self) {}
}

/// The reason why a window is reduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A segment was lost.
    Loss,
    /// A switch marked a segment instead of dropping it (ECN).
    Mark,
}

/// An acknowledgement, as far as congestion control depends on it.
#[derive(Clone, Copy, Debug)]
pub struct Heard {
    /// The time at which it arrived.
    pub now: Instant,
    /// The number of bytes that it is the first to acknowledge.
    pub bytes: u64,
    /// The first byte that has not been acknowledged, counted from the start of the connection.
    pub unacknowledged: u64,
    /// The next byte that will be sent for the first time, counted from the start of the connection.
    pub next: u64,
    /// The round trip that it measured: to the microsecond by a timestamp (RFC 7323), exactly without. `None` if the
    /// acknowledged segment was sent more than once and timestamps are not used.
    pub round_trip: Option<Duration>,
    /// The smoothed round trip (SRTT of RFC 6298); zero before the first was measured.
    pub smoothed_round_trip: Duration,
    /// True if it echoes a mark (ECE of RFC 3168).
    pub has_echo: bool,
}

/// The congestion window of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The window, in bytes (cwnd).
    pub bytes: u64,
    /// The slow start threshold, in bytes (ssthresh).
    pub threshold: u64,
    /// The payload of a full segment, in bytes (SMSS).
    pub segment: u64,
    /// Bytes acknowledged in congestion avoidance since the window grew last.
    pub credit: u64,
}

impl Window {
    /// Returns true below the slow start threshold.
    pub fn is_slow_start(&self) -> bool {
        self.bytes < self.threshold
    }

    /// Adds a segment for each window of bytes that is acknowledged (RFC 5681, section 3.1; RFC 8257, section 3.4).
    pub fn add_segment_a_window(&mut self, acknowledged: u64) {
        self.credit += acknowledged;
        if self.credit >= self.bytes {
            self.credit -= self.bytes;
            self.bytes += self.segment;
        }
    }
}
