//! A packet inside of the switch.

use std::sync::Arc;

use node::Port;
use serde::{Deserialize, Serialize};
use wire::{Sidecar, Tail};

use super::frame::Frame;

/// A packet on its way.
///
/// Programs see all of its bytes, the tail behind the head; one that is only a length they read as zeros, for which there
/// is no memory. What they leave of a tail goes out as it came in.
#[derive(Debug)]
pub(super) struct Traveller<P> {
    /// What blocks work on.
    pub(super) packet: P,
    /// What only the switch knows of it.
    pub(super) way: Way,
}

/// What the switch knows of a packet beside that which blocks work on.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Way {
    /// How many of its bytes are the head.
    pub(super) head: usize,
    /// A packet from outside, as it came, if the frame does not keep it: it goes back as it is, or its memory is that in
    /// which it leaves. Copies and packets that begin again have none.
    arrived: Option<wire::Packet>,
    /// What the other bytes are.
    pub(super) tail: Tail,
    pub(super) sidecar: Sidecar,
    /// Where it came in.
    pub(super) port: Port,
    /// Its length in bytes when ingress began.
    pub(super) length: u64,
    /// The bits of its headers when the parser was done, which tell how much longer it became.
    pub(super) header_bits: u64,
    /// Its differentiated services code point when it came in, where queues look at it.
    pub(super) code_point: Option<u8>,
    /// The most bytes that leave of it.
    pub(super) most: u32,
    /// How often it, or what it was copied from, began again.
    pub(super) rounds: u32,
    /// What a trace knows it by.
    #[serde(skip)]
    pub(super) pass: usize,
    /// The block that it was in last; empty before the first one.
    #[serde(skip)]
    pub(super) block: &'static str,
}

impl Default for Way {
    fn default() -> Self {
        Self {
            head: 0,
            arrived: None,
            tail: Tail::Length(0),
            sidecar: Sidecar::default(),
            port: Port(0),
            length: 0,
            header_bits: 0,
            code_point: None,
            most: u32::MAX,
            rounds: 0,
            pass: 0,
            block: "",
        }
    }
}

impl Way {
    /// That of a copy.
    pub(super) fn copy(&self) -> Self {
        Self { arrived: None, tail: self.tail.clone(), ..*self }
    }
}

impl<P: Frame> Traveller<P> {
    /// A fresh one becomes a packet that comes in.
    #[inline(always)]
    pub(super) fn arrive(&mut self, port: Port, packet: wire::Packet) {
        let way = &mut self.way;
        way.head = packet.head.len();
        way.length = packet.len() as u64;
        way.tail = packet.tail.clone();
        way.sidecar = packet.sidecar;
        way.port = port;
        (way.header_bits, way.most, way.rounds, way.pass, way.block) = (0, u32::MAX, 0, 0, "");
        way.arrived = self.packet.hold(packet);
    }

    /// A fresh one gets the bytes of another and its way, as if ingress were to begin.
    pub(super) fn begins_like(&mut self, other: &Self) {
        self.packet.set_bytes(|bytes| bytes.extend_from_slice(other.packet.bytes()));
        self.packet.set_zeros(other.packet.zeros());
        self.way = Way { most: u32::MAX, ..other.way.copy() };
    }

    /// A fresh one gets the bytes that another leaves with, uncut, and its way, as if ingress were to begin.
    pub(super) fn begins_as_left(&mut self, other: &Self) {
        let (emitted, payload, tail) = other.left();
        self.packet.set_bytes(|bytes| {
            bytes.extend_from_slice(emitted);
            bytes.extend_from_slice(payload);
            if let Tail::Bytes(tail) = &tail {
                bytes.extend_from_slice(tail);
            }
        });
        if let Tail::Length(length) = tail {
            self.packet.set_zeros(length as usize);
        }
        let head = emitted.len() + payload.len();
        let length = head + tail.len();
        self.way = Way { most: u32::MAX, length: length as u64, head, tail, ..other.way.copy() };
    }

    /// The packet as it was when ingress began, for those who get it when it goes no further. It is gone from here.
    pub(super) fn arrived(&mut self) -> wire::Packet {
        match self.take() {
            Some(packet) => packet,
            None => wire::Packet::new(&self.packet.bytes()[..self.way.head], self.way.tail.clone(), self.way.sidecar),
        }
    }

    /// Lets go of memory that others may want.
    #[inline(always)]
    pub(super) fn forget(&mut self) {
        self.take();
        self.way.tail = Tail::Length(0);
    }

    /// The packet from outside, as it came, if this is one.
    #[inline(always)]
    fn take(&mut self) -> Option<wire::Packet> {
        self.way.arrived.take().or_else(|| self.packet.release())
    }

    /// True if the parser went further than the head.
    pub(super) fn tail_was_parsed(&self) -> bool {
        self.packet.position().div_ceil(8) > self.way.head
    }

    /// What leaves, uncut: what was emitted, what the parser left of the head, and what it left of the tail. A tail of
    /// bytes that it went into is head from there on.
    fn left(&self) -> (&[u8], &[u8], Tail) {
        let (bytes, parsed) = (self.packet.bytes(), self.packet.position().div_ceil(8));
        let (head, tail) = (self.way.head, &self.way.tail);
        let (end, tail) = match tail {
            Tail::Length(length) => (head, Tail::Length(length - (parsed.saturating_sub(head) as u32).min(*length))),
            Tail::Bytes(_) if parsed > head => (bytes.len(), Tail::Length(0)),
            Tail::Bytes(tail) => (head, Tail::Bytes(Arc::clone(tail))),
        };
        (self.packet.emitted(), &bytes[parsed.min(end)..end], tail)
    }

    /// The packet as it leaves. It is gone from here.
    #[inline(always)]
    pub(super) fn leaving(&mut self) -> wire::Packet {
        let parsed = self.packet.position().div_ceil(8);
        let arrived = if self.tail_became_head() { None } else { self.take() };
        let mut leaving = match arrived {
            // The emitted bytes get the place of those that were parsed, and the others stay where they are.
            Some(mut packet) => {
                let of_tail = parsed.saturating_sub(packet.head.len()) as u32;
                packet.head.replace_front(parsed, self.packet.emitted());
                if let Tail::Length(length) = &mut packet.tail {
                    *length -= of_tail.min(*length);
                }
                packet
            }
            None => self.written_anew(),
        };
        // No packet is longer than the greatest bound.
        if self.way.most < u32::MAX {
            leaving.truncate(self.way.most as usize);
        }
        leaving
    }

    /// What leaves, in memory of its own.
    #[inline(never)]
    fn written_anew(&self) -> wire::Packet {
        let (emitted, payload, tail) = self.left();
        wire::Packet::of_parts(emitted, payload, tail, self.way.sidecar)
    }

    /// True if the parser went into a tail of bytes, which is head from there on.
    fn tail_became_head(&self) -> bool {
        matches!(self.way.tail, Tail::Bytes(_)) && self.tail_was_parsed()
    }
}
