//! What can be set about NDP.

use basis::Duration;
use node::Line;
use serde::{Deserialize, Serialize};

use super::format::HEAD;
use crate::paths::PathChoice;
use crate::timeouts::{Patience, doubled};

/// How NDP is to behave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parameters {
    /// The line of its host: its rate paces pulls.
    pub line: Line,
    /// A full data packet in bytes, from the first of Ethernet's, without frame check sequence; more than the 64
    /// bytes of its headers, at most 65,549 (IPv4). All hosts that talk with each other are given the same.
    pub packet_bytes: u32,
    /// How many packets of a message are pushed before the receiver pulls; at least 1.
    pub first_window: u32,
    /// How many paths there are to choose from, 1 to 16,384. Switches take the number of a path modulo how many they
    /// know, so this may be more than there are.
    pub paths: u16,
    /// How a path is chosen for each data packet.
    pub path_choice: PathChoice,
    /// In which order the messages that a host receives are pulled.
    pub pull_order: PullOrder,
    /// How long a data packet may be without an answer before it is taken to be lost, until the round trip was measured,
    /// and at most from then on; doubles each time that nothing is heard meanwhile. More than zero.
    pub retransmission_timeout: Duration,
    /// Above this it does not double.
    pub longest_timeout: Duration,
    /// After so many timeouts of a message with nothing heard between them, it is abandoned.
    pub attempts: u8,
}

/// In which order the messages that a host receives are pulled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum PullOrder {
    /// One after the other, each once a round.
    #[default]
    Fair,
    /// The most urgent first; among equals, each once a round.
    Priority,
}

impl Parameters {
    /// The defaults for a host on `line`: packets of 9000 bytes, 30 of them at first, which is what a path of 100 Gb/s
    /// and 21 us there and back holds; one path; timeouts from 1 ms, as in the paper, to 16 ms; 64 attempts.
    pub fn new(line: Line) -> Self {
        Self {
            line,
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

    /// Payload of a full data packet, in bytes.
    pub fn payload_bytes(&self) -> u16 {
        u16::try_from(self.packet_bytes.saturating_sub(HEAD as u32)).unwrap_or(0)
    }

    /// How long after `timeouts` of them without a sign the next one comes.
    pub(super) fn timeout(&self, timeouts: u8) -> Duration {
        doubled(self.retransmission_timeout, self.longest_timeout, timeouts)
    }

    /// How long a packet may be without an answer before it is taken to be lost, after so many timeouts without a sign.
    pub(super) fn packet_timeout(&self, patience: &Patience, timeouts: u8) -> Duration {
        let first = patience.timeout(self.retransmission_timeout, self.line, self.packet_bytes);
        doubled(first, self.longest_timeout, timeouts)
    }

    /// How long a message whose packets were all answered may wait for leave to go on. Where many send to one, that is long
    /// after a round trip; where packets are lost, it may be lost as well, and is missed after four of their timeouts.
    pub(super) fn waiting_timeout(&self, patience: &Patience, timeouts: u8, has_lost: bool) -> Duration {
        let first = self.timeout(timeouts);
        if has_lost { first.min(self.packet_timeout(patience, timeouts).times(4)) } else { first }
    }

    /// Time between two pulls: what a full data packet takes on the line.
    pub(super) fn pull_interval(&self) -> Duration {
        self.line.time_of(self.packet_bytes as usize)
    }
}
