//! The program in front of AF_XDP sockets finds in frames what software finds in them, or leaves them to software.

use basis::Random;
use proptest::prelude::*;
use vswitch::headers::{Headers, Mark, Written, program, read};
use wire::{Layers, Packet, Tunnel, protocol};

#[path = "common/interpreter.rs"]
mod interpreter;
#[path = "common/random_frames.rs"]
mod random_frames;

use interpreter::Program;
use random_frames::{frame, ip};

const KEYS: [u64; 2] = [1, 2];

fn mark() -> Mark {
    Mark::of(KEYS)
}

/// Returns what the program finds in a frame.
fn found(program: &Program, bytes: &[u8]) -> Written {
    read(&program.in_front_of(&Packet::of_bytes(bytes)), mark())
}

/// Returns what software finds in a frame, of which it has the first bytes.
fn by_software(bytes: &[u8]) -> (Layers, Option<Layers>) {
    let head = &bytes[..bytes.len().min(128)];
    let outer = Layers::parse(wire::LinkLayer::Ethernet, head, bytes.len());
    (outer, Tunnel::of(&outer, head, bytes.len()).map(|tunnel| tunnel.inner))
}

/// Checks that the program finds the same as software. Returns what it has found.
fn agrees(program: &Program, bytes: &[u8]) -> Option<Headers> {
    match found(program, bytes) {
        Written::Headers(headers) => {
            let (outer, inner) = by_software(bytes);
            assert_eq!(headers.outer, outer, "{bytes:02x?}");
            if headers.inner.is_some() {
                assert_eq!(headers.inner, inner, "{bytes:02x?}");
            }
            Some(headers)
        }
        Written::Left => None,
        Written::Foreign => panic!("what the program writes is its own: {bytes:02x?}"),
    }
}

/// Inserts VLAN tags behind the addresses of a frame.
fn tagged(mut bytes: Vec<u8>, kinds: &[[u8; 2]]) -> Vec<u8> {
    for kind in kinds {
        bytes.splice(12..12, [kind[0], kind[1], 0, 7]);
    }
    bytes
}

/// Returns a frame in a tunnel over IP with random options or extension headers.
fn in_tunnel(random: &mut Random, inner: &[u8]) -> Vec<u8> {
    let mut datagram = vec![0x30, 0x39, 0x12, 0xB5];
    datagram.extend_from_slice(&(16 + inner.len() as u16).to_be_bytes());
    datagram.extend_from_slice(&[0, 0, 8, 0, 0, 0, 0, 27, 89, 0]);
    datagram.extend_from_slice(inner);
    let packet = ip(random, protocol::UDP, &datagram, false);
    let kind = if packet[0] >> 4 == 4 { [8, 0] } else { [0x86, 0xDD] };
    [&[2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2][..], &kind, &packet].concat()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(4000) })]

    /// Random layers, in tunnels too, whole, damaged and cut.
    #[test]
    fn the_program_finds_what_software_finds(
        seed in any::<u64>(),
        changes in prop_oneof![1 => Just(Vec::new()), 2 => prop::collection::vec((0..140usize, any::<u8>()), 1..5)],
        cut in prop_oneof![3 => Just(None), 1 => (0..160usize).prop_map(Some)],
        tags in prop::collection::vec(prop::sample::select(vec![[0x81, 0], [0x88, 0xA8], [0x91, 0]]), 0..4),
        is_in_tunnel in any::<bool>(),
    ) {
        let program = Program::of(&program(mark()));
        let mut random = Random::new(seed);
        let mut bytes = if is_in_tunnel {
            let inner = tagged(frame(&mut random, false), &tags);
            in_tunnel(&mut random, &inner)
        } else {
            tagged(frame(&mut random, true), &tags)
        };
        for (at, value) in changes {
            if let Some(byte) = bytes.get_mut(at) {
                *byte = value;
            }
        }
        bytes.truncate(cut.unwrap_or(usize::MAX));
        agrees(&program, &bytes);
    }

    /// Bytes of anybody are refused or make sense within the packet; bytes with the right mark do no harm either.
    #[test]
    fn whatever_stands_in_front_is_within_the_packet(
        written in any::<[u8; 16]>(), is_marked in any::<bool>(), length in 0..300usize,
    ) {
        let program = Program::of(&program(mark()));
        let mut written = written;
        if is_marked {
            written[..4].copy_from_slice(&program.writes(&[0; 60])[..4]);
        }
        let (head, tail) = ([written.to_vec(), vec![0; length.min(128)]].concat(), length.saturating_sub(128));
        let mut packet = Packet::of_bytes(&head).with_tail(wire::Tail::Length(tail as u32));
        packet.head.set_apart(16);
        if let Written::Headers(Headers { outer, inner }) = read(&packet, mark()) {
            prop_assert!(is_marked);
            for layers in [Some(outer), inner].into_iter().flatten() {
                prop_assert!(layers.network_start + 20 <= packet.head.len());
                prop_assert!(layers.transport.is_none_or(|at| at + 8 <= packet.head.len()));
            }
            if let Some(inner) = inner {
                let start = outer.payload.expect("a tunnel has payload") + 8;
                prop_assert!(inner.network_start >= start + 14);
                let _ = inner.without_front(start);
            }
        }
    }
}

/// The usual frames are not left to software, or the program would be good for nothing.
#[test]
fn usual_frames_are_read() {
    let program = Program::of(&program(mark()));
    let mut random = Random::new(3);
    let (mut read, mut in_tunnels, mut left) = (0, 0, 0);
    for _ in 0..2000 {
        let bytes = frame(&mut random, true);
        let is_read_whole = match (agrees(&program, &bytes), by_software(&bytes)) {
            (Some(headers), (_, inner)) => {
                in_tunnels += u32::from(headers.inner.is_some());
                headers.inner.is_some() == inner.is_some()
            }
            (None, _) => false,
        };
        if is_read_whole { read += 1 } else { left += 1 }
    }
    // SCTP, and what is further behind than the head.
    assert!(read > 1000 && in_tunnels > 250 && left > 100, "{read} read, {in_tunnels} in tunnels, {left} left");
}

/// Each of these has more or other headers than the program knows.
#[test]
fn other_frames_are_left_to_software() {
    let program = Program::of(&program(mark()));
    let of_type = |kind: [u8; 2], rest: &[u8]| [&[2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2][..], &kind, rest].concat();
    let arp = of_type([8, 6], &[0; 46]);
    let udp = ip(&mut Random::new(0), protocol::UDP, &[0; 60], false);
    let plain = of_type(if udp[0] >> 4 == 4 { [8, 0] } else { [0x86, 0xDD] }, &udp);
    assert!(agrees(&program, &plain).is_some());
    let tags = |count: usize| tagged(plain.clone(), &vec![[0x81, 0]; count]);
    assert!(agrees(&program, &tags(2)).is_some());
    for left in [arp, tags(3), plain[..40].to_vec(), plain[..13].to_vec(), Vec::new()] {
        assert_eq!(found(&program, &left), Written::Left, "{left:02x?}");
    }
}

/// What another switch's program has written is not believed, nor are bytes in front of a head that software sees less of.
#[test]
fn only_its_own_program_is_believed() {
    let bytes = frame(&mut Random::new(1), true);
    let [own, other] = [KEYS, [1, 3]].map(|keys| Program::of(&program(Mark::of(keys))));
    let packet = other.in_front_of(&Packet::of_bytes(&bytes));
    assert_eq!(read(&packet, mark()), Written::Foreign);
    assert_eq!(read(&Packet::of_bytes(&bytes), mark()), Written::Foreign);
    let mut short = own.in_front_of(&Packet::of_bytes(&[&bytes[..], &[0; 200]].concat()));
    assert!(matches!(read(&short, mark()), Written::Headers(_)));
    short.head.truncate(60);
    assert_eq!(read(&short, mark()), Written::Foreign);
    // A new front leaves none.
    let mut changed = own.in_front_of(&Packet::of_bytes(&bytes));
    changed.replace_front(0, &[0; 4]);
    assert!(changed.head.metadata().is_empty());
}
