//! Multicast and clones.

use control::{CloneSession, Replica, ReplicationRequest, Request};
use machines::v1model::V1modelParameters;
use machines::v1model::reasons;
use node::Reason;
use wire::Packet;

use crate::support::{bench, bench_of, bench_with, text};

/// Writes into the header of a packet in egress where it comes from.
const MARK: &str = "  hdr.h.b = bit<8>(standard_metadata.instance_type)
  hdr.h.c = bit<8>(standard_metadata.egress_rid)";

#[test]
fn multicast_copies_keep_ingress_metadata() {
    let ingress = "  standard_metadata.mcast_grp = 3u16\n  meta.lost = 9u8";
    let mut bench = bench(ingress, &format!("{MARK}\n  hdr.h.a = meta.lost"));
    bench.group(3, &[(4, 1), (5, 2), (4, 7)]);
    let sent = bench.packet(&[0, 0, 0, 0xff]).sent;
    assert_eq!(sent, [(4, vec![9, 5, 1, 0xff]), (5, vec![9, 5, 2, 0xff]), (4, vec![9, 5, 7, 0xff])]);
    assert_eq!(bench.switch.statistics().replicated, 2);
}

#[test]
fn multicast_precedes_dropping() {
    // `simple_switch.md`, "after-ingress pseudocode".
    let mut multicast = bench("  standard_metadata.mcast_grp = 3u16\n  standard_metadata.egress_spec = 511u9", "");
    multicast.group(3, &[(4, 1)]);
    assert_eq!(multicast.packet(&[0, 0, 0]).sent.len(), 1);
    let mut dropped = bench("  standard_metadata.mcast_grp = 3u16\n  call ingress.drop", "");
    dropped.group(3, &[(4, 1)]);
    assert_eq!(dropped.packet(&[0, 0, 0]).discarded, [Reason::PROGRAM]);
}

#[test]
fn unknown_or_empty_groups_discard_the_packet() {
    let mut bench = bench("  standard_metadata.mcast_grp = 3u16", "");
    assert_eq!(bench.packet(&[0, 0, 0]).discarded, [reasons::UNKNOWN_MULTICAST_GROUP]);
    bench.group(3, &[]);
    assert_eq!(bench.packet(&[0, 0, 0]).discarded, [reasons::EMPTY_MULTICAST_GROUP]);
}

#[test]
fn copies_for_one_port_are_queued_in_order() {
    let egress = "  hdr.h.a = bit<8>(standard_metadata.enq_qdepth)
  hdr.h.b = bit<8>(standard_metadata.deq_qdepth)
  hdr.h.c = bit<8>(standard_metadata.deq_timedelta)";
    let mut bench = bench("  standard_metadata.mcast_grp = 1u16", egress);
    bench.group(1, &[(4, 0), (4, 0), (5, 0)]);
    assert_eq!(bench.packet(&[9, 9, 9]).sent, [(4, vec![0, 1, 0]), (4, vec![1, 0, 0]), (5, vec![0, 0, 0])]);
}

#[test]
fn ingress_clones_keep_arrival_bytes_and_field_list() {
    let ingress = "  hdr.h.a = 77u8
  meta.kept = 1u8
  clone ingress_to_egress, 1u32
  clone ingress_to_egress, 2u32 keep 0
  meta.kept = 5u8
  meta.lost = 6u8
  standard_metadata.egress_spec = 3u9";
    let egress = "  if standard_metadata.instance_type == 1u32 {
    set_valid hdr.more
    hdr.more.word = meta.kept ++ meta.lost
  }";
    let mut bench = bench(ingress, egress);
    bench.session(1, &[(8, 0)]);
    bench.session(2, &[(9, 0)]);
    // Of two requests the last one counts (`v1model.p4`).
    assert_eq!(bench.packet(&[1, 2, 3, 4]).sent, [(9, vec![5, 0, 1, 2, 3, 4]), (3, vec![77, 2, 3, 4])]);
    assert_eq!(bench.switch.statistics().clones, 1);
}

#[test]
fn clone_parser_does_not_change_kept_fields() {
    let egress = "  hdr.h.b = meta.kept\n  hdr.h.c = meta.lost";
    let text = text("  meta.kept = 5u8\n  meta.lost = 6u8\n  clone ingress_to_egress, 1u32 keep 0", egress);
    let parser = "    extract hdr.h\n    meta.kept = meta.kept + 90u8\n    meta.lost = meta.kept";
    let mut bench = bench_of(&text.replace("    extract hdr.h\n", &format!("{parser}\n")));
    bench.session(1, &[(9, 0)]);
    // The clone's parser sees the kept field, but its final value is that of ingress.
    assert_eq!(bench.packet(&[1, 2, 3]).sent, [(9, vec![1, 5, 95]), (0, vec![1, 5, 6])]);
}

#[test]
fn dropped_packets_are_still_cloned() {
    let mut bench = bench("  clone ingress_to_egress, 1u32\n  standard_metadata.egress_spec = 511u9", MARK);
    bench.session(1, &[(8, 0), (9, 4)]);
    let outcome = bench.packet(&[1, 2, 3]);
    assert_eq!(outcome.sent, [(8, vec![1, 1, 0]), (9, vec![1, 1, 4])]);
    assert_eq!(outcome.discarded, [Reason::PROGRAM]);
}

#[test]
fn egress_clones_keep_headers_and_skip_the_parser() {
    let egress = "  if standard_metadata.instance_type == 2u32 {
    set_valid hdr.more
    hdr.more.word = meta.kept ++ meta.lost
    hdr.h.c = bit<8>(standard_metadata.egress_port)
  } else {
    hdr.h.a = 77u8
    meta.kept = 5u8
    meta.lost = 6u8
    clone egress_to_egress, 2u32 keep 0
    standard_metadata.egress_spec = 511u9
  }";
    let mut bench = bench("  meta.lost = 9u8", egress);
    bench.session(2, &[(9, 0)]);
    let outcome = bench.packet(&[1, 2, 3, 4]);
    assert_eq!(outcome.sent, [(9, vec![5, 0, 77, 2, 9, 4])]);
    assert_eq!(outcome.discarded, [Reason::PROGRAM]);
}

#[test]
fn sessions_can_use_groups_and_truncate() {
    let mut bench = bench("  clone ingress_to_egress, 1u32", MARK);
    bench.group(6, &[(5, 50)]);
    let replicas = vec![Replica { port: 4, instance: 40 }];
    let session = CloneSession { replicas, group: Some(6), maximum_length: Some(4), ..CloneSession::default() };
    bench.control(Request::CloneSession(1, ReplicationRequest::Put(session)));
    let sent = bench.packet(&[1, 2, 3, 4, 5, 6]).sent;
    assert_eq!(sent[..2], [(4, vec![1, 1, 40, 4]), (5, vec![1, 1, 50, 4])]);
    assert_eq!(sent[2], (0, vec![1, 0, 0, 4, 5, 6]), "the packet itself is not cut");
}

#[test]
fn clones_of_unknown_sessions_are_discarded() {
    let mut bench = bench("  clone ingress_to_egress, 1u32", "  clone egress_to_egress, 7u32");
    let outcome = bench.packet(&[1, 2, 3]);
    assert_eq!(outcome.sent, [(0, vec![1, 2, 3])]);
    assert_eq!(outcome.discarded, [reasons::UNKNOWN_CLONE_SESSION, reasons::UNKNOWN_CLONE_SESSION]);
}

#[test]
fn endless_clones_and_copies_are_limited() {
    let parameters = V1modelParameters { rounds: 3, ..V1modelParameters::default() };
    let mut chain = bench_with("", "  clone egress_to_egress, 1u32", parameters);
    chain.session(1, &[(2, 0)]);
    let outcome = chain.packet(&[1, 2, 3]);
    assert_eq!(outcome.sent.len(), 4);
    assert_eq!(outcome.discarded, [reasons::CLONE_LIMIT]);

    // The number of clones doubles in each generation.
    let parameters = V1modelParameters { copies: 100, ..V1modelParameters::default() };
    let mut tree = bench_with("", "  clone egress_to_egress, 1u32", parameters);
    tree.session(1, &[(2, 0), (3, 0)]);
    let outcome = tree.packet(&[1, 2, 3]);
    assert_eq!(outcome.sent.len(), 100);
    assert!(outcome.discarded.iter().all(|&reason| reason == reasons::COPY_LIMIT));
    // The limit applies to each packet separately.
    assert_eq!(tree.receive(1, Packet::of_bytes(&[1, 2, 3])).sent.len(), 100);
}
