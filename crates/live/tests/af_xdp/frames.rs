//! Frames are what they were on the link.

use live::{Interface, PacketSocket};
use node::Burst;
use wire::{Packet, Tail};

use crate::namespace::ip;
use crate::{MODES, bytes_of, frame, open, receive, send, until_it_passes, veth, within};

const LENGTHS: [usize; 17] =
    [14, 15, 60, 127, 128, 129, 1514, 3400, 3519, 3521, 3840, 3841, 4095, 4096, 4097, 8000, 9014];

/// All lengths cross in both directions, and back from where they lie, one by one and in bursts.
#[test]
fn frames_of_all_lengths_cross() {
    within("frames::frames_of_all_lengths_cross", || {
        for mode in MODES {
            veth("port0", "far0", 9000);
            let mut xdp = open(&format!("port0,mode={mode}"));
            let mut far = PacketSocket::open("far0").expect("it exists");
            until_it_passes(&mut far, &mut xdp);
            until_it_passes(&mut xdp, &mut far);
            for round in 0..20 {
                let frames: Vec<_> = LENGTHS.iter().map(|length| frame(*length, round)).collect();
                let packets = || frames.iter().map(|frame| Packet::of_bytes(frame));
                assert!(send(&mut far, packets()).is_empty());
                let arrived = receive(&mut xdp, frames.len());
                let right = arrived.iter().map(bytes_of).eq(frames.iter().cloned());
                assert!(right, "{mode}: what was received differs");
                for packet in &arrived {
                    assert_eq!(packet.sidecar.original_length as usize, packet.len());
                }
                // From where they lie.
                assert!(send(&mut xdp, arrived).is_empty());
                let returned = receive(&mut far, frames.len());
                assert!(returned.iter().map(bytes_of).eq(frames.iter().cloned()), "{mode}: what was returned differs");
                // From elsewhere, with a head and a tail, and with a tail that is only a length.
                assert!(send(&mut xdp, packets()).is_empty());
                let sent = receive(&mut far, frames.len());
                assert!(sent.iter().map(bytes_of).eq(frames.iter().cloned()), "{mode}: what was sent differs");
            }
            let zeros = Packet::of_bytes(&frame(40, 1)).with_tail(Tail::Length(5000));
            assert!(send(&mut xdp, [zeros.clone()]).is_empty());
            assert_eq!(bytes_of(&receive(&mut far, 1)[0]), bytes_of(&zeros));
            // What was sent is not received.
            let mut burst = Burst::new();
            xdp.receive(64, &mut burst, &mut Vec::new()).expect("the interface is there");
            assert!(!burst.iter().any(|packet| packet.head.bytes()[6] == 2));
            ip("link delete port0");
        }
    });
}

/// A packet whose chunk others have is sent without touching theirs.
#[test]
fn copies_of_a_packet_go_out_with_heads_of_their_own() {
    within("frames::copies_of_a_packet_go_out_with_heads_of_their_own", || {
        veth("port0", "far0", 1500);
        let (mut xdp, mut far) = (open("port0"), PacketSocket::open("far0").expect("it exists"));
        until_it_passes(&mut far, &mut xdp);
        until_it_passes(&mut xdp, &mut far);
        send(&mut far, [Packet::of_bytes(&frame(1000, 1))]);
        let original = receive(&mut xdp, 1).remove(0);
        let copies = [20u8, 21, 22].map(|number| {
            let mut copy = original.clone();
            // A longer front than before.
            let mut front = frame(18, 1);
            front[17] = number;
            copy.replace_front(14, &front);
            copy
        });
        let expected = copies.each_ref().map(bytes_of);
        send(&mut xdp, copies);
        assert_eq!(receive(&mut far, 3).iter().map(bytes_of).collect::<Vec<_>>(), expected);
        assert_eq!(bytes_of(&original), frame(1000, 1));
        send(&mut xdp, [original]);
        assert_eq!(bytes_of(&receive(&mut far, 1)[0]), frame(1000, 1));
    });
}

/// Packets that are kept keep their payload, and reception goes on: with copies, once no chunk is left to lend.
#[test]
fn a_lender_that_runs_short_copies() {
    within("frames::a_lender_that_runs_short_copies", || {
        veth("port0", "far0", 1500);
        let (mut xdp, mut far) = (open("port0"), PacketSocket::open("far0").expect("it exists"));
        until_it_passes(&mut far, &mut xdp);
        let mut kept = Vec::new();
        for number in 0..3000 {
            send(&mut far, [Packet::of_bytes(&frame(300 + number % 1000, number))]);
            kept.append(&mut receive(&mut xdp, 1));
        }
        for (number, packet) in kept.iter().enumerate() {
            assert!(bytes_of(packet) == frame(300 + number % 1000, number), "packet {number}");
        }
        assert!((1000..3000).contains(&xdp.copies()), "{} copies", xdp.copies());
        let before = xdp.copies();
        drop(kept);
        for number in 0..3000 {
            send(&mut far, [Packet::of_bytes(&frame(300, number))]);
            assert_eq!(bytes_of(&receive(&mut xdp, 1)[0]), frame(300, number));
        }
        assert!(xdp.copies() < before + 64, "chunks are lent again");
    });
}

#[test]
fn what_cannot_be_sent_is_discarded_with_the_reason() {
    within("frames::what_cannot_be_sent_is_discarded_with_the_reason", || {
        veth("port0", "far0", 1500);
        let (mut xdp, mut far) = (open("port0"), PacketSocket::open("far0").expect("it exists"));
        until_it_passes(&mut xdp, &mut far);
        assert_eq!(xdp.longest_frame(), Some(1514));
        let mut tagged = frame(1518, 0);
        tagged[12..14].copy_from_slice(&[0x81, 0]);
        let too_long = [frame(1515, 0), frame(9000, 0), frame(200_000, 0)].map(|frame| Packet::of_bytes(&frame));
        let discarded = send(&mut xdp, too_long.into_iter().chain([Packet::of_bytes(&tagged)]));
        assert!(discarded.len() == 3 && discarded.iter().all(|one| one.reason == live::reasons::TOO_LONG));
        assert_eq!(bytes_of(&receive(&mut far, 1)[0]), tagged);
        let short = send(&mut xdp, [Packet::of_bytes(&[1; 13])]);
        assert_eq!(short[0].reason, node::Reason::MALFORMED);
    });
}

/// A tag is part of a frame in either direction.
#[test]
fn vlan_tags_stay_in_frames() {
    within("frames::vlan_tags_stay_in_frames", || {
        for mode in MODES {
            veth("port0", "far0", 1500);
            let mut xdp = open(&format!("port0,mode={mode}"));
            let mut far = PacketSocket::open("far0").expect("it exists");
            until_it_passes(&mut far, &mut xdp);
            until_it_passes(&mut xdp, &mut far);
            for protocol in [[0x81, 0x00], [0x88, 0xA8]] {
                let mut tagged = frame(300, 5);
                tagged[12..14].copy_from_slice(&protocol);
                tagged[14..16].copy_from_slice(&[0xA0, 5]);
                send(&mut far, [Packet::of_bytes(&tagged)]);
                let arrived = receive(&mut xdp, 1);
                assert_eq!(bytes_of(&arrived[0]), tagged, "{mode}");
                send(&mut xdp, arrived);
                assert_eq!(bytes_of(&receive(&mut far, 1)[0]), tagged, "{mode}");
            }
            ip("link delete port0");
        }
    });
}
