//! A packet: a head of real bytes, a tail that costs nothing while nobody reads it, and a small sidecar.

use std::sync::Arc;

use basis::Instant;

use crate::{Head, LinkLayer};

/// A packet in flight.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packet {
    /// The bytes that programs parse.
    pub head: Head,
    /// The rest.
    pub tail: Tail,
    /// What travels beside the bytes.
    pub sidecar: Sidecar,
}

/// What follows the head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tail {
    /// Bytes that matter, shared between copies of the packet.
    Bytes(Arc<[u8]>),
    /// Bytes that do not matter: only how many there are.
    Length(u32),
}

/// What travels beside a packet and is not on the wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sidecar {
    /// The packet's place in the order of arrival, from 0; whoever offers the packets numbers them.
    pub id: u64,
    /// When it arrived.
    pub arrival: Instant,
    /// Its length in bytes when it arrived, before anything trimmed or grew it.
    pub original_length: u32,
    /// What its first byte is.
    pub link: LinkLayer,
}

impl Packet {
    /// A packet of real bytes only, whose sidecar says so.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        let original_length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        Self {
            head: Head::copy_of(bytes),
            tail: Tail::Length(0),
            sidecar: Sidecar { original_length, ..Sidecar::default() },
        }
    }

    /// Its length in bytes now.
    #[allow(clippy::len_without_is_empty)] // a packet is never without bytes, and nobody asks
    pub fn len(&self) -> usize {
        self.head.len() + self.tail.len()
    }

    /// Forgets all bytes but the first `length`, if there are more. No header learns of it.
    pub fn truncate(&mut self, length: usize) {
        if length >= self.len() {
            return;
        }
        self.head.truncate(length);
        let rest = length - self.head.len();
        self.tail = match &self.tail {
            Tail::Bytes(bytes) if rest > 0 => Tail::Bytes(Arc::from(&bytes[..rest])),
            // Less than there was, which was counted in 32 bits.
            _ => Tail::Length(rest as u32),
        };
    }

    /// Puts all of its bytes behind those of `into`: zeros for a tail that is only a length.
    pub fn append_to(&self, into: &mut Vec<u8>) {
        into.extend_from_slice(self.head.bytes());
        match &self.tail {
            Tail::Bytes(bytes) => into.extend_from_slice(bytes),
            Tail::Length(length) => into.resize(into.len() + *length as usize, 0),
        }
    }
}

impl Tail {
    /// How many bytes follow the head.
    pub fn len(&self) -> usize {
        match self {
            Self::Bytes(bytes) => bytes.len(),
            Self::Length(length) => *length as usize,
        }
    }

    /// True if nothing follows the head.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
