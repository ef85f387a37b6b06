//! What an interface or a host left undone in a packet, or did already: work that travels beside the packet and is done
//! at the latest possible place, as in `struct virtio_net_hdr` (Virtual I/O Device specification 1.2, section 5.1.6).

mod check;
mod coalesce;
mod complete;
mod fragment;
mod headers;
mod lacking;
mod segment;
mod sum;
mod within;

pub use coalesce::Coalescer;
use serde::{Deserialize, Serialize};

/// The state of the transport layer's checksum in a packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ChecksumState {
    /// The checksum stands in the packet, and nobody has compared it with the bytes.
    #[default]
    Unknown,
    /// The checksum was compared with the bytes and is right, or the packet never left the computer that made it.
    Verified,
    /// The checksum is still to be computed, over the bytes from `start` to the end of the packet, and to be stored at
    /// `start + offset`. The checksum of the pseudo-header stands there already.
    Partial {
        /// The offset of the first byte that is summed, from the start of the packet.
        start: u16,
        /// The offset of the checksum from there: 16 for TCP, 6 for UDP.
        offset: u8,
    },
}

impl ChecksumState {
    /// Returns the state after the first `before` bytes of the packet were replaced by `after` bytes, behind which the
    /// others stand as they were.
    pub fn moved(self, before: usize, after: usize) -> Self {
        match self {
            Self::Partial { start, offset } => {
                let start = (usize::from(start) + after).saturating_sub(before);
                Self::Partial { start: u16::try_from(start).unwrap_or(u16::MAX), offset }
            }
            state => state,
        }
    }
}

/// The packets into which a packet that is longer than a link takes is to be cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Segmentation {
    /// The protocol whose segments they are.
    pub kind: SegmentationKind,
    /// The number of bytes of payload of each of them but the last, which may have fewer.
    pub size: u16,
    /// Whether the packet is TCP with the flag CWR, which only the first segment keeps (RFC 3168, section 6.1.2).
    pub has_cwr: bool,
}

/// The packets into which a packet is to be cut, in numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segments {
    /// The number of packets; 1 for a packet that is not to be cut.
    pub count: u64,
    /// The sum of their lengths in bytes.
    pub bytes: u64,
    /// The length of the longest in bytes.
    pub longest: u64,
}

/// The protocol by which a packet is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SegmentationKind {
    /// TCP above IPv4.
    TcpIpv4,
    /// TCP above IPv6.
    TcpIpv6,
    /// UDP datagrams, each with a UDP header of its own, above IPv4 or IPv6.
    Udp,
}
