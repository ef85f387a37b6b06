//! A packet: a head of real bytes, a tail that costs nothing while nobody reads it, and a small sidecar.

use std::cell::RefCell;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use basis::Instant;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{Head, LinkLayer, near};

/// Packets kept per thread to be used again; more than this were in flight only in a burst.
const POOL_LIMIT: usize = 1 << 16;
/// A packet that keeps more memory outside itself than this is not kept.
const MOST_OUTSIDE: usize = 2048;

type Pool = Vec<Box<Body>>;

thread_local! {
    // A cache of memory and nothing else: contents are overwritten before they can be read.
    static POOL: RefCell<Pool> = const { RefCell::new(Vec::new()) };
}

/// A packet in flight: one pointer, so that queues and events move places and not packets.
pub struct Packet(
    /// There until the packet is dropped.
    Option<Box<Body>>,
);

/// What a [`Packet`] has; it dereferences to this.
///
/// Two cache lines that processors bring together hold what most of the network looks at: the sidecar, the tail and
/// where the head is; and behind them the first 64 bytes of the head.
#[derive(Debug, PartialEq, Eq)]
#[repr(C, align(128))]
pub struct Body {
    /// What travels beside the bytes.
    pub sidecar: Sidecar,
    /// The rest.
    pub tail: Tail,
    /// The bytes that programs parse.
    pub head: Head,
}

/// What follows the head.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Tail {
    /// Bytes that matter, shared between copies of the packet.
    Bytes(Arc<[u8]>),
    /// Bytes that do not matter: only how many there are.
    Length(u32),
}

/// What travels beside a packet and is not on the wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sidecar {
    /// The packet's place in the order of arrival, from 0; whoever offers the packets numbers them.
    pub id: u64,
    /// When it arrived.
    pub arrival: Instant,
    /// Its length in bytes when it arrived, before anything trimmed or grew it.
    pub original_length: u32,
    /// The port by which it came into the switch that it is in, for whoever has to know when it leaves; 0 elsewhere.
    pub port: u16,
    /// What its first byte is.
    pub link: LinkLayer,
}

impl Packet {
    /// A packet whose head is a copy of `head`.
    pub fn new(head: &[u8], tail: Tail, sidecar: Sidecar) -> Self {
        Self::of_parts(head, &[], tail, sidecar)
    }

    /// A packet whose head is copies of both, the second behind the first.
    pub fn of_parts(first: &[u8], second: &[u8], tail: Tail, sidecar: Sidecar) -> Self {
        let fresh = || Box::new(Body { sidecar, tail: Tail::Length(0), head: Head::empty() });
        let mut body = POOL.with_borrow_mut(Vec::pop).unwrap_or_else(fresh);
        body.head.rewrite(first, second);
        body.tail = tail;
        body.sidecar = sidecar;
        Self(Some(body))
    }

    /// A packet of real bytes only, whose sidecar says so.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        let original_length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        Self::new(bytes, Tail::Length(0), Sidecar { original_length, ..Sidecar::default() })
    }

    /// The packet with another tail.
    pub fn with_tail(mut self, tail: Tail) -> Self {
        self.tail = tail;
        self
    }

    /// Has the processor bring the two cache lines that most look at near, for whoever works on this packet soon and on
    /// others before.
    #[inline]
    pub fn prefetch(&self) {
        near::bring(self);
    }

    /// Its length in bytes now.
    #[allow(clippy::len_without_is_empty)] // a packet is never without bytes, and nobody asks
    #[inline]
    pub fn len(&self) -> usize {
        self.head.len() + self.tail.len()
    }

    /// Forgets all bytes but the first `length`, if there are more. No header learns of it.
    #[inline]
    pub fn truncate(&mut self, length: usize) {
        if length < self.len() {
            self.cut(length);
        }
    }

    /// The same for a packet that has more bytes.
    fn cut(&mut self, length: usize) {
        self.head.truncate(length);
        let rest = length - self.head.len();
        self.tail = match &self.tail {
            Tail::Bytes(bytes) if rest > 0 => Tail::Bytes(Arc::from(&bytes[..rest])),
            // Less than there was, which was counted in 32 bits.
            _ => Tail::Length(rest as u32),
        };
    }

    /// Puts those of its bytes that are known behind those of `into`. Says how many follow of which only that is known.
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

    /// Puts all of its bytes behind those of `into`: zeros for a tail that is only a length.
    pub fn append_to(&self, into: &mut Vec<u8>) {
        let unknown = self.append_known_to(into);
        into.resize(into.len() + unknown, 0);
    }
}

impl Deref for Packet {
    type Target = Body;

    #[inline]
    fn deref(&self) -> &Body {
        self.0.as_ref().expect("there until dropped")
    }
}

impl DerefMut for Packet {
    #[inline]
    fn deref_mut(&mut self) -> &mut Body {
        self.0.as_mut().expect("there until dropped")
    }
}

impl Drop for Packet {
    fn drop(&mut self) {
        let Some(mut body) = self.0.take() else { return };
        body.tail = Tail::Length(0);
        if body.head.outside() > MOST_OUTSIDE {
            return;
        }
        // While a thread ends its pool may be gone; then the memory just goes back.
        let _ = POOL.try_with(|pool| {
            let mut pool = pool.borrow_mut();
            if pool.len() < POOL_LIMIT {
                pool.push(body);
            }
        });
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

/// What is written of a packet, and read.
#[derive(Serialize, Deserialize)]
struct Written<H> {
    head: H,
    tail: Tail,
    sidecar: Sidecar,
}

impl Serialize for Packet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Body { sidecar, tail, head } = &**self;
        Written { head: head.bytes(), tail: tail.clone(), sidecar: *sidecar }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Packet {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Written { head, tail, sidecar } = Written::<Vec<u8>>::deserialize(deserializer)?;
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
    /// How many bytes follow the head.
    #[inline]
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_packet_is_and_its_first_headers_lie_in_neighbouring_cache_lines() {
        let packet = Packet::of_bytes(&[1, 2, 3]);
        let body: *const Body = &*packet;
        assert_eq!(packet.head.bytes().as_ptr() as usize - body as usize, 64);
        assert_eq!(body as usize % 128, 0);
        assert_eq!(size_of::<Body>(), 256);
    }

    #[test]
    fn what_is_cut_off_is_in_the_tail_first() {
        let bytes: Vec<u8> = (0..10).collect();
        for tail in [Tail::Bytes(Arc::from(&bytes[4..])), Tail::Length(6)] {
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
