//! NDP's packets: from meaning to bytes and back.

use basis::Instant;
use node::Reason;
use serde::{Deserialize, Serialize};
use wire::path::{PATHS, source_port};
use wire::{Ndp as Bytes, Packet, dscp, ndp};

use crate::frame::{ENVELOPE, Envelope, congestion};

/// Bytes of a packet before its payload, from the first of Ethernet's.
pub const HEAD: usize = ENVELOPE + Bytes::<&[u8]>::LENGTH;

/// What NDP's header says; see [`wire::Ndp`] for the fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    pub kind: u8,
    pub flags: u8,
    pub message: u32,
    pub sequence: u32,
    pub pull: u32,
    /// Which path the data packet took that this is, or that this answers.
    pub path: u16,
    /// In DATA: for which service of the receiver the message is.
    pub service: u16,
    pub payload_length: u16,
    pub packets: u32,
}

/// A packet that has arrived, read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Received {
    /// Who its IPv4 header says has sent it; in a returned packet, to whom we sent it.
    pub source: u32,
    pub header: Header,
    /// True if its payload has been cut off.
    pub is_trimmed: bool,
    /// True if a switch has sent it back to us.
    pub is_returned: bool,
}

impl Header {
    /// The packet that says this, on its way from one host to another.
    pub fn packet(&self, now: Instant, source: u32, destination: u32, path: u16) -> Packet {
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

    /// True if a flag is set.
    pub fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    /// How urgent the message is, 0 to 15.
    pub fn priority(&self) -> u8 {
        self.flags >> 4
    }
}

/// Reads a packet.
///
/// # Errors
/// Why it cannot be read.
pub fn read(packet: &Packet) -> Result<Received, Reason> {
    let (envelope, rest) = Envelope::open(packet).ok_or(Reason::Unexpected)?;
    if envelope.destination_port != ndp::PORT {
        return Err(Reason::Unexpected);
    }
    // A header that a switch has cut in the middle says nothing.
    let header = Header::parse(rest, envelope.source_port).ok_or(Reason::Malformed)?;
    let is_data = header.kind == ndp::kind::DATA;
    let is_short = packet.len() < HEAD + usize::from(header.payload_length);
    Ok(Received {
        source: envelope.source,
        header,
        is_trimmed: is_data && (envelope.is_marked_as_trimmed() || is_short),
        is_returned: envelope.dscp == dscp::RETURNED,
    })
}
