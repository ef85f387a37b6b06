//! Packets in one piece.

use wire::{Packet, Tail};

/// Moves bytes of the tail into the head until that has `length`. Returns false if they are too few or not known.
pub(super) fn gather(packet: &mut Packet, length: usize) -> bool {
    let Some(missing) = length.checked_sub(packet.head.len()).filter(|missing| *missing > 0) else { return true };
    let Tail::Bytes(tail) = &packet.tail else { return false };
    if tail.len() < missing {
        return false;
    }
    let front = [packet.head.bytes(), &tail[..missing]].concat();
    packet.replace_front(length, &front);
    true
}
