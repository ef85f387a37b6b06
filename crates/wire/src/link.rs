//! What a packet's first byte is.

use serde::{Deserialize, Serialize};

/// What a packet's first byte is: the layer that its head starts with.
///
/// Packets keep the layer that they were captured at; nobody invents an Ethernet header for a packet that had none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum LinkLayer {
    /// An Ethernet frame without preamble.
    #[default]
    Ethernet,
    /// An IPv4 or IPv6 packet; the version nibble says which.
    Ip,
    /// Linux "cooked" capture, version 1: 16 bytes that stand for any link header.
    LinuxCooked,
    /// Linux "cooked" capture, version 2: 20 bytes.
    LinuxCookedV2,
    /// BSD loopback: a 4-byte address family in the byte order of the machine that captured.
    Null,
    /// OpenBSD loopback: a 4-byte address family in network byte order.
    Loopback,
    /// No protocol at all: a record of field values.
    Record,
}

impl LinkLayer {
    /// The layer of a LINKTYPE number (tcpdump.org, "Link-layer header types"), if we read it. 12 and 14 are raw
    /// IP as some systems number it in files of their own.
    pub const fn from_link_type(number: u32) -> Option<Self> {
        Some(match number {
            0 => Self::Null,
            1 => Self::Ethernet,
            12 | 14 | 101 | 228 | 229 => Self::Ip,
            108 => Self::Loopback,
            113 => Self::LinuxCooked,
            276 => Self::LinuxCookedV2,
            // The first of the numbers that are kept for private use: our writer uses it for records.
            147 => Self::Record,
            _ => return None,
        })
    }

    /// The LINKTYPE number that our writers use.
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
