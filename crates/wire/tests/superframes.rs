//! A property of cutting: whatever the bytes, kind and size are, a packet is handed back unchanged, or cut into segments
//! that have its headers, all of its payload in order, and checksums that can be completed.

use proptest::prelude::*;
use wire::{Layers, Packet, Segmentation, SegmentationKind, Tail};

/// An Ethernet frame with IPv4 or IPv6 and TCP or UDP, and 300 bytes of payload.
fn frame(is_ipv6: bool, is_udp: bool) -> Vec<u8> {
    let mut frame = vec![2; 12];
    let transport = if is_udp { 8 } else { 20 };
    let number = if is_udp { 17 } else { 6 };
    if is_ipv6 {
        frame.extend([0x86, 0xDD, 0x60, 0, 0, 0, 1, 0, number, 64]);
        frame.extend([0xFD; 32]);
    } else {
        frame.extend([0x08, 0x00, 0x45, 0, 1, 0x40, 0, 7, 0x40, 0, 64, number, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2]);
    }
    let start = frame.len();
    frame.resize(start + transport, 0);
    if !is_udp {
        frame[start + 12] = 0x50;
    }
    frame.extend((0..300).map(|at| at as u8));
    frame
}

fn bytes(packet: &Packet) -> Vec<u8> {
    let mut bytes = Vec::new();
    packet.append_to(&mut bytes);
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_of_a_superframe_is_lost(
        is_ipv6: bool,
        is_udp: bool,
        kind in prop_oneof![
            Just(SegmentationKind::TcpIpv4), Just(SegmentationKind::TcpIpv6), Just(SegmentationKind::Udp)
        ],
        size in 0..400u16,
        boundary in 0..400usize,
        changes in prop::collection::vec((0..80usize, any::<u8>()), 0..3),
        length in 0..400usize,
    ) {
        let mut frame = frame(is_ipv6, is_udp);
        changes.iter().for_each(|(at, byte)| frame[*at] = *byte);
        frame.truncate(length.max(1));
        let boundary = boundary.min(frame.len());
        let mut packet = Packet::of_bytes(&frame[..boundary]).with_tail(Tail::Bytes(frame[boundary..].into()));
        packet.sidecar.segmentation = Some(Segmentation { kind, size, has_cwr: false });
        // The headers are found wherever the head ends.
        let (sidecar, whole) = (packet.sidecar, Layers::of(&Packet::of_bytes(&frame)));
        let (mut payload, mut count) = (Vec::new(), 0);
        let cut = packet.segment(|mut segment| {
            count += 1;
            assert!(segment.complete_checksum());
            let layers = Layers::of(&segment);
            assert_eq!((layers.transport, layers.payload), (whole.transport, whole.payload));
            let segment = bytes(&segment);
            let rest = &segment[layers.payload.expect("a segment has a payload")..];
            assert!(rest.len() <= usize::from(size));
            payload.extend_from_slice(rest);
        });
        match cut {
            Ok(()) => prop_assert_eq!(&payload, &frame[whole.payload.expect("it was cut")..]),
            Err(back) => prop_assert_eq!((bytes(&back), back.sidecar, count), (frame, sidecar, 0)),
        }
    }
}
