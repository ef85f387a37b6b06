//! Packets: a head of real bytes, a tail that costs nothing unless it is read, and a small sidecar.

use std::cell::RefCell;
use std::fmt;
use std::ops::{Deref, DerefMut};

use basis::Instant;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{ChecksumState, Head, LinkLayer, Segmentation, SharedBytes, near};

/// The most packets that are kept per thread for reuse; more than this are in flight only in a burst.
const POOL_LIMIT: usize = 1 << 16;
/// The most memory in bytes that a packet may own outside itself to be kept for reuse: enough for a jumbo frame.
const MOST_OUTSIDE: usize = 1 << 14;
/// The most memory in bytes that all packets together that a thread keeps for reuse may own outside themselves.
const MOST_OUTSIDE_OF_ALL: usize = 1 << 27;

/// Packets whose memory is kept for reuse.
struct Pool {
    #[expect(clippy::vec_box, reason = "a packet is one pointer, and takes its box from here")]
    bodies: Vec<Box<Body>>,
    /// The memory in bytes that they own outside themselves.
    outside: usize,
}

impl Pool {
    fn take(&mut self) -> Option<Box<Body>> {
        let body = self.bodies.pop()?;
        self.outside -= body.head.outside();
        Some(body)
    }

    /// Keeps a packet, or frees its memory if there is enough already.
    fn keep(&mut self, body: Box<Body>) {
        let outside = body.head.outside();
        let has_room = self.bodies.len() < POOL_LIMIT && self.outside + outside <= MOST_OUTSIDE_OF_ALL;
        if has_room && outside <= MOST_OUTSIDE {
            self.outside += outside;
            self.bodies.push(body);
        }
    }
}

thread_local! {
    // Only memory is reused: all contents are overwritten before they can be read.
    static POOL: RefCell<Pool> = const { RefCell::new(Pool { bodies: Vec::new(), outside: 0 }) };
}

/// A packet in flight. It is a single pointer, so queues and events move pointers rather than packets.
pub struct Packet(
    /// Always present until the packet is dropped.
    Option<Box<Body>>,
);

/// The contents of a [`Packet`], which dereferences to this.
///
/// The first two cache lines, which processors fetch as a pair, hold what most of the network looks at: the sidecar,
/// the tail, the position of the head, and the first 64 bytes of the head.
#[derive(Debug, PartialEq, Eq)]
#[repr(C, align(128))]
pub struct Body {
    /// The metadata that travels with the packet but is not on the wire.
    pub sidecar: Sidecar,
    /// The bytes behind the head.
    pub tail: Tail,
    /// The bytes that programs parse.
    pub head: Head,
}

/// The bytes that follow the head.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Tail {
    /// Bytes that matter, shared between copies of the packet.
    Bytes(SharedBytes),
    /// The number of bytes whose content does not matter.
    Length(u32),
}

/// The metadata of a packet that is not on the wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sidecar {
    /// The packet's position in the order of arrival, from 0. Whoever offers the packets assigns it. A packet that
    /// a program has made has [`Sidecar::MADE`].
    pub id: u64,
    /// The time at which the packet arrived.
    pub arrival: Instant,
    /// The packet's length in bytes when it arrived, before anything trimmed or extended it.
    pub original_length: u32,
    /// The port by which the packet entered the switch that it is in, kept for the time when it leaves; 0 elsewhere.
    pub port: u16,
    /// The state of the transport layer's checksum.
    pub checksum: ChecksumState,
    /// The packets into which this one is to be cut; `None` if it is one packet.
    pub segmentation: Option<Segmentation>,
    /// The link-layer type, which says what the first byte is.
    pub link: LinkLayer,
}

impl Sidecar {
    /// The number ([`Sidecar::id`]) of packets that have not arrived: whoever offers packets never assigns it.
    pub const MADE: u64 = u64::MAX;
}

impl Packet {
    /// Creates a packet whose head is a copy of `head`.
    pub fn new(head: &[u8], tail: Tail, sidecar: Sidecar) -> Self {
        let mut body = Self::body();
        body.head.rewrite(head);
        (body.tail, body.sidecar) = (tail, sidecar);
        Self(Some(body))
    }

    /// Creates a packet whose head is a copy of `first` followed by a copy of `second`.
    pub fn of_parts(first: &[u8], second: &[u8], tail: Tail, sidecar: Sidecar) -> Self {
        let mut body = Self::body();
        body.head.rewrite_parts(first, second);
        (body.tail, body.sidecar) = (tail, sidecar);
        Self(Some(body))
    }

    /// Takes a body from the pool, whose contents are unspecified, or creates one.
    #[inline]
    fn body() -> Box<Body> {
        let fresh = || Box::new(Body { sidecar: Sidecar::default(), tail: Tail::Length(0), head: Head::empty() });
        POOL.with_borrow_mut(Pool::take).unwrap_or_else(fresh)
    }

    /// Creates a packet of real bytes only, and sets the original length in its sidecar.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        let original_length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        Self::new(bytes, Tail::Length(0), Sidecar { original_length, ..Sidecar::default() })
    }

    /// Creates a packet whose head has `length` bytes that are still to be written: what they are now is unspecified.
    pub fn blank(length: usize) -> Self {
        let mut packet = Self::new(&[], Tail::Length(0), Sidecar::default());
        packet.head.resize(length);
        packet
    }

    /// Returns the packet with another tail.
    pub fn with_tail(mut self, tail: Tail) -> Self {
        self.tail = tail;
        self
    }

    /// Prefetches the two cache lines that most users of a packet read. Useful if other packets are worked on first.
    #[inline]
    pub fn prefetch(&self) {
        near::bring(self);
    }

    /// Returns the present length in bytes.
    #[allow(clippy::len_without_is_empty)] // no caller needs it: packets have bytes
    #[inline]
    pub fn len(&self) -> usize {
        self.head.len() + self.tail.len()
    }

    /// Returns true if all bytes of the packet are known.
    #[inline]
    pub fn has_bytes(&self) -> bool {
        matches!(self.tail, Tail::Bytes(_) | Tail::Length(0))
    }

    /// Removes all bytes but the first `length`, if there are more. Length fields in headers are not updated.
    #[inline]
    pub fn truncate(&mut self, length: usize) {
        if length < self.len() {
            self.cut(length);
        }
    }

    /// Truncates a packet that is known to be longer than `length`.
    fn cut(&mut self, length: usize) {
        self.head.truncate(length);
        let rest = length - self.head.len();
        self.tail = match &self.tail {
            Tail::Bytes(bytes) if rest > 0 => Tail::Bytes(bytes.part(0..rest)),
            // The rest is shorter than the tail was, whose length fits into 32 bits.
            _ => Tail::Length(rest as u32),
        };
    }

    /// Replaces the first `length` bytes by `front`, as a deparser replaces what a parser has read. The other bytes stay
    /// where they are, in the head or in the tail. A checksum that is still to be computed begins as many bytes later as
    /// the packet grows in front.
    #[inline]
    pub fn replace_front(&mut self, length: usize, front: &[u8]) {
        let of_tail = length.saturating_sub(self.head.len());
        self.head.replace_front(length, front);
        self.sidecar.checksum = self.sidecar.checksum.moved(length, front.len());
        if of_tail > 0 {
            self.tail.skip(of_tail);
        }
    }

    /// Moves bytes from the front of the tail into the head until that has `length`, as far as there are bytes that are known. Returns
    /// whether any were moved.
    pub fn lengthen_head(&mut self, length: usize) -> bool {
        let body = &mut **self;
        let Tail::Bytes(tail) = &body.tail else { return false };
        let count = length.saturating_sub(body.head.len()).min(tail.len());
        if count == 0 {
            return false;
        }
        body.head.append(&tail[..count]);
        body.tail.skip(count);
        true
    }

    /// Appends the known bytes of the packet to `into`. Returns how many bytes follow whose content is not known.
    pub fn append_known_to(&self, into: &mut Vec<u8>) -> usize {
        into.extend_from_slice(self.head.bytes());
        match &self.tail {
            Tail::Bytes(bytes) => {
                into.extend_from_slice(bytes);
                0
            }
            Tail::Length(length) => *length as usize,
        }
    }

    /// Appends all bytes of the packet to `into`, with zeros for a tail that is only a length.
    pub fn append_to(&self, into: &mut Vec<u8>) {
        let unknown = self.append_known_to(into);
        into.resize(into.len() + unknown, 0);
    }
}

impl Deref for Packet {
    type Target = Body;

    #[inline]
    fn deref(&self) -> &Body {
        self.0.as_ref().expect("present until dropped")
    }
}

impl DerefMut for Packet {
    #[inline]
    fn deref_mut(&mut self) -> &mut Body {
        self.0.as_mut().expect("present until dropped")
    }
}

impl Drop for Packet {
    fn drop(&mut self) {
        let Some(mut body) = self.0.take() else { return };
        body.tail = Tail::Length(0);
        // When a thread ends, its pool may be gone already; then the memory is simply freed.
        let _ = POOL.try_with(|pool| pool.borrow_mut().keep(body));
    }
}

impl Clone for Packet {
    fn clone(&self) -> Self {
        Self::new(self.head.bytes(), self.tail.clone(), self.sidecar)
    }
}

impl PartialEq for Packet {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Packet {}

/// The serialised form of a packet.
#[derive(Serialize, Deserialize)]
struct SerializedPacket<H> {
    head: H,
    tail: Tail,
    sidecar: Sidecar,
}

impl Serialize for Packet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Body { sidecar, tail, head } = &**self;
        SerializedPacket { head: head.bytes(), tail: tail.clone(), sidecar: *sidecar }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Packet {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let SerializedPacket { head, tail, sidecar } = SerializedPacket::<Vec<u8>>::deserialize(deserializer)?;
        Ok(Self::new(&head, tail, sidecar))
    }
}

impl fmt::Debug for Packet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Body { sidecar, tail, head } = &**self;
        f.debug_struct("Packet").field("head", head).field("tail", tail).field("sidecar", sidecar).finish()
    }
}

impl Tail {
    /// Returns how many bytes follow the head.
    #[inline]
    pub fn len(&self) -> usize {
        match self {
            Self::Bytes(bytes) => bytes.len(),
            Self::Length(length) => *length as usize,
        }
    }

    /// Removes the first `count` bytes, or all if there are fewer.
    pub fn skip(&mut self, count: usize) {
        let rest = self.len().saturating_sub(count);
        *self = match self {
            Self::Bytes(bytes) if rest > 0 => Self::Bytes(bytes.part(bytes.len() - rest..bytes.len())),
            // The rest is shorter than the tail was, whose length fits into 32 bits.
            _ => Self::Length(rest as u32),
        };
    }

    /// Returns true if nothing follows the head.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_takes_bytes_of_the_tail_wherever_its_own_lie() {
        let bytes: Vec<u8> = (0..=255).chain(0..=255).collect();
        for (front, length) in [(0, 150), (50, 100), (50, 180), (90, 400), (0, 40)] {
            let mut packet = Packet::of_bytes(&bytes[..128]).with_tail(Tail::Bytes(bytes[128..].into()));
            packet.replace_front(front, &[]);
            let had = packet.head.len();
            assert_eq!(packet.lengthen_head(length), length > had);
            assert_eq!(packet.head.len(), length.max(had).min(bytes.len() - front));
            let mut all = Vec::new();
            packet.append_to(&mut all);
            assert_eq!(all, bytes[front..], "{front} and {length}");
        }
        assert!(
            !Packet::of_bytes(&bytes).with_tail(Tail::Length(10)).lengthen_head(600),
            "unknown bytes stay where they are"
        );
    }

    #[test]
    fn metadata_and_first_headers_are_adjacent_in_memory() {
        let packet = Packet::of_bytes(&[1, 2, 3]);
        let body: *const Body = &*packet;
        assert_eq!(packet.head.bytes().as_ptr() as usize - body as usize, 64);
        assert_eq!(body as usize % 128, 0);
        assert_eq!((size_of::<Body>(), size_of::<Tail>()), (256, 16));
    }

    #[test]
    fn a_new_front_leaves_the_rest_in_its_place() {
        for (tail, rest) in
            [(Tail::Bytes([5, 6, 7].into()), Tail::Bytes([6, 7].into())), (Tail::Length(3), Tail::Length(2))]
        {
            let packet = Packet::of_bytes(&[1, 2, 3, 4]).with_tail(tail.clone());
            let mut within = packet.clone();
            within.replace_front(3, &[9, 8, 7, 6]);
            assert_eq!((within.head.bytes(), &within.tail), (&[9, 8, 7, 6, 4][..], &tail));
            let mut beyond = packet.clone();
            beyond.replace_front(5, &[9]);
            assert_eq!((beyond.head.bytes(), &beyond.tail), (&[9][..], &rest));
            let mut all = packet;
            all.replace_front(8, &[9]);
            assert_eq!((all.head.bytes(), &all.tail), (&[9][..], &Tail::Length(0)));
        }
    }

    #[test]
    fn truncation_removes_the_tail_before_the_head() {
        let bytes: Vec<u8> = (0..10).collect();
        for tail in [Tail::Bytes(bytes[4..].into()), Tail::Length(6)] {
            let is_length = matches!(tail, Tail::Length(_));
            for length in 0..12 {
                let mut packet = Packet::of_bytes(&bytes[..4]).with_tail(tail.clone());
                packet.truncate(length);
                let mut left = Vec::new();
                packet.append_to(&mut left);
                let mut expected = bytes[..length.min(10)].to_vec();
                if is_length && length > 4 {
                    expected[4..].fill(0);
                }
                assert_eq!((left, packet.len()), (expected, length.min(10)));
            }
        }
    }
}
