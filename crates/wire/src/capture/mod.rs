//! Captures: pcap and pcapng, read and written as streams.
//!
//! Sources: draft-ietf-opsawg-pcap (pcap), draft-ietf-opsawg-pcapng (pcapng), tcpdump.org for link types. Both formats
//! are implemented here rather than by a library, so that only the head of each packet is ever in memory while the
//! rest of its record is skipped, and every fault names its offset in the file.

mod annotated;
mod fault;
mod input;
mod pcap;
mod pcapng;
mod reader;
mod timestamp;
mod writer;

pub use annotated::{AnnotatedWriter, Direction};
pub use fault::Fault;
pub use reader::{Captured, DEFAULT_HEAD_LIMIT, Reader, Tally};
pub use timestamp::Timestamp;
pub use writer::{PcapWriter, PcapngWriter, Resolution};

/// The most captured bytes that a valid record holds: libpcap's own limit (MAXIMUM_SNAPLEN) for every link type that
/// we read. A larger number means a damaged file, not a large packet.
const MOST_CAPTURED: u32 = 262_144;

/// The longest packet that a record may claim was on the wire, in bytes. A host captures what it sends before its
/// network card segments it: on Linux such a packet has at most 8 x 65,535 bytes (GSO_MAX_SIZE, "BIG TCP"), and no
/// link carries a longer one. A larger number means a damaged file; believing it would hand a packet of four gigabytes
/// to a program.
const MOST_ON_WIRE: u32 = 524_288;
