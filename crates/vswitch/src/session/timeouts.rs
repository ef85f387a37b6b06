//! How long sessions without packets are kept.

use basis::Duration;
use serde::{Deserialize, Serialize};
use wire::protocol;

use super::tcp::TcpPhase;

/// The times for which a session is kept after its last packet, by protocol and phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timeouts {
    /// TCP until it is established, and while it is closing: at least 4 minutes (RFC 5382, REQ-5).
    pub tcp_transitory: Duration,
    /// TCP that is established: at least 2 hours 4 minutes (RFC 5382, REQ-5).
    pub tcp_established: Duration,
    /// TCP that is over: late segments of it still find their session (RFC 5382, section 5).
    pub tcp_closed: Duration,
    /// UDP: at least 2 minutes, and 5 are recommended (RFC 4787, REQ-5).
    pub udp: Duration,
    /// Queries of ICMP: at least 60 s (RFC 5508, REQ-2).
    pub icmp: Duration,
    /// Every other protocol.
    pub other: Duration,
}

const fn seconds(seconds: u64) -> Duration {
    Duration::from_microseconds(seconds * 1_000_000)
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            tcp_transitory: seconds(240),
            tcp_established: seconds(7_440),
            tcp_closed: seconds(10),
            udp: seconds(300),
            icmp: seconds(60),
            other: seconds(60),
        }
    }
}

impl Timeouts {
    /// Returns the timeout of a session of a protocol; `phase` is that of TCP.
    pub fn of(&self, protocol: u8, phase: TcpPhase) -> Duration {
        match (protocol, phase) {
            (protocol::TCP, TcpPhase::Established) => self.tcp_established,
            (protocol::TCP, TcpPhase::Opening | TcpPhase::Closing) => self.tcp_transitory,
            (protocol::TCP, TcpPhase::Closed | TcpPhase::Reset) => self.tcp_closed,
            (protocol::UDP | protocol::UDP_LITE, _) => self.udp,
            (protocol::ICMP | protocol::ICMPV6, _) => self.icmp,
            _ => self.other,
        }
    }
}
