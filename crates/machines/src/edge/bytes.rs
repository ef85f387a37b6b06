//! Replacement of a packet's bytes by those that a deparser emitted, with the same result as in the v1model switch.

use wire::{Packet, Tail};

/// Replaces the first `position` bits of a packet, rounded up to whole bytes, by `emitted`. A tail that the parser did
/// not reach stays as it is. Of any other tail the unparsed rest stays: as part of the head if it consists of bytes,
/// otherwise as a length.
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
    use super::*;

    fn packet(tail: Tail) -> Packet {
        Packet::of_bytes(&[1, 2, 3, 4]).with_tail(tail)
    }

    #[test]
    fn replaces_parsed_bits_up_to_a_byte_boundary() {
        let mut replaced = packet(Tail::Length(7));
        replace(&mut replaced, 17, &[9, 8, 7, 6]);
        assert_eq!((replaced.head.bytes(), &replaced.tail), (&[9, 8, 7, 6, 4][..], &Tail::Length(7)));
    }

    #[test]
    fn unparsed_rest_of_a_tail_stays() {
        for (tail, head, rest) in [(Tail::Bytes([5, 6, 7].into()), &[9, 6, 7][..], 0), (Tail::Length(3), &[9], 2)] {
            let mut replaced = packet(tail);
            replace(&mut replaced, 40, &[9]);
            assert_eq!((replaced.head.bytes(), &replaced.tail), (head, &Tail::Length(rest)));
        }
        // No bytes remain beyond the end: a parser that went there has already failed with an error.
        let mut short = packet(Tail::Length(0));
        replace(&mut short, 64, &[9]);
        assert_eq!(short.head.bytes(), [9]);
    }
}
