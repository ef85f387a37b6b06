//! A packet inside of the switch.

use std::sync::Arc;

use ir::interpret::Packet;
use node::Port;
use wire::{Head, Sidecar, Tail};

/// A packet on its way.
///
/// Programs see all of its bytes, the tail behind the head, zeros for one that is only a length. What they leave of a
/// tail goes out as it came in.
#[derive(Clone, Debug)]
pub(super) struct Traveller {
    /// What blocks work on.
    pub(super) packet: Packet,
    /// How many of its bytes are the head.
    pub(super) head: usize,
    /// What the other bytes are.
    pub(super) tail: Tail,
    pub(super) sidecar: Sidecar,
    /// Where it came in.
    pub(super) port: Port,
    /// Its length in bytes when ingress began.
    pub(super) length: u64,
    /// The bits of its headers when the parser was done, which tell how much longer it became.
    pub(super) header_bits: u64,
    /// The most bytes that leave of it.
    pub(super) most: u32,
    /// How often it, or what it was copied from, began again.
    pub(super) rounds: u32,
    /// What a trace knows it by.
    pub(super) pass: usize,
    /// The block that it was in last; empty before the first one.
    pub(super) block: &'static str,
}

impl Traveller {
    /// The packet as it was when ingress began, for those who get it when it goes no further.
    pub(super) fn arrived(&self) -> wire::Packet {
        content(&self.packet.bytes[..self.head], self.tail.clone(), self.sidecar)
    }

    /// The bytes that the deparser wrote with what follows them, and how many of these are the head: the packet's own
    /// and what the parser did not leave of its tail.
    pub(super) fn deparsed(&self) -> (Vec<u8>, usize) {
        let bytes = self.packet.leaving();
        let left = if self.tail_was_parsed() { 0 } else { self.tail.len() };
        let head = bytes.len() - left;
        (bytes, head)
    }

    /// True if the parser went further than the head, so that nothing is left of the tail as it came.
    pub(super) fn tail_was_parsed(&self) -> bool {
        self.packet.position.div_ceil(8) > self.head
    }

    /// The packet as it leaves.
    pub(super) fn leaving(&self) -> wire::Packet {
        let (bytes, head) = self.deparsed();
        let most = self.most as usize;
        let tail = match &self.tail {
            _ if head == bytes.len() || most <= head => Tail::Length(0),
            Tail::Bytes(tail) if most < bytes.len() => Tail::Bytes(Arc::from(&tail[..most - head])),
            Tail::Length(length) => Tail::Length((*length).min(self.most.saturating_sub(head as u32))),
            whole => whole.clone(),
        };
        content(&bytes[..head.min(most)], tail, self.sidecar)
    }
}

fn content(head: &[u8], tail: Tail, sidecar: Sidecar) -> wire::Packet {
    wire::Packet { head: Head::copy_of(head), tail, sidecar }
}

/// All bytes of a packet, one behind the other.
pub(super) fn all_bytes(packet: &wire::Packet, into: &mut Vec<u8>) {
    into.clear();
    into.extend_from_slice(packet.head.bytes());
    match &packet.tail {
        Tail::Bytes(bytes) => into.extend_from_slice(bytes),
        Tail::Length(_) => into.resize(packet.len(), 0),
    }
}
