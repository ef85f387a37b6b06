//! The link-layer types of packets.

use serde::{Deserialize, Serialize};

/// The link-layer type of a packet, which says what its first byte is.
///
/// Packets keep the layer at which they were captured; no Ethernet header is made up for a packet without one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum LinkLayer {
    /// An Ethernet frame without preamble.
    #[default]
    Ethernet,
    /// An IPv4 or IPv6 packet, distinguished by the version nibble.
    Ip,
    /// Linux "cooked" capture, version 1: 16 bytes in place of any link header.
    LinuxCooked,
    /// Linux "cooked" capture, version 2: 20 bytes in place of any link header.
    LinuxCookedV2,
    /// BSD loopback: a 4-byte address family in the byte order of the capturing machine.
    Null,
    /// OpenBSD loopback: a 4-byte address family in network byte order.
    Loopback,
    /// No protocol at all: a record of field values.
    Record,
}

impl LinkLayer {
    /// Returns the layer of a LINKTYPE number (tcpdump.org, "Link-layer header types"), or `None` if it is not
    /// supported. 12 and 14 are numbers that some systems use for raw IP in their own files.
    pub const fn from_link_type(number: u32) -> Option<Self> {
        Some(match number {
            0 => Self::Null,
            1 => Self::Ethernet,
            12 | 14 | 101 | 228 | 229 => Self::Ip,
            108 => Self::Loopback,
            113 => Self::LinuxCooked,
            276 => Self::LinuxCookedV2,
            // The first of the numbers reserved for private use, which our writer uses for records.
            147 => Self::Record,
            _ => return None,
        })
    }

    /// Returns the LINKTYPE number that our writers use.
    pub const fn link_type(self) -> u16 {
        match self {
            Self::Null => 0,
            Self::Ethernet => 1,
            Self::Ip => 101,
            Self::Loopback => 108,
            Self::LinuxCooked => 113,
            Self::LinuxCookedV2 => 276,
            Self::Record => 147,
        }
    }
}
