//! Marking by a threshold: when packets are marked, which ones, and how their bytes change.

mod common;

use common::*;
use queues::DisciplinePlan;
use wire::{Ethernet, Packet};

fn manager() -> queues::TrafficManager {
    simple(DisciplinePlan::Ecn { limit: 10 * on_wire(1500), threshold: 2 * on_wire(1500) })
}

#[test]
fn marks_packets_that_find_more_than_the_threshold() {
    let mut manager = manager();
    for _ in 0..5 {
        offer(&mut manager, packet(8, 2, 1500));
    }
    let marks: Vec<u8> = std::iter::from_fn(|| take(&mut manager)).map(|packet| ipv4(&packet).ecn()).collect();
    // The third packet finds exactly the threshold waiting, which does not exceed it.
    assert_eq!(marks, [2, 2, 2, 3, 3]);
    assert_eq!(counter(&manager, "SAI_QUEUE_STAT_WRED_ECN_MARKED_PACKETS"), 2);
}

#[test]
fn a_mark_changes_only_ecn_bits_and_checksum() {
    let mut manager = manager();
    for ecn in [2, 2, 2, 0, 1, 2, 3] {
        offer(&mut manager, packet(46, ecn, 1500));
    }
    let after: Vec<Packet> = std::iter::from_fn(|| take(&mut manager)).skip(3).collect();
    for (packet, (before, expected)) in after.iter().zip([(0, 0), (1, 3), (2, 3), (3, 3)]) {
        let header = ipv4(packet);
        assert_eq!((header.ecn(), header.dscp()), (expected, 46), "before: {before}");
        assert_eq!(header.is_checksum_right(), Some(true));
        let mut bytes = packet.head.bytes().to_vec();
        let original = common::packet(46, before, 1500);
        bytes[15] = original.head.bytes()[15];
        bytes[24..26].copy_from_slice(&original.head.bytes()[24..26]);
        assert_eq!(bytes, original.head.bytes());
    }
}

#[test]
fn marks_the_ipv6_traffic_class_across_two_bytes() {
    let mut manager = manager();
    for _ in 0..3 {
        offer(&mut manager, packet(0, 0, 1500));
    }
    let mut bytes = [0u8; 70];
    Ethernet::new(&mut bytes[..]).unwrap().set_ether_type(0x86DD);
    // Version 6, traffic class 0b1010_1110 (DSCP 43, ECT(0)), flow label 0xF1234.
    bytes[14..18].copy_from_slice(&[0x6A, 0xEF, 0x12, 0x34]);
    offer(&mut manager, Packet::of_bytes(&bytes));
    let packet = std::iter::from_fn(|| take(&mut manager)).last().unwrap();
    assert_eq!(packet.head.bytes()[14..18], [0x6A, 0xFF, 0x12, 0x34]);
}
