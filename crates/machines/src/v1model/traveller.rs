//! A packet inside the switch.

use node::Port;
use serde::{Deserialize, Serialize};
use wire::{Sidecar, Tail};

use crate::blocks::Frame;

/// A packet on its way through the switch.
///
/// Programs see all bytes of the packet, head and tail. A tail that is only a length reads as zeros. The part of a tail
/// that a program does not parse is neither copied nor written: it leaves as it arrived.
#[derive(Debug)]
pub(super) struct Traveller<P> {
    /// The part that blocks work on.
    pub(super) packet: P,
    /// The part that only the switch knows.
    pub(super) way: Way,
}

/// The properties of a packet that blocks do not access.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Way {
    /// The number of bytes in the head.
    pub(super) head: usize,
    /// The packet as it arrived from outside, unless the frame holds it. If it is discarded it is returned unchanged;
    /// otherwise its memory is reused for the leaving packet. Copies and packets that started again have none.
    arrived: Option<wire::Packet>,
    /// The bytes after the head.
    pub(super) tail: Tail,
    pub(super) sidecar: Sidecar,
    /// The ingress port.
    pub(super) port: Port,
    /// The length in bytes at the beginning of ingress.
    pub(super) length: u64,
    /// The number of packets that counters count: more than 1 for a superframe whose segments are treated alike.
    pub(super) packets: u64,
    /// The number of bytes that they count, which is the length for a single packet.
    pub(super) counted_bytes: u64,
    /// The number of header bits after parsing, from which the change of length is computed.
    pub(super) header_bits: u64,
    /// The differentiated services code point on arrival, if queues use it.
    pub(super) code_point: Option<u8>,
    /// The maximum length with which the packet leaves, in bytes.
    pub(super) most: u32,
    /// The number of times that the packet, or what it was copied from, started again.
    pub(super) rounds: u32,
    /// The number of the packet in its trace.
    #[serde(skip)]
    pub(super) pass: usize,
    /// The last block that the packet was in; empty before the first one.
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
            packets: 1,
            counted_bytes: 0,
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
    /// Returns the properties of a copy.
    pub(super) fn copy(&self) -> Self {
        Self { arrived: None, tail: self.tail.clone(), ..*self }
    }
}

impl<P: Frame> Traveller<P> {
    /// Turns an empty traveller into an arriving packet.
    #[inline(always)]
    pub(super) fn arrive(&mut self, port: Port, packet: wire::Packet) {
        let way = &mut self.way;
        way.head = packet.head.len();
        way.length = packet.len() as u64;
        (way.packets, way.counted_bytes) = match packet.sidecar.segmentation {
            None => (1, way.length),
            Some(_) => {
                let segments = packet.segments();
                (segments.count, segments.bytes)
            }
        };
        way.tail = packet.tail.clone();
        way.sidecar = packet.sidecar;
        way.port = port;
        (way.header_bits, way.most, way.rounds, way.pass, way.block) = (0, u32::MAX, 0, 0, "");
        way.arrived = self.packet.hold(packet);
    }

    /// Gives an empty traveller the bytes of another packet as at the beginning of ingress.
    pub(super) fn begins_like(&mut self, other: &Self) {
        self.packet.set_bytes(|bytes| bytes.extend_from_slice(other.packet.bytes()));
        self.packet.set_rest(other.packet.rest());
        self.way = Way { most: u32::MAX, ..other.way.copy() };
    }

    /// Gives an empty traveller the bytes with which another packet leaves, not truncated, as at the beginning of
    /// ingress.
    pub(super) fn begins_as_left(&mut self, other: &Self) {
        let (emitted, payload, tail) = other.left();
        self.packet.set_bytes(|bytes| {
            bytes.extend_from_slice(emitted);
            bytes.extend_from_slice(payload);
        });
        self.packet.set_rest(tail.clone());
        let head = emitted.len() + payload.len();
        let length = head + tail.len();
        let length = length as u64;
        self.way = Way { most: u32::MAX, length, counted_bytes: length, head, tail, ..other.way.copy() };
    }

    /// Returns the packet as it was at the beginning of ingress, for whoever receives discarded packets. The traveller
    /// loses its bytes.
    pub(super) fn arrived(&mut self) -> wire::Packet {
        match self.take() {
            Some(packet) => packet,
            None => wire::Packet::new(&self.packet.bytes()[..self.way.head], self.way.tail.clone(), self.way.sidecar),
        }
    }

    /// Releases memory that is shared with others.
    #[inline(always)]
    pub(super) fn forget(&mut self) {
        self.take();
        self.way.tail = Tail::Length(0);
    }

    /// Removes and returns the packet that arrived from outside, if it is still here.
    #[inline(always)]
    fn take(&mut self) -> Option<wire::Packet> {
        self.way.arrived.take().or_else(|| self.packet.release())
    }

    /// Returns true if the parser went beyond the head.
    pub(super) fn tail_was_parsed(&self) -> bool {
        self.packet.position().div_ceil(8) > self.way.head
    }

    /// Returns the parts of the leaving packet, not truncated: emitted bytes, unparsed rest of the head, and unparsed
    /// rest of the tail.
    fn left(&self) -> (&[u8], &[u8], Tail) {
        let (parsed, head) = (self.packet.position().div_ceil(8), self.way.head);
        let mut tail = self.way.tail.clone();
        if parsed > head {
            tail.skip(parsed - head);
        }
        (self.packet.emitted(), &self.packet.bytes()[parsed.min(head)..head], tail)
    }

    /// Returns the packet as it leaves. The traveller loses its bytes.
    #[inline(always)]
    pub(super) fn leaving(&mut self) -> wire::Packet {
        let parsed = self.packet.position().div_ceil(8);
        let mut leaving = match self.take() {
            Some(mut packet) => {
                packet.replace_front(parsed, self.packet.emitted());
                packet
            }
            None => self.written_anew(),
        };
        // Truncation is only needed if a limit was set.
        if self.way.most < u32::MAX {
            leaving.truncate(self.way.most as usize);
        }
        leaving
    }

    /// Returns the leaving packet in newly allocated memory.
    #[inline(never)]
    fn written_anew(&self) -> wire::Packet {
        let (emitted, payload, tail) = self.left();
        let mut sidecar = self.way.sidecar;
        sidecar.checksum = sidecar.checksum.moved(self.packet.position().div_ceil(8), emitted.len());
        wire::Packet::of_parts(emitted, payload, tail, sidecar)
    }
}
