//! What can be set about TCP.

use basis::Duration;
use serde::{Deserialize, Serialize};

use super::segment::{ETHERNET, FIXED_HEADERS};

/// How TCP is to behave. The defaults are those of Linux where RFCs leave a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parameters {
    /// A full data packet in bytes, from the first of Ethernet's, without frame check sequence; 128 to 65,549 (IPv4).
    pub packet_bytes: u32,
    /// What decides about the congestion window.
    pub algorithm: Algorithm,
    /// Whether to ask for explicit congestion notification (RFC 3168), and to agree to it. DCTCP always does.
    pub ecn: bool,
    /// Whether to ask for selective acknowledgements (RFC 2018), and to agree to them.
    pub sack: bool,
    /// Whether to ask for timestamps (RFC 7323), and to agree to them.
    pub timestamps: bool,
    /// Whether to spread the packets of a window over the round trip.
    pub pacing: bool,
    /// The window before anything was heard, in full segments (RFC 6928: 10); at least 1.
    pub initial_window: u32,
    /// What a connection can receive beyond the first byte that is missing, in bytes; 1 to 2^30.
    pub receive_buffer: u32,
    /// The longest content of a message that is sent or received, in bytes: it is kept until it is whole. Messages of
    /// which only the length matters may be longer.
    pub longest_content: u64,
    /// The retransmission timeout before the round trip has been measured (RFC 6298, rule 2.1: 1 s).
    pub first_timeout: Duration,
    /// The shortest retransmission timeout. RFC 6298, rule 2.4, wants 1 s, Linux has 200 ms, data centres set 1 ms to
    /// 10 ms. Shorter than [`Parameters::delayed_ack`], it fires in vain.
    pub shortest_timeout: Duration,
    /// The longest (RFC 6298, rule 2.5: not below 60 s).
    pub longest_timeout: Duration,
    /// So many timeouts in a row, and the connection is dead at the next (R2 of RFC 9293, section 3.8.3).
    pub attempts: u8,
    /// The same while it is being opened.
    pub opening_attempts: u8,
    /// How long an acknowledgement may wait for a second segment (RFC 1122, section 4.2.3.2: less than 500 ms).
    pub delayed_ack: Duration,
    /// After so many segments one is acknowledged at once (RFC 5681, section 4.2: 2); 1 to acknowledge each.
    pub segments_per_ack: u8,
    /// How long a connection that is over is remembered, to answer a FIN that comes again. RFC 9293 says 4 minutes,
    /// which is for the Internet's longest detours.
    pub time_wait: Duration,
}

/// What decides about the congestion window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Algorithm {
    /// RFC 5681.
    NewReno,
    /// RFC 9438.
    #[default]
    Cubic,
    /// RFC 8257: for data centres whose switches mark early.
    Dctcp,
}

impl Default for Parameters {
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

impl Parameters {
    /// The defaults with timers for a data centre: timeouts from 1 ms, and 10 ms at first; acknowledgements wait for
    /// 500 us at the most.
    pub fn data_center(algorithm: Algorithm) -> Self {
        Self {
            algorithm,
            first_timeout: Duration::from_microseconds(10_000),
            shortest_timeout: Duration::from_microseconds(1000),
            delayed_ack: Duration::from_microseconds(500),
            ..Self::default()
        }
    }

    /// The largest payload of a segment without options: what the option of that name says (RFC 6691).
    pub fn maximum_segment(&self) -> u16 {
        (self.packet_bytes.saturating_sub((ETHERNET + FIXED_HEADERS) as u32)).min(u32::from(u16::MAX)) as u16
    }

    /// Payload of a full segment with the options that all of them have, in bytes: timestamps, if they are asked for
    /// (RFC 7323, appendix A: 12 bytes with padding).
    pub fn segment_payload(&self) -> u16 {
        self.maximum_segment().saturating_sub(if self.timestamps { 12 } else { 0 })
    }

    /// True if the network may mark instead of dropping.
    pub(super) fn uses_ecn(&self) -> bool {
        self.ecn || self.algorithm == Algorithm::Dctcp
    }

    /// By how many bits a window is shifted, so that the receive buffer fits 16 bits.
    pub(super) fn window_scale(&self) -> u8 {
        (0..14).find(|scale| self.receive_buffer >> scale <= u32::from(u16::MAX)).unwrap_or(14)
    }

    pub(super) fn check(&self) {
        assert!((128..=65_549).contains(&self.packet_bytes), "a packet has 128 to 65549 bytes");
        assert!((1..=1 << 30).contains(&self.receive_buffer), "a receive buffer has 1 to 2^30 bytes");
        assert!(self.initial_window > 0 && self.segments_per_ack > 0, "nothing would ever be sent");
        assert!(self.shortest_timeout > Duration::ZERO && self.first_timeout > Duration::ZERO, "a timeout takes time");
        assert!(self.shortest_timeout <= self.longest_timeout, "the shortest timeout is not longer than the longest");
    }
}
