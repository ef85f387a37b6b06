//! The items that wait in queues.

use std::fmt::Debug;

use basis::prefetch;
use serde::Serialize;
use serde::de::DeserializeOwned;
use wire::Packet;

use crate::fields;

/// An item that can wait in a queue: a packet, or what a machine makes of a packet while its headers are parsed.
pub trait Queued: Debug + Serialize + DeserializeOwned {
    /// Returns the length in bytes, without framing.
    fn length(&self) -> usize;

    /// Returns the class within its port that the sender of the item has chosen, or `None` to let the code point
    /// decide.
    fn class(&self) -> Option<u8> {
        None
    }

    /// Returns the differentiated services code point, 0 to 63, or `None` if there is none.
    fn code_point(&self) -> Option<u8>;

    /// Returns the packet, for disciplines that change its bytes, or `None` if the item is not a complete packet now.
    /// Such an item is never marked, trimmed or returned; where a discipline would do so, it drops the item instead.
    fn packet(&self) -> Option<&Packet>;

    /// Returns the packet for writing; see [`Queued::packet`].
    fn packet_mut(&mut self) -> Option<&mut Packet>;

    /// Prefetches the memory of the item: see [`basis::prefetch`].
    fn prefetch(&self) {}
}

impl Queued for Packet {
    #[inline(always)]
    fn length(&self) -> usize {
        self.len()
    }

    #[inline(always)]
    fn code_point(&self) -> Option<u8> {
        fields::code_point(self)
    }

    #[inline(always)]
    fn packet(&self) -> Option<&Packet> {
        Some(self)
    }

    #[inline(always)]
    fn packet_mut(&mut self) -> Option<&mut Packet> {
        Some(self)
    }

    #[inline(always)]
    fn prefetch(&self) {
        prefetch(&**self);
    }
}
