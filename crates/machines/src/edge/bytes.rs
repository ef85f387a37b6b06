//! The bytes of a packet after its deparser, which are cut where the v1model switch cuts them.

use wire::{Packet, Tail};

/// Puts `emitted` in the place of what a parser went through: `position` bits. A tail that it did not come to leaves
/// as it came; of another one the rest leaves: as part of the head, if it has bytes, else as a length.
pub(super) fn replace(packet: &mut Packet, position: u64, emitted: &[u8]) {
    let parsed = position.div_ceil(8).min(packet.len() as u64) as usize;
    if parsed <= packet.head.len() {
        packet.head.replace_front(parsed, emitted);
    } else {
        let of_tail = parsed - packet.head.len();
        match std::mem::replace(&mut packet.tail, Tail::Length(0)) {
            Tail::Bytes(tail) => packet.head.rewrite(emitted, &tail[of_tail..]),
            Tail::Length(length) => {
                packet.head.rewrite(emitted, &[]);
                packet.tail = Tail::Length(length - of_tail as u32);
            }
        }
    }
    if packet.tail.is_empty() {
        packet.tail = Tail::Length(0);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn packet(tail: Tail) -> Packet {
        Packet::of_bytes(&[1, 2, 3, 4]).with_tail(tail)
    }

    #[test]
    fn what_was_parsed_is_replaced_from_the_next_whole_byte_on() {
        let mut replaced = packet(Tail::Length(7));
        replace(&mut replaced, 17, &[9, 8, 7, 6]);
        assert_eq!((replaced.head.bytes(), &replaced.tail), (&[9, 8, 7, 6, 4][..], &Tail::Length(7)));
    }

    #[test]
    fn of_a_tail_that_was_parsed_into_the_rest_leaves() {
        let tail: Arc<[u8]> = Arc::from([5, 6, 7]);
        for (tail, head, rest) in [(Tail::Bytes(tail), &[9, 6, 7][..], 0), (Tail::Length(3), &[9], 2)] {
            let mut replaced = packet(tail);
            replace(&mut replaced, 40, &[9]);
            assert_eq!((replaced.head.bytes(), &replaced.tail), (head, &Tail::Length(rest)));
        }
        // Past the end there is nothing: a parser that went there has ended with an error before.
        let mut short = packet(Tail::Length(0));
        replace(&mut short, 64, &[9]);
        assert_eq!(short.head.bytes(), [9]);
    }
}
