//! What is done with the packets of one direction of a session.

use serde::{Deserialize, Serialize};

use crate::configuration::{Course, MacAddress};

/// One thing that is done with a packet. The last action of a list says where it goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Action {
    /// Drops what exceeds the rate of a limiter.
    Limit {
        /// The position of the limiter.
        limiter: u32,
    },
    /// Sends a copy to the receiver of a mirror.
    Mirror {
        /// The position of the mirror.
        mirror: u32,
        /// Whether the packet comes from the vNIC or goes to it.
        course: Course,
    },
    /// Counts the time to live down, as a router does.
    DecrementTimeToLive,
    /// Writes the addresses and ports that the other direction's key has, reversed.
    Translate,
    /// Sends the IP packet to the underlay as it is, to the world outside all VPCs.
    Leave {
        /// The longest IP packet that the route says, in bytes; the underlay's own is another bound.
        mtu: u32,
    },
    /// Sends the frame to a vNIC.
    Deliver {
        /// The position of the vNIC.
        vnic: u32,
    },
    /// Sends the frame through a tunnel to another switch.
    Encapsulate {
        /// The VXLAN network identifier.
        vni: u32,
        /// The address of the other switch's tunnel endpoint, as a number.
        remote: u128,
        /// The destination Ethernet address of the frame inside.
        mac: MacAddress,
        /// The longest inner IP packet, in bytes.
        mtu: u32,
    },
}
