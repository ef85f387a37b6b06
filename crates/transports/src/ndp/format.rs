//! NDP packets, and their conversion to and from bytes.

use basis::Instant;
use serde::{Deserialize, Serialize};
use wire::path::{PATHS, source_port};
use wire::{Ndp as Bytes, Packet, dscp, ndp};

use crate::frame::{ENVELOPE, Envelope, congestion};
use crate::receiver_driven::{self, Statement};

/// The number of bytes before the payload, from the Ethernet header on.
pub const HEAD: usize = ENVELOPE + Bytes::<&[u8]>::LENGTH;

/// The contents of NDP's header; see [`wire::Ndp`] for the fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    pub kind: u8,
    pub flags: u8,
    pub message: u32,
    pub sequence: u32,
    pub pull: u32,
    /// The path of this data packet, or of the data packet that this packet answers.
    pub path: u16,
    /// In DATA, the service of the receiver that the message is for.
    pub service: u16,
    pub payload_length: u16,
    pub packets: u32,
}

/// A parsed packet that has arrived.
pub type Received = receiver_driven::Received<Header>;

impl Header {
    /// Returns true if a flag is set.
    pub fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    /// Returns the priority of the message, 0 to 15.
    pub fn priority(&self) -> u8 {
        self.flags >> 4
    }
}

impl Statement for Header {
    const PORT: u16 = ndp::PORT;
    const HEAD: usize = HEAD;

    fn parse(bytes: &[u8], source_port: u16) -> Option<Self> {
        let bytes = Bytes::new(bytes)?;
        let is_data = bytes.kind() == ndp::kind::DATA;
        Some(Self {
            kind: bytes.kind(),
            flags: bytes.flags(),
            message: bytes.message(),
            sequence: bytes.sequence(),
            pull: bytes.pull(),
            path: if is_data { source_port & (PATHS - 1) } else { bytes.path() },
            service: if is_data { bytes.service() } else { 0 },
            payload_length: bytes.payload_length(),
            packets: bytes.packets(),
        })
    }

    fn packet(&self, now: Instant, source: u32, destination: u32, path: u16) -> Packet {
        let mut frame = [0; HEAD];
        let mut bytes = Bytes::new(&mut frame[ENVELOPE..]).expect("the frame has room");
        bytes.set_kind(self.kind);
        bytes.set_flags(self.flags);
        bytes.set_message(self.message);
        bytes.set_sequence(self.sequence);
        bytes.set_pull(self.pull);
        if self.kind == ndp::kind::DATA {
            bytes.set_service(self.service);
        } else {
            bytes.set_path(self.path);
        }
        bytes.set_payload_length(self.payload_length);
        bytes.set_packets(self.packets);
        let (dscp, payload) = match self.kind {
            ndp::kind::DATA => (dscp::DATA, u32::from(self.payload_length)),
            _ => (dscp::CONTROL, 0),
        };
        let envelope = Envelope {
            source,
            destination,
            dscp,
            ecn: congestion::NOT_CAPABLE,
            source_port: source_port(path),
            destination_port: ndp::PORT,
        };
        envelope.seal(now, &mut frame, payload)
    }

    fn message(&self) -> u32 {
        self.message
    }

    fn payload_length(&self) -> Option<u16> {
        (self.kind == ndp::kind::DATA).then_some(self.payload_length)
    }

    fn answered_path(&self) -> Option<u16> {
        matches!(self.kind, ndp::kind::ACK | ndp::kind::NACK).then_some(self.path)
    }

    fn copy_by(&self, path: u16) -> Self {
        let flags = self.flags & !ndp::flag::MORE | ndp::flag::SYN | ndp::flag::RETRANSMISSION;
        Self { path, flags, ..*self }
    }
}
