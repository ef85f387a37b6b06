//! The items that wait in queues.

use std::fmt::Debug;

use basis::{Instant, prefetch};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use wire::Packet;

use crate::{Depth, fields};

/// The colour of a packet, by which a queue may limit it (RFC 2698; drop precedence in RFC 2597).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum PacketColor {
    /// The packet may use the whole limit of its queue.
    #[default]
    Green,
    /// The packet may use the part for yellow packets.
    Yellow,
    /// The packet may use the part for red packets.
    Red,
}

/// An item that can wait in a queue: a packet, or what a machine makes of a packet while its headers are parsed.
pub trait Queued: Debug + Serialize + DeserializeOwned {
    /// Returns the length in bytes, without framing.
    fn length(&self) -> usize;

    /// Returns the class within its port that the sender of the item has chosen, which is the number of the queue in a
    /// scheduler, or `None` to let the code point decide.
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

    /// Returns the colour, which matters where a queue limits colours.
    fn color(&self) -> PacketColor {
        PacketColor::Green
    }

    /// Tells the item that it waits from `now` on, behind what its queue held before.
    #[inline(always)]
    fn enters(&mut self, now: Instant, before: Depth) {
        let _ = (now, before);
    }

    /// Tells the item that it leaves its queue to be transmitted, and what remains there. An item that has kept the time at
    /// which it entered knows how long it waited.
    #[inline(always)]
    fn leaves(&mut self, now: Instant, behind: Depth) {
        let _ = (now, behind);
    }

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
