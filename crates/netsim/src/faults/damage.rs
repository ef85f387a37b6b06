//! Bit errors in packets.

use basis::Random;
use wire::{Packet, Tail};

/// Flips `bits` different random bits of a packet, or all of them if it has fewer.
///
/// A tail that was only a length becomes real bytes, even if the damage is in the head: from now on its content
/// matters to whoever checks a sum over the whole packet.
pub(super) fn damage(packet: &mut Packet, bits: u16, random: &mut Random) {
    let all = packet.len() as u64 * 8;
    let bits = u64::from(bits).min(all);
    // Floyd's algorithm draws a few of many without repetition (Bentley and Floyd, "A sample of brilliance", 1987).
    let mut chosen: Vec<u64> = Vec::new();
    for last in all - bits..all {
        let bit = random.below(last + 1);
        chosen.push(if chosen.contains(&bit) { last } else { bit });
    }
    let mut tail: Vec<u8> = match &packet.tail {
        Tail::Bytes(bytes) => bytes.to_vec(),
        Tail::Length(length) => vec![0; *length as usize],
    };
    let head = packet.head.bytes_mut();
    for bit in chosen {
        let (byte, mask) = ((bit / 8) as usize, 1u8 << (bit % 8));
        match byte.checked_sub(head.len()) {
            None => head[byte] ^= mask,
            Some(byte) => tail[byte] ^= mask,
        }
    }
    if !tail.is_empty() {
        packet.tail = Tail::Bytes(tail.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits_that_differ(packet: &Packet, before: &Packet) -> u32 {
        let bytes = |packet: &Packet| {
            let mut bytes = Vec::new();
            packet.append_to(&mut bytes);
            bytes
        };
        bytes(packet).iter().zip(bytes(before)).map(|(a, b)| (a ^ b).count_ones()).sum()
    }

    #[test]
    fn flips_the_given_number_of_bits_anywhere() {
        let mut random = Random::new(1);
        let (mut in_head, mut in_tail) = (0, 0);
        for bits in [1, 2, 3, 40] {
            for tail in [Tail::Length(30), Tail::Bytes([7; 30].into())] {
                let before = Packet::of_bytes(&[0x55; 20]).with_tail(tail);
                let mut packet = before.clone();
                damage(&mut packet, bits, &mut random);
                assert_eq!(bits_that_differ(&packet, &before), u32::from(bits));
                assert_eq!(packet.len(), 50);
                in_head += usize::from(packet.head.bytes() != before.head.bytes());
                let of_tail = |packet: &Packet| match &packet.tail {
                    Tail::Bytes(bytes) => bytes.to_vec(),
                    Tail::Length(length) => vec![0; *length as usize],
                };
                in_tail += usize::from(of_tail(&packet) != of_tail(&before));
                assert!(matches!(packet.tail, Tail::Bytes(_)));
            }
        }
        assert!(in_head > 0 && in_tail > 0);
    }

    #[test]
    fn inverts_packets_shorter_than_the_damage() {
        let before = Packet::of_bytes(&[0x0F, 0xAA]);
        let mut packet = before.clone();
        damage(&mut packet, 100, &mut Random::new(3));
        assert_eq!(packet.head.bytes(), [0xF0, 0x55]);
    }
}
