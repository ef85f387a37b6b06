//! A packet inside of the switch.

use std::sync::Arc;

use node::Port;
use wire::{Head, Sidecar, Tail};

use super::frame::Frame;

/// A packet on its way.
///
/// Programs see all of its bytes, the tail behind the head, zeros for one that is only a length. What they leave of a
/// tail goes out as it came in.
#[derive(Clone, Debug)]
pub(super) struct Traveller<P> {
    /// What blocks work on.
    pub(super) packet: P,
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

impl<P: Frame> Traveller<P> {
    /// The packet as it was when ingress began, for those who get it when it goes no further.
    pub(super) fn arrived(self) -> (wire::Packet, P) {
        let head = Head::copy_of(&self.packet.bytes()[..self.head]);
        (wire::Packet { head, tail: self.tail, sidecar: self.sidecar }, self.packet)
    }

    /// Writes the bytes that the deparser wrote with what follows them. How many of these are the head: the packet's
    /// own and what the parser did not leave of its tail.
    pub(super) fn deparse_into(&self, bytes: &mut Vec<u8>) -> usize {
        bytes.extend_from_slice(self.packet.emitted());
        bytes.extend_from_slice(self.packet.payload());
        bytes.len() - self.left_of_tail()
    }

    /// How many bytes of the tail leave as they came: all, or none if the parser went into them.
    fn left_of_tail(&self) -> usize {
        if self.tail_was_parsed() { 0 } else { self.tail.len() }
    }

    /// True if the parser went further than the head, so that nothing is left of the tail as it came.
    pub(super) fn tail_was_parsed(&self) -> bool {
        self.packet.position().div_ceil(8) > self.head
    }

    /// The packet as it leaves.
    pub(super) fn leaving(self) -> (wire::Packet, P) {
        let (emitted, payload) = (self.packet.emitted(), self.packet.payload());
        let whole = emitted.len() + payload.len();
        let head = whole - self.left_of_tail();
        let most = self.most as usize;
        let bytes = {
            let emitted = &emitted[..emitted.len().min(head).min(most)];
            Head::of_parts(emitted, &payload[..head.min(most) - emitted.len()])
        };
        let tail = match self.tail {
            _ if head == whole || most <= head => Tail::Length(0),
            Tail::Bytes(tail) if most < whole => Tail::Bytes(Arc::from(&tail[..most - head])),
            Tail::Length(length) => Tail::Length(length.min(self.most.saturating_sub(head as u32))),
            whole => whole,
        };
        (wire::Packet { head: bytes, tail, sidecar: self.sidecar }, self.packet)
    }
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
