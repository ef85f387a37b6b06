//! Resubmission and recirculation.

use machines::v1model::V1modelParameters;
use machines::v1model::reasons;
use node::Reason;

use crate::support::{bench, bench_with};

#[test]
fn resubmission_keeps_only_the_field_list() {
    let ingress = "  if standard_metadata.instance_type == 6u32 {
    hdr.h.b = meta.kept
    hdr.h.c = meta.lost
    standard_metadata.egress_spec = standard_metadata.ingress_port
  } else {
    hdr.h.a = 77u8
    meta.lost = 9u8
    truncate 1u32
    resubmit keep 0
    meta.kept = 5u8
    standard_metadata.egress_spec = 511u9
    standard_metadata.mcast_grp = 3u16
  }";
    let mut bench = bench(ingress, "");
    bench.group(3, &[(2, 0)]);
    // Resubmission precedes multicast and dropping (`simple_switch.md`, "after-ingress pseudocode").
    let outcome = bench.packet(&[1, 2, 3, 4]);
    assert_eq!((outcome.sent, outcome.discarded), (vec![(1, vec![1, 5, 0, 4])], vec![]));
    assert_eq!(bench.switch.statistics().resubmissions, 1);
}

#[test]
fn recirculated_packets_have_deparsed_bytes() {
    let ingress = "  hdr.h.b = bit<8>(standard_metadata.instance_type)
  hdr.h.c = bit<8>(standard_metadata.packet_length)
  meta.lost = meta.lost + 1u8";
    let egress = "  if meta.kept == 0u8 {
    set_valid hdr.more
    hdr.more.word = 255u8 ++ meta.lost
    meta.kept = 20u8
    recirculate keep 0
    truncate 1u32
  } else {
    hdr.h.a = (meta.kept + meta.lost) + bit<8>(standard_metadata.instance_type)
  }";
    let mut bench = bench(ingress, egress);
    // The recirculated packet is ff 01 01 00 03, whose first three bytes are the header. In egress it is like any other
    // packet (BMv2 sets `instance_type` to 0 before).
    assert_eq!(bench.packet(&[1, 2, 3]).sent, [(0, vec![21, 4, 5, 0, 3])]);
    assert_eq!(bench.switch.statistics().recirculations, 1);
}

#[test]
fn packets_dropped_in_egress_do_not_recirculate() {
    let mut bench = bench("", "  recirculate\n  standard_metadata.egress_spec = 511u9");
    assert_eq!(bench.packet(&[1, 2, 3]).discarded, [Reason::PROGRAM]);
}

#[test]
fn endless_rounds_are_stopped() {
    let parameters = V1modelParameters { rounds: 5, ..V1modelParameters::default() };
    let mut resubmitting = bench_with("  resubmit", "", parameters.clone());
    assert_eq!(resubmitting.packet(&[1, 2, 3]).discarded, [reasons::RESUBMIT_LIMIT]);
    assert_eq!(resubmitting.switch.statistics().resubmissions, 5);
    let mut recirculating = bench_with("", "  recirculate", parameters);
    assert_eq!(recirculating.packet(&[1, 2, 3]).discarded, [machines::reasons::RECIRCULATION_LIMIT]);
    assert_eq!(recirculating.switch.statistics().recirculations, 5);
}

#[test]
fn requests_in_the_wrong_block_are_ignored() {
    let mut bench = bench("  recirculate", "  resubmit");
    assert_eq!(bench.packet(&[1, 2, 3]).sent.len(), 1);
    assert_eq!(bench.switch.statistics().ignored_requests, 2);
}
