//! What both the writer and the reader know of the bytes.

use crc::{CRC_32_ISO_HDLC, Crc};

/// The version that is written, and the newest that is read.
pub const VERSION: u16 = 5;
/// The first version whose sessions have what was seen of both directions.
pub const SEEN: u16 = 2;
/// The first version with the numbers of tunnels behind the sessions.
pub const TUNNELS: u16 = 3;
/// The first version that says of a connection that a reset of it is in doubt.
pub const DOUBTS: u16 = 4;
/// The first version that says what was discarded of the packets that the flow log does not have.
pub const STOPPED: u16 = 5;
/// The first bytes.
pub const MAGIC: [u8; 8] = *b"VSWITCH\0";
/// The origins of sessions.
pub const FROM_VNIC: u8 = 0;
pub const FROM_ENDPOINT: u8 = 1;
/// The flags of a reliable tunnel, from the lowest bit on: it is answered, it has a sender, it had one before.
pub const TUNNEL_FLAGS: u8 = 0b111;
/// The flags of a TCP connection's half, from the lowest bit on: known, SYN, FIN, open, shut.
pub const HALF_FLAGS: u8 = 0b1_1111;

static CRC: Crc<u32> = Crc::<u32>::new(&CRC_32_ISO_HDLC);

/// Returns the checksum of bytes.
pub fn checksum(bytes: &[u8]) -> u32 {
    CRC.checksum(bytes)
}
