//! Packets on their way into a thread and out of it.

use ir::interpret::threads::{Arrival, LeavingPacket, Tail};
use wire::{Packet, Sidecar};

/// Returns what a thread gets of a packet. `scratch` is memory for packets whose bytes do not lie together.
pub fn arrival<'p>(packet: &'p Packet, port: u16, scratch: &'p mut Vec<u8>) -> Arrival<'p> {
    let (bytes, zeros) = match &packet.tail {
        wire::Tail::Length(zeros) => (packet.head.bytes(), u64::from(*zeros)),
        wire::Tail::Bytes(_) => {
            scratch.clear();
            let zeros = packet.append_known_to(scratch) as u64;
            (&scratch[..], zeros)
        }
    };
    Arrival { port: port.into(), bytes, zeros }
}

/// Returns a packet that leaves. If it has arrived before, it is given as it was then, and its memory and its sidecar stay.
pub fn leaving(packet: LeavingPacket, arrived: Option<Packet>) -> Packet {
    let tail = tail(&packet.tail);
    match arrived {
        Some(mut arrived) => {
            arrived.head.rewrite(&packet.head);
            arrived.tail = tail;
            arrived
        }
        None => {
            let original_length = u32::try_from(packet.len()).unwrap_or(u32::MAX);
            Packet::new(&packet.head, tail, Sidecar { id: Sidecar::MADE, original_length, ..Sidecar::default() })
        }
    }
}

fn tail(tail: &Tail) -> wire::Tail {
    // Tails have at most 2^16 bytes, unless they have arrived, which the wire limits to 2^32.
    let zeros = u32::try_from(tail.zeros()).unwrap_or(u32::MAX);
    if tail.known().is_empty() {
        return wire::Tail::Length(zeros);
    }
    let mut bytes = tail.known().to_vec();
    bytes.resize(bytes.len() + zeros as usize, 0);
    wire::Tail::Bytes(bytes[..].into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_and_lengths_survive_the_way_through_a_thread() {
        let bytes: Vec<u8> = (0..100).collect();
        let of = |head: usize, tail| Packet::of_bytes(&bytes[..head]).with_tail(tail);
        let tails = [wire::Tail::Length(0), wire::Tail::Length(30), wire::Tail::Bytes(bytes[10..].into())];
        for packet in tails.map(|tail| of(10, tail)) {
            let mut scratch = Vec::new();
            let Arrival { port, bytes, zeros } = arrival(&packet, 3, &mut scratch);
            assert_eq!((port, bytes.len() as u64 + zeros), (3, packet.len() as u64));
            let out =
                LeavingPacket { number: 0, head: bytes[..4].to_vec(), tail: Tail::new(bytes[4..].to_vec(), zeros) };
            let (mut before, mut behind) = (Vec::new(), Vec::new());
            packet.append_to(&mut before);
            leaving(out, Some(packet.clone())).append_to(&mut behind);
            assert_eq!(behind, before);
        }
    }
}
