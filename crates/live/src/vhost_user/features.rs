//! The features of a network device that the switch offers to guests (Virtual I/O Device specification 1.2, sections 5.1.3 and
//! 6), and what follows from those that a guest takes.

use crate::{Offload, virtio};

const fn bit(number: u32) -> u64 {
    1 << number
}

const CHECKSUM: u64 = bit(0);
const GUEST_CHECKSUM: u64 = bit(1);
const GUEST_TSO4: u64 = bit(7);
const GUEST_TSO6: u64 = bit(8);
const GUEST_ECN: u64 = bit(9);
const HOST_TSO4: u64 = bit(11);
const HOST_TSO6: u64 = bit(12);
const HOST_ECN: u64 = bit(13);
const MERGED_BUFFERS: u64 = bit(15);
const INDIRECT_DESCRIPTORS: u64 = bit(28);
const EVENT_INDEX: u64 = bit(29);
/// The front end may ask for features of the protocol between it and the switch (vhost-user, section "Feature negotiation").
pub const PROTOCOL_FEATURES: u64 = bit(30);
const VERSION_1: u64 = bit(32);
const GUEST_USO4: u64 = bit(54);
const GUEST_USO6: u64 = bit(55);
const HOST_USO: u64 = bit(56);

/// The features that the switch offers.
pub const OFFERED: u64 = CHECKSUM
    | GUEST_CHECKSUM
    | GUEST_TSO4
    | GUEST_TSO6
    | GUEST_ECN
    | HOST_TSO4
    | HOST_TSO6
    | HOST_ECN
    | MERGED_BUFFERS
    | INDIRECT_DESCRIPTORS
    | EVENT_INDEX
    | PROTOCOL_FEATURES
    | VERSION_1
    | GUEST_USO4
    | GUEST_USO6
    | HOST_USO;

/// The features that a guest has taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Features(pub u64);

impl Features {
    fn has(self, features: u64) -> bool {
        self.0 & features == features
    }

    /// Returns whether the front end says by messages which queues are enabled.
    pub fn has_protocol_features(self) -> bool {
        self.has(PROTOCOL_FEATURES)
    }

    /// Returns whether drivers and device say which entry they want to be told of.
    pub fn has_event_index(self) -> bool {
        self.has(EVENT_INDEX)
    }

    /// Returns whether a frame may lie in several chains.
    pub fn merges_buffers(self) -> bool {
        self.has(MERGED_BUFFERS)
    }

    /// Returns the length of the header in front of each frame: the number of buffers follows [`virtio::LENGTH`] bytes, except in
    /// devices of before version 1 that do not merge buffers (section 5.1.6.1).
    pub fn header_length(self) -> usize {
        if self.0 & (VERSION_1 | MERGED_BUFFERS) == 0 { virtio::LENGTH } else { virtio::LENGTH + 2 }
    }

    /// Returns what the guest takes beyond whole packets with complete checksums.
    pub fn offload(self) -> Offload {
        let checksum = self.has(GUEST_CHECKSUM);
        Offload {
            checksum,
            tcp_segmentation: checksum && self.has(GUEST_TSO4 | GUEST_TSO6 | GUEST_ECN),
            udp_segmentation: checksum && self.has(GUEST_USO4 | GUEST_USO6),
        }
    }
}
