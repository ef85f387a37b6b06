//! What waits in queues.

use std::fmt::Debug;

use basis::prefetch;
use serde::Serialize;
use serde::de::DeserializeOwned;
use wire::Packet;

use crate::fields;

/// What can wait in a queue: a packet, or what a machine makes of one while its headers are taken apart.
pub trait Queued: Debug + Serialize + DeserializeOwned {
    /// Its length in bytes, without what it takes on a line beside them.
    fn length(&self) -> usize;

    /// The class that whoever offers it has chosen, among those of its port; `None` leaves that to the code point.
    fn class(&self) -> Option<u8> {
        None
    }

    /// Its differentiated services code point, 0 to 63; `None` if it has none.
    fn code_point(&self) -> Option<u8>;

    /// The packet, for disciplines that change its bytes; `None` while there is none. Such a thing is never marked,
    /// trimmed or returned, but dropped instead where there is a choice.
    fn packet(&self) -> Option<&Packet>;

    /// The same, to change.
    fn packet_mut(&mut self) -> Option<&mut Packet>;

    /// Asks for its memory: see [`basis::prefetch`].
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
