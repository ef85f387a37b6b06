//! Parsed packets that have arrived.

use node::Reason;
use wire::path::PATHS;
use wire::{Packet, dscp};

use crate::frame::Envelope;
use crate::reasons;

/// A header of the protocol, which follows the UDP header.
pub trait Statement: Copy {
    /// The UDP destination port of all packets.
    const PORT: u16;
    /// The number of bytes before the payload, from the Ethernet header on.
    const HEAD: usize;

    /// Parses the header from the bytes after a UDP header; `None` if they do not belong to this protocol.
    fn parse(bytes: &[u8], source_port: u16) -> Option<Self>;

    /// Builds the packet from one host to another by a path.
    fn packet(&self, now: basis::Instant, source: u32, destination: u32, path: u16) -> Packet;

    /// Returns the number of the message that the packet concerns.
    fn message(&self) -> u32;

    /// Returns the original length of a data packet's payload in bytes; `None` if it is not a data packet.
    fn payload_length(&self) -> Option<u16>;

    /// Returns the path of the data packet that this packet answers; `None` if it answers none.
    fn answered_path(&self) -> Option<u16>;

    /// Returns a copy of the data packet for another path. The copy has used no credit and requests none.
    fn copy_by(&self, path: u16) -> Self;
}

/// A parsed packet that has arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Received<H> {
    /// The source address of its IPv4 header; in a returned packet, the address to which this host had sent it.
    pub source: u32,
    pub header: H,
    /// The path that the packet itself has taken, according to its UDP source port.
    pub path: u16,
    /// True if its payload was trimmed.
    pub is_trimmed: bool,
    /// True if a switch has returned it.
    pub is_returned: bool,
}

/// Parses a packet.
///
/// # Errors
/// The reason to discard the packet: it does not belong to this protocol, or its header is not complete.
pub fn read<H: Statement>(packet: &Packet) -> Result<Received<H>, Reason> {
    let (envelope, rest) = Envelope::open(packet).ok_or(reasons::UNEXPECTED)?;
    if envelope.destination_port != H::PORT {
        return Err(reasons::UNEXPECTED);
    }
    // A header that a switch has truncated cannot be used.
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
