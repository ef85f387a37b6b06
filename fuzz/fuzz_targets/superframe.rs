//! Packets that an interface left to others to cut, and partial checksums: whatever the bytes, kind and size are, the
//! packet is handed back unchanged, or cut into segments that have its headers, its payload in order, and right
//! checksums.

#![no_main]

use libfuzzer_sys::fuzz_target;
use wire::{ChecksumState, Layers, Packet, Segmentation, SegmentationKind, Tail};

/// The bytes in front of the frame: kind, size (two), boundary between head and tail, start and offset of the checksum.
const SETTINGS: usize = 6;

fn bytes(packet: &Packet) -> Vec<u8> {
    let mut bytes = Vec::new();
    packet.append_to(&mut bytes);
    bytes
}

fuzz_target!(|input: &[u8]| {
    let Some((&[kind, size, more, boundary, start, offset], frame)) = input.split_first_chunk::<SETTINGS>() else {
        return;
    };
    let kinds = [SegmentationKind::TcpIpv4, SegmentationKind::TcpIpv6, SegmentationKind::Udp];
    let boundary = usize::from(boundary).min(frame.len());
    let mut packet = Packet::of_bytes(&frame[..boundary]).with_tail(Tail::Bytes(frame[boundary..].into()));
    packet.sidecar.checksum = ChecksumState::Partial { start: start.into(), offset };
    let mut completed = packet.clone();
    if completed.complete_checksum() {
        let field = usize::from(start) + usize::from(offset);
        let after = bytes(&completed);
        let is_same = |(at, (new, old)): (usize, (&u8, &u8))| new == old || at == field || at == field + 1;
        assert!(after.iter().zip(frame).enumerate().all(is_same));
    } else {
        assert_eq!(completed, packet);
    }
    let segmentation =
        Segmentation { kind: kinds[usize::from(kind) % 3], size: u16::from_be_bytes([size, more]), has_cwr: false };
    packet.sidecar.segmentation = Some(segmentation);
    let (before, whole) = (packet.clone(), Layers::of(&packet));
    let mut payload = Vec::new();
    let mut count = 0;
    match packet.segment(|mut segment| {
        count += 1;
        assert!(segment.complete_checksum());
        let layers = Layers::of(&segment);
        assert_eq!((layers.transport, layers.payload), (whole.transport, whole.payload));
        let segment = bytes(&segment);
        let rest = &segment[layers.payload.expect("a segment has a payload")..];
        assert!(rest.len() <= usize::from(segmentation.size));
        payload.extend_from_slice(rest);
    }) {
        Ok(()) => assert_eq!(payload, frame[whole.payload.expect("it was cut")..]),
        Err(back) => assert_eq!((back, count), (before, 0)),
    }
});
