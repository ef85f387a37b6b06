//! Destinations of packets after ingress: ports, drops, tables and errors.

use control::{ActionCall, Request, TableNumber, TableRequest, Target};
use machines::Device;
use machines::v1model::V1modelParameters;
use machines::v1model::reasons;
use node::{Port, Reason};
use runtime::Bits;
use runtime::tables::FieldMatch;
use wire::{Packet, Tail};

use crate::support::{bench, bench_with};

#[test]
fn forwards_to_egress_spec_with_payload() {
    let mut bench = bench("  standard_metadata.egress_spec = 7u9\n  hdr.h.b = hdr.h.a + 1u8", "");
    assert_eq!(bench.packet(&[1, 9, 3, 0xaa, 0xbb]).sent, [(7, vec![1, 2, 3, 0xaa, 0xbb])]);
}

#[test]
fn default_egress_port_is_0() {
    assert_eq!(bench("", "").packet(&[1, 2, 3]).sent, [(0, vec![1, 2, 3])]);
}

#[test]
fn metadata_is_cleared_between_packets() {
    let mut bench = bench("  hdr.h.b = meta.lost\n  meta.lost = hdr.h.a", "");
    bench.packet(&[1, 2, 3]);
    assert_eq!(bench.packet(&[1, 2, 3]).sent, [(0, vec![1, 0, 3])]);
}

#[test]
fn drop_port_drops_after_ingress_and_egress() {
    let mut in_ingress = bench("  standard_metadata.egress_spec = 511u9", "  hdr.h.a = 1u8");
    assert_eq!(in_ingress.packet(&[0, 0, 0]).discarded, [Reason::PROGRAM]);
    let mut in_egress = bench("", "  standard_metadata.egress_spec = 511u9");
    assert_eq!(in_egress.packet(&[0, 0, 0]).discarded, [Reason::PROGRAM]);
    // Egress cannot choose another port (`simple_switch.md`, `egress_port`).
    let mut elsewhere = bench("", "  standard_metadata.egress_spec = 3u9\n  standard_metadata.egress_port = 3u9");
    assert_eq!(elsewhere.packet(&[0, 0, 0]).sent, [(0, vec![0, 0, 0])]);
}

#[test]
fn drop_port_is_configurable() {
    let parameters = V1modelParameters { drop_port: Some(5), ..V1modelParameters::default() };
    let mut bench = bench_with("  standard_metadata.egress_spec = 9u9 & (hdr.h.a ++ 1u1)", "", parameters);
    assert_eq!(bench.packet(&[4, 0, 0]).sent, [(9, vec![4, 0, 0])]);
    let parameters = V1modelParameters { drop_port: Some(512), ..V1modelParameters::default() };
    let refused = crate::support::refusal("", "", parameters);
    assert_eq!(refused, "the drop port 512 is out of range: the greatest `egress_spec` is 511");
}

#[test]
fn the_cpu_port_is_one_that_packets_can_take() {
    let with =
        |cpu_port| V1modelParameters { cpu_port: Some(cpu_port), ports: Some(8), ..V1modelParameters::default() };
    let mut bench = bench_with("  standard_metadata.egress_spec = 0u1 ++ hdr.h.a", "", with(7));
    assert_eq!(bench.switch.cpu_port(), Some(Port(7)));
    assert_eq!(bench.packet(&[7, 0, 0]).sent, [(7, vec![7, 0, 0])]);
    assert_eq!(bench.receive(7, Packet::of_bytes(&[1, 0, 0])).sent, [(1, vec![1, 0, 0])]);
    let refusal = |cpu_port| crate::support::refusal("", "", with(cpu_port));
    assert_eq!(refusal(8), "there is no CPU port 8: the switch has ports 0 to 7");
    assert_eq!(refusal(511), "the CPU port 511 is the drop port: packets to it would be dropped");
}

#[test]
fn unknown_ports_discard_on_ingress_and_egress() {
    let parameters = V1modelParameters { ports: Some(4), ..V1modelParameters::default() };
    let mut bench = bench_with("  standard_metadata.egress_spec = 1u1 ++ hdr.h.a", "", parameters);
    assert_eq!(bench.packet(&[1, 0, 0]).discarded, [Reason::NO_SUCH_PORT]);
    assert_eq!(bench.receive(4, Packet::of_bytes(&[1])).discarded, [Reason::NO_SUCH_PORT]);
}

#[test]
fn control_requests_are_ordered_with_packets() {
    let mut bench = bench("  apply ingress.routes", "");
    assert_eq!(bench.packet(&[8, 0, 0]).discarded, [Reason::PROGRAM]);
    let table = TableNumber(0);
    let info = bench.switch.info().clone();
    let action = info.action_named(table, "forward").unwrap();
    let target = Target::Action(ActionCall { action, data: vec![Bits::from_u64(6, 9)] });
    let key = vec![FieldMatch::Exact(Bits::from_u64(8, 8))];
    bench.control(Request::Table(table, TableRequest::insert(key, None, target)));
    assert_eq!(bench.packet(&[8, 0, 0]).sent, [(6, vec![8, 0, 0])]);
    assert_eq!(bench.packet(&[9, 0, 0]).discarded, [Reason::PROGRAM]);
}

#[test]
fn ingress_sees_parser_errors() {
    let ingress = "  if standard_metadata.parser_error == 1u32 {
    standard_metadata.egress_spec = 4u9
  }";
    let mut bench = bench(ingress, "");
    assert_eq!(bench.packet(&[1, 2]).sent, [(4, vec![1, 2])], "the bytes that were not extracted are the payload");
    assert_eq!(bench.packet(&[1, 2, 3]).sent, [(0, vec![1, 2, 3])]);
    assert_eq!(bench.switch.statistics().parser_errors, 1);
}

#[test]
fn truncates_departing_packets() {
    let ingress = "  truncate 32w(hdr.h.a)\n  truncate 4u32";
    let ingress = ingress.replace("32w(hdr.h.a)", "bit<32>(hdr.h.a)");
    let mut bench = bench(&ingress, "");
    assert_eq!(bench.packet(&[9, 8, 7, 6, 5]).sent, [(0, vec![9, 8, 7, 6])]);
    // The smallest of several lengths counts; a length beyond the packet's has no effect.
    assert_eq!(bench.packet(&[2, 8, 7, 6, 5]).sent, [(0, vec![2, 8])]);
    assert_eq!(bench.packet(&[9, 8, 7]).sent, [(0, vec![9, 8, 7])]);
}

#[test]
fn tails_change_only_if_parsed_or_truncated() {
    let mut bench = bench("  if hdr.h.a == 1u8 {\n    truncate 5u32\n  }", "");
    let with_tail = |head: &[u8], tail: Tail| Packet::of_bytes(head).with_tail(tail);
    let whole = bench.receive(1, with_tail(&[0, 1, 2], Tail::Length(1000)));
    assert_eq!(whole.sent[0].1.len(), 1003);
    let cut = bench.receive(1, with_tail(&[1, 1, 2], Tail::Bytes([7, 8, 9].into())));
    assert_eq!(cut.sent, [(0, vec![1, 1, 2, 7, 8])]);
    let cut_in_head = bench.receive(1, with_tail(&[1, 1, 2, 3, 4, 5], Tail::Bytes([7, 8, 9].into())));
    assert_eq!(cut_in_head.sent, [(0, vec![1, 1, 2, 3, 4])]);
    assert_eq!(bench.switch.statistics().tail_reads, 0);
    // The header ends in the tail, of which only the length is known.
    let read = bench.receive(1, with_tail(&[3, 4], Tail::Length(2)));
    assert_eq!(read.sent, [(0, vec![3, 4, 0, 0])]);
    assert_eq!(bench.switch.statistics().tail_reads, 1);
}

#[test]
fn discards_on_failed_assertion_or_endless_loop() {
    let mut asserting = bench("  assert hdr.h.a == 1u8, \"a is 1\"", "");
    assert_eq!(asserting.packet(&[1, 0, 0]).sent.len(), 1);
    assert_eq!(asserting.packet(&[2, 0, 0]).discarded, [reasons::ASSERTION_FAILED]);
    let mut endless = bench("", "  while true {\n    hdr.h.a = 1u8\n  }");
    assert_eq!(endless.packet(&[1, 0, 0]).discarded, [reasons::UNFINISHED]);
}

#[test]
fn refuses_control_information_of_another_program() {
    let program = crate::support::program(&crate::support::text("", ""));
    let executor = ir::interpret::PacketInterpreter::new(std::sync::Arc::new(program));
    let refused =
        machines::v1model::Switch::new(executor, Default::default(), V1modelParameters::default()).err().unwrap();
    assert_eq!(refused.findings[0], "the program has 1 tables, but its control plane knows 0");
    assert_eq!(refused.findings.len(), 4);
}

#[test]
fn reports_all_missing_blocks_and_fields() {
    let text = crate::support::text("", "");
    let kept = |line: &&str| {
        !["entrance egress", "entrance deparser", "intrinsic egress_spec"].iter().any(|gone| line.starts_with(gone))
    };
    let text: String = text.lines().filter(kept).map(|line| format!("{line}\n")).collect();
    let refused = crate::support::refusal_of(&text, V1modelParameters::default());
    assert_eq!(
        refused,
        "the program has no `egress` block, which v1model requires\n\
         the program has no `deparser` block, which v1model requires\n\
         the program has no field `egress_spec`, which names the destination of a packet"
    );
}

#[test]
fn programs_that_put_data_in_front_of_packets_are_refused() {
    let refusal = |ingress| crate::support::refusal(ingress, "", V1modelParameters::default());
    let message = "the program mirrors or resubmits packets with data in front of them, but this switch clones and \
                   resubmits packets only as they are";
    assert_eq!(refusal("  mirror 5u10"), message);
    assert_eq!(refusal("  resubmit with (hdr.h.a)"), message);
}
