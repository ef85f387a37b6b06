//! Frames with a virtio header, as an interface passes them: what the header says is refused and nothing changed, or it is
//! read, written again as it was, and carried out within the packet.

#![no_main]

use libfuzzer_sys::fuzz_target;
use live::virtio;
use wire::{ChecksumState, Layers, Packet, Tail, protocol};

/// The bytes that a packet's head gets of a frame.
const HEAD: usize = 128;

fuzz_target!(|input: &[u8]| {
    let Some((&header, frame)) = input.split_first_chunk::<{ virtio::LENGTH }>() else { return };
    let (head, tail) = frame.split_at(frame.len().min(HEAD));
    let mut packet = Packet::of_bytes(head).with_tail(Tail::Bytes(tail.into()));
    let before = packet.clone();
    // A checksum that seems partial is one: completed, it is right.
    if packet.lacks_checksum() {
        let (mut completed, layers) = (packet.clone(), Layers::of(&packet));
        let start = layers.transport.expect("where there is a checksum");
        let offset = if layers.protocol == protocol::TCP { 16 } else { 6 };
        completed.sidecar.checksum = ChecksumState::Partial { start: start as u16, offset };
        let is_padded = layers.network_end != packet.len();
        assert!(completed.complete_checksum() && (is_padded || !completed.lacks_checksum()));
    }
    if virtio::read(header, &mut packet).is_err() {
        assert_eq!(packet, before);
        return;
    }
    let mut again = packet.clone();
    virtio::read(virtio::write(&packet), &mut again).expect("what was read can be written");
    if packet.sidecar.checksum == ChecksumState::Verified {
        // Nobody vouches for the checksum any more.
        assert_eq!(again.sidecar.checksum, ChecksumState::Unknown);
        again.sidecar.checksum = ChecksumState::Verified;
    }
    assert_eq!(again, packet);
    let expected = packet.segments().count;
    let mut count = 0;
    match packet.segment(|mut segment| {
        count += 1;
        let length = segment.len();
        // Headers that were found lie within the packet, and so does the checksum that the header names.
        assert!(segment.complete_checksum() || matches!(segment.sidecar.checksum, ChecksumState::Partial { .. }));
        assert_eq!(segment.len(), length);
    }) {
        Ok(()) => assert_eq!(count, expected),
        Err(_) => assert_eq!(count, 0),
    }
});
