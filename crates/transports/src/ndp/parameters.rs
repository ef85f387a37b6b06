//! The parameters of NDP.

use basis::Duration;
use node::Link;
use serde::{Deserialize, Serialize};

use super::format::HEAD;
use crate::paths::PathChoice;
use crate::timeouts::{Patience, doubled};

/// The parameters of NDP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NdpParameters {
    /// The sending end of the host's link, whose rate paces pulls.
    pub link: Link,
    /// The length of a full data packet in bytes, from the Ethernet header on and without frame check sequence; more
    /// than the 64 bytes of its headers, and at most 65,549 (the maximum of IPv4). Communicating hosts must use the
    /// same value.
    pub packet_bytes: u32,
    /// The number of packets of a message that are pushed before the receiver pulls; at least 1.
    pub first_window: u32,
    /// The number of paths to choose from, 1 to 16,384. Switches take the number of a path modulo the number of paths
    /// that they know, so this may exceed the number that exist.
    pub paths: u16,
    /// The way in which a path is chosen for each data packet.
    pub path_choice: PathChoice,
    /// The order in which the messages that a host receives are pulled.
    pub pull_order: PullOrder,
    /// The time after which an unanswered data packet counts as lost. It applies until a round trip is measured and is
    /// the upper limit from then on; it doubles with each timeout until an answer arrives. More than zero.
    pub retransmission_timeout: Duration,
    /// The limit up to which the timeout doubles.
    pub longest_timeout: Duration,
    /// The number of consecutive timeouts of a message without an answer after which it is abandoned.
    pub attempts: u8,
}

/// The order in which the messages that a host receives are pulled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum PullOrder {
    /// Round-robin over all messages.
    #[default]
    Fair,
    /// The highest priority first, and round-robin among messages of equal priority.
    Priority,
}

impl NdpParameters {
    /// Returns the defaults for a host on `link`: packets of 9000 bytes, a first window of 30 packets, which fills a
    /// path of 100 Gb/s with a round-trip time of 21 us; one path; timeouts from 1 ms, as in the paper, to 16 ms; 64
    /// attempts.
    pub fn new(link: Link) -> Self {
        Self {
            link,
            packet_bytes: 9000,
            first_window: 30,
            paths: 1,
            path_choice: PathChoice::default(),
            pull_order: PullOrder::default(),
            retransmission_timeout: Duration::from_microseconds(1000),
            longest_timeout: Duration::from_microseconds(16_000),
            attempts: 64,
        }
    }

    /// Returns the payload of a full data packet in bytes.
    pub fn payload_bytes(&self) -> u16 {
        u16::try_from(self.packet_bytes.saturating_sub(HEAD as u32)).unwrap_or(0)
    }

    /// Returns the time to the next timeout after `timeouts` consecutive ones without an answer.
    pub(super) fn timeout(&self, timeouts: u8) -> Duration {
        doubled(self.retransmission_timeout, self.longest_timeout, timeouts)
    }

    /// Returns the time after which an unanswered packet counts as lost, after `timeouts` consecutive timeouts without
    /// an answer.
    pub(super) fn packet_timeout(&self, patience: &Patience, timeouts: u8) -> Duration {
        let first = patience.timeout(self.retransmission_timeout, self.link, self.packet_bytes);
        doubled(first, self.longest_timeout, timeouts)
    }

    /// Returns the time for which a message whose packets were all answered may wait for a pull. In an incast, that may
    /// be long after a round trip. If packets are lost, the pull may be lost as well, and counts as missing after four
    /// of the packets' timeouts.
    pub(super) fn waiting_timeout(&self, patience: &Patience, timeouts: u8, has_lost: bool) -> Duration {
        let first = self.timeout(timeouts);
        if has_lost { first.min(self.packet_timeout(patience, timeouts).times(4)) } else { first }
    }

    /// Returns the time between two pulls: that of a full data packet on the link.
    pub(super) fn pull_interval(&self) -> Duration {
        self.link.time_of(self.packet_bytes as usize)
    }
}
