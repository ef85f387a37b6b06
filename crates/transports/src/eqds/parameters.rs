//! The parameters of EQDS.

use basis::Duration;
use node::Link;
use serde::{Deserialize, Serialize};

use super::format::HEAD;
use crate::paths::PathChoice;
use crate::timeouts::{Patience, doubled};

/// The parameters of EQDS. Communicating hosts must use the same values, except for their links.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EqdsParameters {
    /// The sending end of the host's link, whose rate paces credit.
    pub link: Link,
    /// The length of a full data packet in bytes, from the Ethernet header on and without frame check sequence; more
    /// than the 64 bytes of its headers, and at most 65,549 (the maximum of IPv4).
    pub packet_bytes: u32,
    /// The number of full packets of a message that are sent before the receiver has granted any credit. With 0,
    /// messages begin with an RTS.
    pub first_window: u32,
    /// The maximum number of full packets for which a sender requests credit, beyond the credit that it has; at least
    /// 1.
    pub window: u32,
    /// The unit of credit, in bytes of packets; at least 1. Demand has 16 bits on the wire, so that the window may have
    /// at most [`EqdsParameters::MOST_QUANTA`] quanta.
    pub quantum: u32,
    /// The maximum that one CREDIT grants, in bytes of packets; it is rounded down to whole quanta, but is at least
    /// one.
    pub credit_bytes: u32,
    /// The number of bytes of payload after which an ACK is sent.
    pub acknowledge_bytes: u32,
    /// The number of paths to choose from, 1 to 16,384. Switches take the number of a path modulo the number of paths
    /// that they know, so this may exceed the number that exist.
    pub paths: u16,
    /// The way in which a path is chosen for each data packet.
    pub path_choice: PathChoice,
    /// The time after which an unanswered data packet or request counts as lost. It applies until a round trip is
    /// measured and is the upper limit from then on; it doubles with each timeout until an answer arrives. More than
    /// zero.
    pub retransmission_timeout: Duration,
    /// The limit up to which the timeout doubles.
    pub longest_timeout: Duration,
    /// The number of consecutive timeouts of a message without an answer, or of its data without an acknowledged
    /// packet, after which it is abandoned.
    pub attempts: u8,
}

impl EqdsParameters {
    /// The maximum number of quanta in a window: a quarter of the range of 16 bits, so that outdated demand can be told
    /// from new demand.
    pub const MOST_QUANTA: u64 = 1 << 14;

    /// Returns the defaults for a host on `link`: packets of 9000 bytes; a first window of 30 packets, which fills a
    /// path of 100 Gb/s with a round-trip time of 21 us; a window of 50 packets, quanta of 512 bytes and an ACK every
    /// 16 KiB, all as in htsim; 16 KiB per CREDIT; one path; timeouts from 1 ms to 16 ms; 64 attempts.
    pub fn new(link: Link) -> Self {
        Self {
            link,
            packet_bytes: 9000,
            first_window: 30,
            window: 50,
            quantum: 512,
            credit_bytes: 16_384,
            acknowledge_bytes: 16_384,
            paths: 1,
            path_choice: PathChoice::default(),
            retransmission_timeout: Duration::from_microseconds(1000),
            longest_timeout: Duration::from_microseconds(16_000),
            attempts: 64,
        }
    }

    /// Returns the payload of a full data packet in bytes.
    pub fn payload_bytes(&self) -> u16 {
        u16::try_from(self.packet_bytes.saturating_sub(HEAD as u32)).unwrap_or(0)
    }

    /// Returns the window in quanta.
    pub fn window_quanta(&self) -> u64 {
        self.quanta(self.window_bytes())
    }

    /// Returns the maximum demand beyond what was granted, in quanta: a window, and what the sender has sent beyond its
    /// credit, which is less than a packet.
    pub(super) fn most_wanted(&self) -> u64 {
        self.quanta(self.window_bytes() + u64::from(self.packet_bytes))
    }

    pub(super) fn window_bytes(&self) -> u64 {
        u64::from(self.window) * u64::from(self.packet_bytes)
    }

    /// Converts bytes of packets to quanta, rounded up.
    pub(super) fn quanta(&self, bytes: u64) -> u64 {
        bytes.div_ceil(u64::from(self.quantum))
    }

    /// Returns the maximum that one CREDIT grants, in quanta.
    pub(super) fn credit_quanta(&self) -> u64 {
        u64::from(self.credit_bytes / self.quantum).max(1)
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

    /// Returns the time for which a message whose packets were all answered may wait for credit: four timeouts of a
    /// packet. In an incast, credit arrives later than that, and a needless RTS costs only a few bytes.
    pub(super) fn waiting_timeout(&self, patience: &Patience, timeouts: u8) -> Duration {
        self.timeout(timeouts).min(self.packet_timeout(patience, timeouts).times(4))
    }

    /// Returns the time from one CREDIT of [`EqdsParameters::credit_quanta`] to the next: the time on the link of the
    /// packets that it releases, and of the control packets (a CREDIT and the ACKs) that this host itself receives for
    /// as much of its own traffic, which share the link to it.
    pub(super) fn credit_interval(&self) -> Duration {
        let bytes = self.credit_quanta() * u64::from(self.quantum);
        let packet = u128::from(self.link.time_of(self.packet_bytes as usize).picoseconds());
        let data = packet * u128::from(bytes) / u128::from(self.packet_bytes);
        let control = self.link.time_of(HEAD).times(1 + (bytes / u64::from(self.acknowledge_bytes.max(1))).max(1));
        Duration::from_picoseconds(u64::try_from(data).unwrap_or(u64::MAX / 2)) + control
    }
}
