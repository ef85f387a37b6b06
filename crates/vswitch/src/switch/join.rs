//! Payload that waits while its headers are worked on.

use basis::Instant;
use wire::{Packet, Tail};

use super::core::Core;
use crate::metadata::Metadata;

impl Core {
    /// Joins a packet with its payload. Returns false if the payload is gone, because the headers come back late.
    pub(super) fn join(&mut self, now: Instant, metadata: &Metadata, packet: &mut Packet) -> bool {
        let Some(id) = metadata.payload else { return true };
        // A tail of bytes says that the packet was joined before.
        if matches!(packet.tail, Tail::Length(_)) {
            let Some(payload) = self.payloads().and_then(|pool| pool.take(now, id)) else { return false };
            packet.tail = payload;
        }
        true
    }
}
