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
