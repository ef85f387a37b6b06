//! EQDS packets, and their conversion to and from bytes.

use basis::Instant;
use serde::{Deserialize, Serialize};
use wire::eqds::{PORT, flag, kind};
use wire::path::{PATHS, source_port};
use wire::{Eqds as Bytes, Packet, dscp};

use crate::frame::{ENVELOPE, Envelope, congestion};
use crate::receiver_driven::{self, Statement};

/// The number of bytes before the payload, from the Ethernet header on.
pub const HEAD: usize = ENVELOPE + Bytes::<&[u8]>::LENGTH;

/// The contents of EQDS's header; see [`wire::Eqds`] for the fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    pub flags: u8,
    pub message: u32,
    pub says: Says,
}

/// The contents of each kind of packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Says {
    Data { sequence: u32, payload_length: u16, path: u16, demand: Demand },
    Ack { cumulative: u32, reference: u16, bitmap: u64, path: u16 },
    Nack { sequence: u32, path: u16 },
    Credit { granted: u32 },
    Rts { to_send_again: u32, demand: Demand },
}

/// The properties of a message that every DATA and RTS carries, so that its receiver can begin with any of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Demand {
    /// The total number of quanta that the sender wants to be granted, modulo 2^16.
    pub target: u16,
    /// The distance in message numbers from the sender's oldest unfinished message to this one.
    pub oldest: u16,
    pub packets: u32,
    pub service: u16,
}

/// A parsed packet that has arrived.
pub type Received = receiver_driven::Received<Header>;

impl Demand {
    fn write<T: AsRef<[u8]> + AsMut<[u8]>>(&self, bytes: &mut Bytes<T>) {
        bytes.set_target(self.target);
        bytes.set_oldest(self.oldest);
        bytes.set_packets(self.packets);
        bytes.set_service(self.service);
    }

    fn read(bytes: &Bytes<&[u8]>) -> Self {
        Self { target: bytes.target(), oldest: bytes.oldest(), packets: bytes.packets(), service: bytes.service() }
    }
}

impl Header {
    /// Returns true if a flag is set.
    pub fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }
}

impl Statement for Header {
    const PORT: u16 = PORT;
    const HEAD: usize = HEAD;

    fn parse(bytes: &[u8], source_port: u16) -> Option<Self> {
        let bytes = Bytes::new(bytes)?;
        let says = match bytes.kind() {
            kind::DATA => Says::Data {
                sequence: bytes.sequence(),
                payload_length: bytes.payload_length(),
                path: source_port & (PATHS - 1),
                demand: Demand::read(&bytes),
            },
            kind::ACK => Says::Ack {
                cumulative: bytes.cumulative(),
                reference: bytes.reference(),
                bitmap: bytes.bitmap(),
                path: bytes.path(),
            },
            kind::NACK => Says::Nack { sequence: bytes.sequence(), path: bytes.path() },
            kind::CREDIT => Says::Credit { granted: bytes.credit() },
            kind::RTS => Says::Rts { to_send_again: bytes.sequence(), demand: Demand::read(&bytes) },
            _ => return None,
        };
        Some(Self { flags: bytes.flags(), message: bytes.message(), says })
    }

    fn packet(&self, now: Instant, source: u32, destination: u32, own_path: u16) -> Packet {
        let mut frame = [0; HEAD];
        let mut bytes = Bytes::new(&mut frame[ENVELOPE..]).expect("the frame has room");
        bytes.set_flags(self.flags);
        bytes.set_message(self.message);
        let (mut code_point, mut payload, mut own_path) = (dscp::CONTROL, 0, own_path);
        let kind = match self.says {
            Says::Data { sequence, payload_length, path, demand } => {
                demand.write(&mut bytes);
                bytes.set_sequence(sequence);
                bytes.set_payload_length(payload_length);
                (code_point, payload, own_path) = (dscp::DATA, u32::from(payload_length), path);
                kind::DATA
            }
            Says::Ack { cumulative, reference, bitmap, path } => {
                bytes.set_cumulative(cumulative);
                bytes.set_bitmap(bitmap);
                bytes.set_reference(reference);
                bytes.set_path(path);
                kind::ACK
            }
            Says::Nack { sequence, path } => {
                bytes.set_sequence(sequence);
                bytes.set_path(path);
                kind::NACK
            }
            Says::Credit { granted } => {
                bytes.set_credit(granted);
                kind::CREDIT
            }
            Says::Rts { to_send_again, demand } => {
                demand.write(&mut bytes);
                bytes.set_sequence(to_send_again);
                kind::RTS
            }
        };
        bytes.set_kind(kind);
        let source_port = source_port(own_path);
        let envelope = Envelope {
            source,
            destination,
            dscp: code_point,
            ecn: congestion::NOT_CAPABLE,
            source_port,
            destination_port: PORT,
        };
        envelope.seal(now, &mut frame, payload)
    }

    fn message(&self) -> u32 {
        self.message
    }

    fn payload_length(&self) -> Option<u16> {
        match self.says {
            Says::Data { payload_length, .. } => Some(payload_length),
            _ => None,
        }
    }

    fn answered_path(&self) -> Option<u16> {
        match self.says {
            Says::Ack { path, .. } | Says::Nack { path, .. } => Some(path),
            _ => None,
        }
    }

    fn copy_by(&self, copied: u16) -> Self {
        let mut copy = Self { flags: self.flags | flag::RETRANSMISSION | flag::ASK, ..*self };
        if let Says::Data { path, .. } = &mut copy.says {
            *path = copied;
        }
        copy
    }
}
