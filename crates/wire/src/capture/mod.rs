//! Captures: pcap and pcapng, read and written as streams.
//!
//! Sources: draft-ietf-opsawg-pcap (pcap), draft-ietf-opsawg-pcapng (pcapng), tcpdump.org for link types. We read
//! both ourselves: a packet's head is kept and the rest of its record skipped without ever being in memory, and
//! every fault names the byte of the file that it is at.

mod fault;
mod input;
mod pcap;
mod pcapng;
mod reader;
mod timestamp;
mod writer;

pub use fault::Fault;
pub use reader::{Captured, DEFAULT_HEAD_LIMIT, Reader, Tally};
pub use timestamp::Timestamp;
pub use writer::{PcapWriter, PcapngWriter, Resolution};

/// No sane record holds more captured bytes than this: libpcap's own limit (MAXIMUM_SNAPLEN) for every link type
/// that we read. A larger number is a broken file, not a large packet.
const MOST_CAPTURED: u32 = 262_144;

/// The longest packet that a record may say was on the wire, in bytes. A host captures what it sends before its
/// interface cuts it into packets: Linux makes such a piece at most 8 x 65,535 bytes long (GSO_MAX_SIZE, "BIG TCP"), and
/// nothing that is longer goes over any line. A larger number is a broken file, and whoever believed it would give a
/// packet of four gigabytes to a program.
const MOST_ON_WIRE: u32 = 524_288;
