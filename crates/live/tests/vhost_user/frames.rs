//! Frames between a guest and the switch, with what is left undone in them.

use std::collections::VecDeque;

use live::{Interface, Offload, VhostUser, reasons};
use node::{Burst, Discarded, Reason};
use wire::{ChecksumState, Packet, Segmentation, SegmentationKind};

use crate::guest::{
    CHECKSUMS, EVENT_INDEX, Guest, HEADER, INDIRECT, MERGED, RECEIVE, SEGMENTS, TRANSMIT, VERSION_1, await_link,
    interface, is_readable, wait,
};

/// Returns a frame whose bytes all differ from their neighbours.
fn frame(length: usize) -> Vec<u8> {
    (0..length).map(|at| (at * 7 + at / 256) as u8).collect()
}

/// Returns 60,000 bytes of TCP over IPv4 whose checksum is still to be computed.
fn superframe() -> Vec<u8> {
    let mut whole = frame(60_054);
    whole[12..34].copy_from_slice(&[8, 0, 0x45, 0, 0xEA, 0x88, 0, 0, 0x40, 0, 64, 6, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2]);
    whole[46] = 0x50;
    let mut sum = wire::checksum::Sum::default();
    sum.add(&whole[26..34]);
    sum.add_word(6);
    sum.add_word(60_020);
    whole[50..52].copy_from_slice(&sum.folded().to_be_bytes());
    whole
}

fn bytes(packet: &Packet) -> Vec<u8> {
    let mut bytes = Vec::new();
    packet.append_to(&mut bytes);
    bytes
}

/// Receives until nothing waits.
pub fn receive(interface: &mut VhostUser) -> (Burst, Vec<Discarded>) {
    let (mut burst, mut discarded) = (Burst::new(), Vec::new());
    loop {
        let before = burst.len() + discarded.len();
        interface.receive(8, &mut burst, &mut discarded).expect("receiving works");
        if burst.len() + discarded.len() < before + 8 {
            return (burst, discarded);
        }
    }
}

/// Sends packets. Returns those that found no room, how many were sent, and those that never can be.
pub fn send(interface: &mut VhostUser, packets: Vec<Packet>) -> (VecDeque<Packet>, usize, Vec<Discarded>) {
    let (mut packets, mut sent, mut discarded) = (packets.into(), Burst::new(), Vec::new());
    interface.send(&mut packets, &mut sent, &mut discarded).expect("sending works");
    (packets, sent.len(), discarded)
}

#[test]
fn frames_pass_in_both_directions_whatever_the_guest_has_taken() {
    for features in
        [0, VERSION_1, VERSION_1 | EVENT_INDEX, VERSION_1 | MERGED | INDIRECT, VERSION_1 | MERGED | EVENT_INDEX]
    {
        let (mut interface, path) = interface();
        let mut guest = Guest::start(&path, features);
        await_link(&mut interface, true);
        let header = if features == 0 { 10 } else { HEADER };
        for length in [14, 60, 128, 129, 1514] {
            let sent = frame(length);
            // Before version 1 the header is shorter, and the frame follows at once.
            let (head, tail) = sent.split_at(HEADER - header);
            let mut first = [0; HEADER];
            first[header..].copy_from_slice(head);
            guest.transmit(first, &[tail]);
            wait(interface.descriptor());
            let (burst, discarded) = receive(&mut interface);
            assert_eq!((burst.len(), discarded.len()), (1, 0), "{length} bytes with {features:#x}");
            assert_eq!(bytes(&burst[0]), sent);
            assert!(!is_readable(interface.descriptor(), 0), "nothing waits any more");
            guest.offer_buffers(1, 2048);
            let (left, count, _) = send(&mut interface, burst.into_iter().collect());
            assert_eq!((left.len(), count), (0, 1));
            let used = guest.used(RECEIVE);
            assert_eq!(used[0].1 as usize, header + length);
            assert!(guest.is_interrupted(RECEIVE));
        }
        assert_eq!(guest.used(TRANSMIT).len(), 5, "buffers of frames that were sent are given back");
    }
}

#[test]
fn superframes_and_partial_checksums_pass_as_they_are() {
    let (mut interface, path) = interface();
    let mut guest = Guest::start(&path, VERSION_1 | CHECKSUMS | SEGMENTS | MERGED);
    await_link(&mut interface, true);
    assert_eq!(interface.offload(), Offload { checksum: true, tcp_segmentation: true, udp_segmentation: false });
    let whole = superframe();
    let mut header = [0; HEADER];
    header[..10].copy_from_slice(&[1, 1, 54, 0, 0xA8, 5, 34, 0, 16, 0]);
    guest.transmit(header, &[&whole[..54], &whole[54..30_000], &whole[30_000..]]);
    wait(interface.descriptor());
    let (burst, _) = receive(&mut interface);
    let packet = burst.into_iter().next().expect("a frame");
    assert_eq!(bytes(&packet), whole);
    assert_eq!(packet.sidecar.checksum, ChecksumState::Partial { start: 34, offset: 16 });
    let segmentation = Segmentation { kind: SegmentationKind::TcpIpv4, size: 1448, has_cwr: false };
    assert_eq!(packet.sidecar.segmentation, Some(segmentation));

    guest.offer_buffers(40, 2048);
    assert_eq!(send(&mut interface, vec![packet]).1, 1);
    let received = guest.received();
    let (bytes, buffers) = &received[0];
    assert_eq!((received.len(), *buffers), (1, (HEADER + whole.len()).div_ceil(2048) as u16));
    assert_eq!((bytes[0], bytes[1], &bytes[4..10]), (1, 1, &header[4..10]));
    assert_eq!(&bytes[HEADER..], whole);
}

/// A guest could have 16 bits of its choice written over an address or a port of its packet once the switch had decided about it, and stop
/// everybody else by superframes of 65,000 segments.
#[test]
fn what_a_guest_leaves_undone_is_done_before_anybody_decides_or_is_refused() {
    let (mut interface, path) = interface();
    let mut guest = Guest::start(&path, VERSION_1 | CHECKSUMS | SEGMENTS);
    await_link(&mut interface, true);
    let whole = superframe();
    let (port, own) = ([1, 0, 0, 0, 0, 0, 34, 0, 2, 0], [1, 0, 0, 0, 0, 0, 34, 0, 16, 0]);
    for (header, expected) in [
        (port, Ok(ChecksumState::Verified)),
        (own, Ok(ChecksumState::Partial { start: 34, offset: 16 })),
        // 601 segments of 100 bytes; a checksum of another place in one that is to be cut; cut as UDP, and as TCP over IPv6.
        ([1, 1, 54, 0, 100, 0, 34, 0, 16, 0], Err(reasons::TOO_MANY_SEGMENTS)),
        ([1, 1, 54, 0, 0xA8, 5, 34, 0, 2, 0], Err(Reason::MALFORMED)),
        ([1, 5, 54, 0, 0xA8, 5, 34, 0, 6, 0], Err(Reason::MALFORMED)),
        ([1, 4, 54, 0, 0xA8, 5, 34, 0, 16, 0], Err(Reason::MALFORMED)),
        // Nothing is said of the checksum: then it is the one that is always left to who cuts.
        ([0, 1, 54, 0, 0xA8, 5, 0, 0, 0, 0], Ok(ChecksumState::Partial { start: 34, offset: 16 })),
    ] {
        let mut full = [0; HEADER];
        full[..10].copy_from_slice(&header);
        guest.transmit(full, &[&whole[..54], &whole[54..]]);
        wait(interface.descriptor());
        let (burst, discarded) = receive(&mut interface);
        let outcome = match (&burst.into_iter().collect::<Vec<_>>()[..], &discarded[..]) {
            ([packet], []) => Ok(packet.sidecar.checksum),
            ([], [discarded]) => Err(discarded.reason),
            _ => panic!("one frame, and one outcome"),
        };
        assert_eq!(outcome, expected, "{header:?}");
    }
}

#[test]
fn a_guest_that_takes_no_offload_gets_none() {
    let (mut interface, path) = interface();
    let _guest = Guest::start(&path, VERSION_1 | SEGMENTS);
    await_link(&mut interface, true);
    assert_eq!(interface.offload(), Offload::default(), "segments need checksums");
}

#[test]
fn a_frame_that_finds_no_room_waits_until_the_guest_has_some() {
    for features in [VERSION_1, VERSION_1 | MERGED, VERSION_1 | MERGED | EVENT_INDEX] {
        let (mut interface, path) = interface();
        let mut guest = Guest::start(&path, features);
        await_link(&mut interface, true);
        let packets = vec![Packet::of_bytes(&frame(1514)), Packet::of_bytes(&frame(60))];
        let (left, count, _) = send(&mut interface, packets);
        assert_eq!((left.len(), count), (2, 0));
        assert!(!is_readable(interface.room().expect("it has"), 0));
        assert!(guest.wants_kicks(RECEIVE));
        guest.offer_buffers(2, 2048);
        wait(interface.room().expect("it has"));
        let (left, count, _) = send(&mut interface, left.into());
        assert_eq!((left.len(), count, guest.used(RECEIVE).len()), (0, 2, 2));
    }
}

#[test]
fn a_frame_that_can_never_fit_is_discarded_and_buffers_stay() {
    let (mut interface, path) = interface();
    let mut guest = Guest::start(&path, VERSION_1);
    await_link(&mut interface, true);
    guest.offer_buffers(2, 1000);
    let (left, count, discarded) = send(&mut interface, vec![Packet::of_bytes(&frame(1514))]);
    assert_eq!((left.len(), count, discarded[0].reason), (0, 0, reasons::TOO_LONG));
    assert_eq!(send(&mut interface, vec![Packet::of_bytes(&frame(900)); 2]).1, 2, "the buffers are there");

    drop(guest);
    await_link(&mut interface, false);
    let mut guest = Guest::start(&path, VERSION_1 | MERGED);
    await_link(&mut interface, true);
    // All buffers together hold fewer bytes.
    guest.offer_buffers(64, 20);
    let (left, _, discarded) = send(&mut interface, vec![Packet::of_bytes(&frame(1514))]);
    assert_eq!((left.len(), discarded[0].reason), (0, reasons::TOO_LONG));
}

#[test]
fn interrupts_and_kicks_are_spared_where_nobody_wants_them() {
    let (mut interface, path) = interface();
    let mut guest = Guest::start(&path, VERSION_1);
    await_link(&mut interface, true);
    guest.want_interrupts(RECEIVE, false);
    guest.offer_buffers(4, 2048);
    assert_eq!(send(&mut interface, vec![Packet::of_bytes(&frame(60)); 3]).1, 3);
    assert!(!guest.is_interrupted(RECEIVE));
    assert!(!guest.wants_kicks(RECEIVE), "there is room");
    guest.want_interrupts(RECEIVE, true);
    assert_eq!(send(&mut interface, vec![Packet::of_bytes(&frame(60))]).1, 1);
    assert!(guest.is_interrupted(RECEIVE));

    for _ in 0..9 {
        guest.transmit([0; HEADER], &[&frame(60)]);
    }
    let (mut burst, mut discarded) = (Burst::new(), Vec::new());
    interface.receive(8, &mut burst, &mut discarded).expect("receiving works");
    assert_eq!((burst.len(), guest.wants_kicks(TRANSMIT)), (8, false), "the switch looks again by itself");
    interface.receive(8, &mut burst, &mut discarded).expect("receiving works");
    assert_eq!((burst.len(), guest.wants_kicks(TRANSMIT)), (9, true), "nothing waits any more");

    // While the driver asks by itself, the guest need not kick; it is asked to before the driver sleeps.
    interface.tell_of_arrivals(false).expect("nothing can fail");
    guest.transmit([0; HEADER], &[&frame(60)]);
    assert_eq!(interface.has_arrived(), Some(true));
    interface.receive(8, &mut burst, &mut discarded).expect("receiving works");
    assert_eq!((burst.len(), guest.wants_kicks(TRANSMIT)), (10, false), "nobody waits for a kick");
    interface.tell_of_arrivals(true).expect("nothing can fail");
    assert!(is_readable(interface.descriptor(), 0), "the queue is looked at once more");
    interface.receive(8, &mut burst, &mut discarded).expect("receiving works");
    assert_eq!((burst.len(), guest.wants_kicks(TRANSMIT)), (10, true));
}

/// A switch that is killed between giving a frame to a guest and interrupting it leaves a guest that waits for an interrupt about that
/// frame. By the event index, the next switch would think that the guest had been interrupted, and wants nothing more.
#[test]
fn the_first_frame_of_a_queue_that_goes_on_interrupts_a_guest_that_may_have_missed_one() {
    let (mut interface, path) = interface();
    let mut guest = Guest::start(&path, VERSION_1 | EVENT_INDEX);
    await_link(&mut interface, true);
    guest.offer_buffers(4, 2048);
    send(&mut interface, vec![Packet::of_bytes(&frame(60))]);
    // The guest never hears of this interrupt.
    assert!(guest.is_interrupted(RECEIVE));
    guest.front_end_starts_again(RECEIVE);
    await_link(&mut interface, true);
    send(&mut interface, vec![Packet::of_bytes(&frame(60))]);
    assert!(guest.is_interrupted(RECEIVE));
    assert_eq!(guest.received().len(), 2);
}
