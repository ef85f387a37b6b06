//! Trimming of single packets: the bytes that are left.

mod common;

use common::*;
use queues::{DisciplinePlan, Marking, PortPlan, Refusals, Returns, TrafficManager, TrimmingPlan, Victim, dscp};
use wire::{Ethernet, Ipv4, Ipv6, Packet, Udp};

/// Returns NDP's plan with room for one packet of 1500 bytes, where arriving packets are trimmed.
fn plan() -> TrimmingPlan {
    TrimmingPlan { victim: Victim::Arriving, ..TrimmingPlan::ndp(on_wire(1500)) }
}

fn manager(plan: TrimmingPlan, is_last_hop: bool) -> TrafficManager {
    let discipline = DisciplinePlan::Trimming(Box::new(plan));
    TrafficManager::new(
        vec![PortPlan { rate: rate(), framing: FRAMING, is_last_hop, discipline }; 2],
        &Default::default(),
        1,
    )
}

/// Returns what is left of a packet that finds the queue full.
fn trimmed_at(plan: TrimmingPlan, is_last_hop: bool, packet: Packet) -> Packet {
    let mut manager = manager(plan, is_last_hop);
    offer(&mut manager, common::packet(0, 0, 1500));
    assert!(offer(&mut manager, packet).discarded.is_empty());
    take(&mut manager).unwrap()
}

fn trimmed(plan: TrimmingPlan, packet: Packet) -> Packet {
    trimmed_at(plan, false, packet)
}

#[test]
fn keeps_the_first_bytes_and_corrects_the_lengths() {
    let before = packet(0, 2, 1500);
    let after = trimmed(plan(), before.clone());
    assert_eq!((after.len(), after.head.len(), after.sidecar.original_length), (64, 64, 1500));
    assert_eq!(ipv4(&after).total_length(), 50);
    assert_eq!((udp(&after).length(), udp(&after).checksum()), (30, 0));
    assert_eq!((ipv4(&after).dscp(), ipv4(&after).ecn()), (dscp::TRIMMED, 2));
    assert_eq!(ipv4(&after).is_checksum_right(), Some(true));
    // Only traffic class, total length, header checksum, UDP length and UDP checksum have changed.
    let changed: Vec<usize> = (0..64).filter(|&at| before.head.bytes()[at] != after.head.bytes()[at]).collect();
    assert!(changed.iter().all(|at| matches!(at, 15..18 | 24..26 | 38..42)), "{changed:?}");
}

#[test]
fn may_keep_the_old_lengths_and_checksums() {
    let lengths = trimmed(TrimmingPlan { corrects_lengths: false, ..plan() }, packet(0, 2, 1500));
    assert_eq!((lengths.len(), ipv4(&lengths).total_length(), udp(&lengths).length()), (64, 1486, 1466));
    assert_eq!(ipv4(&lengths).is_checksum_right(), Some(true), "the checksum follows the changed code point");

    let sums = trimmed(TrimmingPlan { corrects_checksum: false, ..plan() }, packet(0, 2, 1500));
    assert_eq!((ipv4(&sums).total_length(), udp(&sums).length()), (50, 30));
    assert_eq!(ipv4(&sums).checksum(), ipv4(&packet(0, 2, 1500)).checksum());
    assert_eq!((ipv4(&sums).is_checksum_right(), udp(&sums).checksum()), (Some(false), 0x1234));
}

#[test]
fn never_trims_into_the_ip_header() {
    for (size, left) in [(64, 64), (100, 100), (256, 256), (20, 34)] {
        let after = trimmed(TrimmingPlan { trim_size: size, ..plan() }, packet(0, 0, 1500));
        assert_eq!(after.len(), left);
        assert_eq!(usize::from(ipv4(&after).total_length()), left - 14);
        assert_eq!(ipv4(&after).is_checksum_right(), Some(true));
    }
}

#[test]
fn rewrites_code_points_as_the_plan_says() {
    let asymmetric = Marking::Asymmetric(vec![(0, 20), (8, 22)]);
    let last_hop = Marking::LastHop { last: dscp::TRIMMED_AT_LAST_HOP, elsewhere: dscp::TRIMMED };
    for (marking, is_last_hop, before, after) in [
        (Marking::Symmetric(10), true, 8, 10),
        (asymmetric.clone(), false, 0, 20),
        (asymmetric.clone(), true, 8, 22),
        (asymmetric, true, 16, 16),
        (last_hop.clone(), true, 0, 12),
        (last_hop, false, 0, 10),
        (Marking::Unmarked, false, 8, 8),
    ] {
        let trimmed = trimmed_at(TrimmingPlan { marking, ..plan() }, is_last_hop, packet(before, 1, 1500));
        assert_eq!((ipv4(&trimmed).dscp(), ipv4(&trimmed).ecn()), (after, 1));
        assert_eq!(ipv4(&trimmed).is_checksum_right(), Some(true));
    }
}

#[test]
fn trims_ipv6() {
    let mut before = Packet::of_bytes(&[0; 200]);
    let bytes = before.head.bytes_mut();
    Ethernet::new(&mut *bytes).unwrap().set_ether_type(0x86DD);
    let mut header = Ipv6::new(&mut bytes[14..]).unwrap();
    header.set_version_class_flow(0x6000_0000);
    header.set_payload_length(146);
    header.set_next_header(17);
    Udp::new(&mut bytes[54..]).unwrap().set_length(146);
    let mut manager = manager(TrimmingPlan { data: 100, ..plan() }, false);
    offer(&mut manager, before);
    let after = take(&mut manager).unwrap();
    let header = Ipv6::new(&after.head.bytes()[14..]).unwrap();
    assert_eq!((after.len(), header.payload_length(), header.traffic_class()), (64, 10, dscp::TRIMMED << 2));
    assert_eq!(Udp::new(&after.head.bytes()[54..]).unwrap().length(), 10);
}

#[test]
fn trims_behind_a_vlan_tag() {
    let before = packet(0, 2, 1500);
    let (link, rest) = before.head.bytes().split_at(12);
    let mut tagged = Packet::of_bytes(&[link, &[0x81, 0x00, 0x00, 0x07], rest].concat());
    tagged.tail = before.tail.clone();
    let after = trimmed(plan(), tagged);
    let header = Ipv4::new(&after.head.bytes()[18..]).unwrap();
    assert_eq!((after.len(), header.total_length(), header.dscp()), (64, 46, dscp::TRIMMED));
    assert_eq!(header.is_checksum_right(), Some(true));
    assert_eq!(Udp::new(&after.head.bytes()[38..]).unwrap().length(), 26);
}

#[test]
fn exchanges_the_addresses_of_returned_headers() {
    let plan = TrimmingPlan { returns: Returns::Above { watermark: on_wire(1500) }, ..plan() };
    let mut manager = manager(plan, false);
    offer(&mut manager, packet(0, 0, 1500));
    let Refusals { mut returned, discarded, .. } = offer(&mut manager, packet(0, 0, 1500));
    assert!(discarded.is_empty());
    let after = returned.pop().unwrap();
    let ethernet = Ethernet::new(after.head.bytes()).unwrap();
    assert_eq!((ethernet.destination(), ethernet.source()), ([2, 0, 10, 0, 0, 1], [2, 0, 10, 0, 0, 2]));
    assert_eq!((ipv4(&after).source().octets(), ipv4(&after).destination().octets()), (RECEIVER, SENDER));
    assert_eq!((udp(&after).source_port(), udp(&after).destination_port()), (7000, 8000));
    assert_eq!((after.len(), ipv4(&after).dscp()), (64, dscp::RETURNED));
    assert_eq!(ipv4(&after).is_checksum_right(), Some(true));
}
