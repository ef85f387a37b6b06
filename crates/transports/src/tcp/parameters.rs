//! The parameters of TCP.

use std::fmt;

use basis::Duration;

use super::congestion::{CongestionAlgorithm, Cubic, Dctcp, NewReno};
use super::segment::{ETHERNET, FIXED_HEADERS};

/// The parameters of TCP. Where the RFCs leave a choice, the defaults are those of Linux.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TcpParameters {
    /// The length of a full data packet in bytes, from the Ethernet header on and without frame check sequence; 128 to
    /// 65,549 (the maximum of IPv4).
    pub packet_bytes: u32,
    /// The congestion control algorithm.
    pub algorithm: Algorithm,
    /// Whether to request explicit congestion notification (RFC 3168) and to accept it. DCTCP always does both.
    pub ecn: bool,
    /// Whether to request selective acknowledgements (RFC 2018) and to accept them.
    pub sack: bool,
    /// Whether to request timestamps (RFC 7323) and to accept them.
    pub timestamps: bool,
    /// Whether to pace the packets of a window over the round-trip time.
    pub pacing: bool,
    /// The initial congestion window, in full segments (RFC 6928: 10); at least 1.
    pub initial_window: u32,
    /// The receive buffer of a connection beyond the first missing byte, in bytes; 1 to 2^30.
    pub receive_buffer: u32,
    /// The longest content of a message that is sent or received, in bytes; it is kept in memory until the message is
    /// complete. Messages that have only a length may be longer.
    pub longest_content: u64,
    /// The retransmission timeout before the first round-trip time measurement (RFC 6298, rule 2.1: 1 s).
    pub first_timeout: Duration,
    /// The minimum retransmission timeout. RFC 6298, rule 2.4, asks for 1 s, Linux uses 200 ms, and data centres use 1
    /// ms to 10 ms. A minimum below [`TcpParameters::delayed_ack`] causes spurious timeouts.
    pub shortest_timeout: Duration,
    /// The maximum retransmission timeout (RFC 6298, rule 2.5: at least 60 s).
    pub longest_timeout: Duration,
    /// The number of consecutive timeouts that a connection survives; the next one ends it (R2 of RFC 9293, section
    /// 3.8.3).
    pub attempts: u8,
    /// The number of consecutive timeouts that a connection survives while it is being opened.
    pub opening_attempts: u8,
    /// The maximum time that an acknowledgement is delayed (RFC 1122, section 4.2.3.2: less than 500 ms).
    pub delayed_ack: Duration,
    /// The number of segments after which an acknowledgement is sent at once (RFC 5681, section 4.2: 2); 1 acknowledges
    /// each segment.
    pub segments_per_ack: u8,
    /// The time for which a closed connection is remembered in TIME-WAIT, to answer a retransmitted FIN. RFC 9293 asks
    /// for 4 minutes, which is meant for the longest detours on the Internet.
    pub time_wait: Duration,
}

/// The congestion control algorithm of connections: one of ours, or any [`CongestionAlgorithm`]. Two are the same if
/// their names are.
#[derive(Clone, Copy)]
pub struct Algorithm(pub &'static dyn CongestionAlgorithm);

impl Algorithm {
    /// NewReno (RFC 5681).
    pub const NEW_RENO: Self = Self(&NewReno);
    /// CUBIC (RFC 9438).
    pub const CUBIC: Self = Self(&Cubic);
    /// DCTCP (RFC 8257), for data centres whose switches mark early.
    pub const DCTCP: Self = Self(&Dctcp);
}

impl Default for Algorithm {
    fn default() -> Self {
        Self::CUBIC
    }
}

impl PartialEq for Algorithm {
    fn eq(&self, other: &Self) -> bool {
        self.0.name() == other.0.name()
    }
}

impl Eq for Algorithm {}

impl fmt::Debug for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.name())
    }
}

impl Default for TcpParameters {
    fn default() -> Self {
        Self {
            packet_bytes: 1514,
            algorithm: Algorithm::default(),
            ecn: false,
            sack: true,
            timestamps: true,
            pacing: false,
            initial_window: 10,
            receive_buffer: 6 << 20,
            longest_content: 1 << 30,
            first_timeout: Duration::from_microseconds(1_000_000),
            shortest_timeout: Duration::from_microseconds(200_000),
            longest_timeout: Duration::from_microseconds(60_000_000),
            attempts: 15,
            opening_attempts: 6,
            delayed_ack: Duration::from_microseconds(40_000),
            segments_per_ack: 2,
            time_wait: Duration::from_microseconds(10_000),
        }
    }
}

impl TcpParameters {
    /// Returns the defaults with timers for a data centre: a minimum timeout of 1 ms, an initial timeout of 10 ms, and
    /// acknowledgements that are delayed by at most 500 us.
    pub fn data_center(algorithm: Algorithm) -> Self {
        Self {
            algorithm,
            first_timeout: Duration::from_microseconds(10_000),
            shortest_timeout: Duration::from_microseconds(1000),
            delayed_ack: Duration::from_microseconds(500),
            ..Self::default()
        }
    }

    /// Returns the maximum payload of a segment without options, which is the value of the maximum segment size option
    /// (RFC 6691).
    pub fn maximum_segment(&self) -> u16 {
        (self.packet_bytes.saturating_sub((ETHERNET + FIXED_HEADERS) as u32)).min(u32::from(u16::MAX)) as u16
    }

    /// Returns the payload of a full segment in bytes, after the options that all segments have: 12 bytes for
    /// timestamps with padding, if they are requested (RFC 7323, appendix A).
    pub fn segment_payload(&self) -> u16 {
        self.maximum_segment().saturating_sub(if self.timestamps { 12 } else { 0 })
    }

    /// Returns true if the connection requests ECN.
    pub(super) fn uses_ecn(&self) -> bool {
        self.ecn || self.algorithm.0.counts_marks()
    }

    /// Returns the window scale: the shift with which the receive buffer fits into 16 bits.
    pub(super) fn window_scale(&self) -> u8 {
        (0..14).find(|scale| self.receive_buffer >> scale <= u32::from(u16::MAX)).unwrap_or(14)
    }

    pub(super) fn check(&self) {
        assert!((128..=65_549).contains(&self.packet_bytes), "a packet has 128 to 65549 bytes");
        assert!((1..=1 << 30).contains(&self.receive_buffer), "a receive buffer has 1 to 2^30 bytes");
        assert!(
            self.initial_window > 0 && self.segments_per_ack > 0,
            "the initial window and the segments per acknowledgement are at least 1"
        );
        assert!(
            self.shortest_timeout > Duration::ZERO && self.first_timeout > Duration::ZERO,
            "timeouts are longer than zero"
        );
        assert!(self.shortest_timeout <= self.longest_timeout, "the shortest timeout is at most the longest");
    }
}
