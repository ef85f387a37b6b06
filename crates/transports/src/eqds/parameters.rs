//! What can be set about EQDS.

use basis::Duration;
use node::Line;
use serde::{Deserialize, Serialize};

use super::format::HEAD;
use crate::paths::PathChoice;
use crate::timeouts::{Patience, doubled};

/// How EQDS is to behave. All hosts that talk with each other are given the same, but for their lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parameters {
    /// The line of its host: its rate paces credit.
    pub line: Line,
    /// A full data packet in bytes, from the first of Ethernet's, without frame check sequence; more than the 64
    /// bytes of its headers, at most 65,549 (IPv4).
    pub packet_bytes: u32,
    /// How many full packets of a message are sent before the receiver has granted anything. None: the message begins
    /// with an RTS.
    pub first_window: u32,
    /// For how many full packets a sender asks at most, beside the credit that it has; at least 1.
    pub window: u32,
    /// The unit in which credit is counted, in bytes of packets; at least 1. Demand has 16 bits on the wire, so that
    /// the window may hold [`Parameters::MOST_QUANTA`] of them.
    pub quantum: u32,
    /// How much one CREDIT grants at most, in bytes of packets; rounded down to whole quanta, at least one.
    pub credit_bytes: u32,
    /// After so many bytes of payload without an ACK there is one.
    pub acknowledge_bytes: u32,
    /// How many paths there are to choose from, 1 to 16,384. Switches take the number of a path modulo how many they
    /// know, so this may be more than there are.
    pub paths: u16,
    /// How a path is chosen for each data packet.
    pub path_choice: PathChoice,
    /// How long a data packet or a request may be without an answer before it is taken to be lost; doubles each time
    /// that nothing is heard meanwhile. More than zero.
    pub retransmission_timeout: Duration,
    /// Above this it does not double.
    pub longest_timeout: Duration,
    /// After so many timeouts of a message with nothing heard between them, or so many of its data with no packet known to
    /// have arrived between them, it is abandoned.
    pub attempts: u8,
}

impl Parameters {
    /// A window has at most so many quanta: a fourth of what 16 bits count, so that late demand is told from new.
    pub const MOST_QUANTA: u64 = 1 << 14;

    /// The defaults for a host on `line`: packets of 9000 bytes, 30 of them at first, which is what a path of 100 Gb/s
    /// and 21 us there and back holds, and 50 asked for, as in htsim; quanta of 512 bytes, and an ACK each 16 KiB, as
    /// in htsim, too; 16 KiB a CREDIT; one path; timeouts from 1 ms to 16 ms; 64 attempts.
    pub fn new(line: Line) -> Self {
        Self {
            line,
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

    /// Payload of a full data packet, in bytes.
    pub fn payload_bytes(&self) -> u16 {
        u16::try_from(self.packet_bytes.saturating_sub(HEAD as u32)).unwrap_or(0)
    }

    /// What a sender asks for at most, in quanta.
    pub fn window_quanta(&self) -> u64 {
        self.quanta(self.window_bytes())
    }

    /// What a sender may ask for beside what it was granted, in quanta: a window, and what it has sent above its credit,
    /// which is less than a packet.
    pub(super) fn most_wanted(&self) -> u64 {
        self.quanta(self.window_bytes() + u64::from(self.packet_bytes))
    }

    pub(super) fn window_bytes(&self) -> u64 {
        u64::from(self.window) * u64::from(self.packet_bytes)
    }

    /// So many bytes of packets in quanta, rounded up.
    pub(super) fn quanta(&self, bytes: u64) -> u64 {
        bytes.div_ceil(u64::from(self.quantum))
    }

    /// What one CREDIT grants at most, in quanta.
    pub(super) fn credit_quanta(&self) -> u64 {
        u64::from(self.credit_bytes / self.quantum).max(1)
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

    /// How long a message whose packets were all answered may wait for credit: four timeouts of a packet. Where many send to
    /// one, credit comes later, and an RTS that asks in vain costs a few bytes.
    pub(super) fn waiting_timeout(&self, patience: &Patience, timeouts: u8) -> Duration {
        self.timeout(timeouts).min(self.packet_timeout(patience, timeouts).times(4))
    }

    /// Time from one CREDIT of [`Parameters::credit_quanta`] to the next: what the packets take on the line that it
    /// lets go, and the control packets for as much that the host itself sends meanwhile, which share the line to it:
    /// a CREDIT, and the ACKs.
    pub(super) fn credit_interval(&self) -> Duration {
        let bytes = self.credit_quanta() * u64::from(self.quantum);
        let packet = u128::from(self.line.time_of(self.packet_bytes as usize).picoseconds());
        let data = packet * u128::from(bytes) / u128::from(self.packet_bytes);
        let control = self.line.time_of(HEAD).times(1 + (bytes / u64::from(self.acknowledge_bytes.max(1))).max(1));
        Duration::from_picoseconds(u64::try_from(data).unwrap_or(u64::MAX / 2)) + control
    }
}
