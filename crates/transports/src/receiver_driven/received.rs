//! Packets that have arrived, read.

use node::Reason;
use wire::path::PATHS;
use wire::{Packet, dscp};

use crate::frame::Envelope;
use crate::reasons;

/// What a packet says behind its UDP header.
pub trait Statement: Copy {
    /// The UDP port to which packets go.
    const PORT: u16;
    /// Bytes of a packet before its payload, from the first of Ethernet's.
    const HEAD: usize;

    /// Reads it from the bytes behind a UDP header; `None` if they are none of this protocol.
    fn parse(bytes: &[u8], source_port: u16) -> Option<Self>;

    /// The packet that says this, on its way from one host to another by a path.
    fn packet(&self, now: basis::Instant, source: u32, destination: u32, path: u16) -> Packet;

    /// The number of the message that it is about.
    fn message(&self) -> u32;

    /// How many bytes of payload a data packet had when it was sent; `None` if it is no data packet.
    fn payload_length(&self) -> Option<u16>;

    /// By which path the data packet came that it answers; `None` if it answers none.
    fn answered_path(&self) -> Option<u16>;

    /// The same data packet by another path: a copy, which has cost no credit and asks for none.
    fn copy_by(&self, path: u16) -> Self;
}

/// A packet that has arrived, read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Received<H> {
    /// Who its IPv4 header says has sent it; in a returned packet, to whom we sent it.
    pub source: u32,
    pub header: H,
    /// Which path it took itself, as its UDP source port says.
    pub path: u16,
    /// True if its payload has been cut off.
    pub is_trimmed: bool,
    /// True if a switch has sent it back to us.
    pub is_returned: bool,
}

/// Reads a packet.
///
/// # Errors
/// Why it cannot be read.
pub fn read<H: Statement>(packet: &Packet) -> Result<Received<H>, Reason> {
    let (envelope, rest) = Envelope::open(packet).ok_or(reasons::UNEXPECTED)?;
    if envelope.destination_port != H::PORT {
        return Err(reasons::UNEXPECTED);
    }
    // A header that a switch has cut in the middle says nothing.
    let header = H::parse(rest, envelope.source_port).ok_or(Reason::MALFORMED)?;
    let is_cut = |payload: u16| envelope.is_marked_as_trimmed() || packet.len() < H::HEAD + usize::from(payload);
    Ok(Received {
        source: envelope.source,
        header,
        path: envelope.source_port & (PATHS - 1),
        is_trimmed: header.payload_length().is_some_and(is_cut),
        is_returned: envelope.dscp == dscp::RETURNED,
    })
}
