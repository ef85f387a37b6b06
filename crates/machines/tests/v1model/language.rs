//! Programs in P4, from their text to packets.

use std::sync::Arc;

use control::stf::Step;
use ir::interpret::PacketInterpreter;
use machines::Device;
use machines::v1model::{Switch, V1modelParameters};
use node::Reason;

use crate::support::Bench;

/// Builds a switch that runs a P4 program, configured by a packet test without packets.
fn bench(program: &str, setup: &str) -> Bench {
    let mut sources = diagnostics::Sources::new();
    let main = sources.add("test.p4", program);
    let preprocessed = p4::preprocess(&mut sources, main, &p4::Disk, &p4::Options::default());
    let (program, found) = p4::parse(&preprocessed.tokens);
    assert!(!found.has_errors(), "{}", found.render(&sources, false));
    let (checked, found) = p4::check(&program);
    assert!(!found.has_errors(), "{}", found.render(&sources, false));
    let lowered = p4::lower(&program, checked).unwrap_or_else(|found| panic!("{}", found.render(&sources, false)));
    ir::verify::program(&lowered.program).unwrap_or_else(|found| panic!("{}", found.join("\n")));
    let info = Arc::new(lowered.info);
    let source = sources.add("test.stf", setup);
    let prepared = control::stf::prepare(&info, &sources, source)
        .unwrap_or_else(|found| panic!("{}", found.render(&sources, false)));
    let executor = PacketInterpreter::new(Arc::new(lowered.program));
    let mut bench = Bench::new(Switch::new(executor, info, V1modelParameters::default()).unwrap());
    for step in prepared.steps {
        let Step::Request(request) = step.item else { panic!("{step:?}") };
        bench.control(request);
    }
    bench
}

const ROUTER: &str = r#"
#include <core.p4>
#define V1MODEL_VERSION 20200408
#include <v1model.p4>

header word_t { bit<8> kind; bit<8> ttl; bit<16> checksum; bit<32> dstAddr; }
struct headers { word_t word; }
struct metadata { @field_list(1) bit<8> reason; bit<8> other; }

parser P(packet_in packet, out headers hdr, inout metadata meta, inout standard_metadata_t standard_metadata) {
    state start { packet.extract(hdr.word); transition accept; }
}
control Verify(inout headers hdr, inout metadata meta) {
    apply {
        verify_checksum(hdr.word.isValid(), { hdr.word.kind, hdr.word.ttl, hdr.word.dstAddr }, hdr.word.checksum,
            HashAlgorithm.csum16);
    }
}
control Ingress(inout headers hdr, inout metadata meta, inout standard_metadata_t standard_metadata) {
    action drop() { mark_to_drop(standard_metadata); }
    action forward(PortId_t port) { standard_metadata.egress_spec = port; hdr.word.ttl = hdr.word.ttl - 1; }
    table routes {
        key = { hdr.word.dstAddr: lpm; }
        actions = { forward; drop; }
        default_action = drop;
    }
    apply {
        if (standard_metadata.checksum_error == 1) { drop(); return; }
        meta.reason = 7;
        meta.other = 8;
        routes.apply();
        if (hdr.word.ttl == 0) {
            clone_preserving_field_list(CloneType.I2E, 5, 1);
            drop();
        }
    }
}
control Egress(inout headers hdr, inout metadata meta, inout standard_metadata_t standard_metadata) {
    apply {
        if (standard_metadata.instance_type == 1) { hdr.word.kind = meta.reason + meta.other; }
    }
}
control Compute(inout headers hdr, inout metadata meta) {
    apply {
        update_checksum(hdr.word.isValid(), { hdr.word.kind, hdr.word.ttl, hdr.word.dstAddr }, hdr.word.checksum,
            HashAlgorithm.csum16);
    }
}
control Deparser(packet_out packet, in headers hdr) { apply { packet.emit(hdr); } }
V1Switch(P(), Verify(), Ingress(), Egress(), Compute(), Deparser()) main;
"#;

const ROUTES: &str = "\
add routes dstAddr:0x0a000000/8 forward(port:3)
add routes dstAddr:0x0a010000/16 forward(port:4)
mirroring_add 5 9
";

/// Returns a packet with a correct checksum: the one's complement of the sum of its other words (RFC 1071).
fn packet(kind: u8, ttl: u8, address: u32) -> Vec<u8> {
    let words = [u16::from_be_bytes([kind, ttl]), (address >> 16) as u16, address as u16];
    let sum: u32 = words.into_iter().map(u32::from).sum();
    let checksum = !(((sum & 0xffff) + (sum >> 16)) as u16);
    [&[kind, ttl][..], &checksum.to_be_bytes(), &address.to_be_bytes(), b"payload"].concat()
}

#[test]
fn router_forwards_by_longest_prefix() {
    let mut bench = bench(ROUTER, ROUTES);
    assert_eq!(bench.packet(&packet(1, 64, 0x0a02_0304)).sent, [(3, packet(1, 63, 0x0a02_0304))]);
    assert_eq!(bench.packet(&packet(1, 64, 0x0a01_0304)).sent, [(4, packet(1, 63, 0x0a01_0304))]);
    assert_eq!(bench.packet(&packet(1, 64, 0x0b01_0304)).discarded, [Reason::PROGRAM]);
}

#[test]
fn router_drops_packets_with_wrong_checksum() {
    let mut bench = bench(ROUTER, ROUTES);
    let mut wrong = packet(1, 64, 0x0a02_0304);
    wrong[3] ^= 1;
    assert_eq!(bench.packet(&wrong).discarded, [Reason::PROGRAM]);
}

#[test]
fn router_clones_expired_packets_with_field_list() {
    let mut bench = bench(ROUTER, ROUTES);
    let outcome = bench.packet(&packet(1, 1, 0x0a02_0304));
    assert_eq!(outcome.sent, [(9, packet(7, 1, 0x0a02_0304))]);
    assert_eq!(outcome.discarded, [Reason::PROGRAM]);
}

#[test]
fn traces_use_source_names_and_show_addresses() {
    let mut bench = bench(ROUTER, ROUTES);
    bench.switch.observe().unwrap();
    bench.packet(&packet(1, 64, 0x0a02_0304));
    let text = bench.switch.take_traces()[0].to_string();
    let expected = "\
├─ verify_checksum
│  └─ if hdr.word.isValid() && checksum(…) != hdr.word.checksum is false
│     ├─ hdr.word.kind = 1, hdr.word.ttl = 64 (0x40), hdr.word.checksum = 61881 (0xf1b9)
│     └─ hdr.word.dstAddr = 10.2.3.4
├─ ingress
│  ├─ if standard_metadata.checksum_error == 1 is false: standard_metadata.checksum_error = 0
│  ├─ meta.reason: 0 → 7
│  ├─ meta.other: 0 → 8 (0x8)
│  ├─ table Ingress.routes: hit
│  │  ├─ hdr.word.dstAddr = 10.2.3.4 matches 10.0.0.0/8
│  │  └─ action Ingress.forward(port = 3)
│  │     ├─ standard_metadata.egress_spec: 0 → 3
│  │     └─ hdr.word.ttl: 64 (0x40) → 63 (0x3f)
│  └─ if hdr.word.ttl == 0 is false: hdr.word.ttl = 63 (0x3f)
├─ queue of port 3
├─ egress
│  └─ if standard_metadata.instance_type == 1 is false: standard_metadata.instance_type = 0
├─ compute_checksum
│  ├─ if hdr.word.isValid() is true
";
    assert!(text.contains(expected), "{text}");
    assert!(!text.contains('$'), "what the front end made is not shown: {text}");
}

const SELECTOR: &str = r#"
#include <core.p4>
#include <v1model.p4>

header h_t { bit<8> flow; bit<8> path; }
struct headers { h_t h; }
struct metadata { }

parser P(packet_in packet, out headers hdr, inout metadata meta, inout standard_metadata_t standard_metadata) {
    state start { packet.extract(hdr.h); transition accept; }
}
control Verify(inout headers hdr, inout metadata meta) { apply { } }
control Ingress(inout headers hdr, inout metadata meta, inout standard_metadata_t standard_metadata) {
    action set(bit<8> value) { hdr.h.path = value; }
    table paths {
        key = { hdr.h.path: exact; hdr.h.flow: selector; }
        actions = { set; }
        implementation = action_selector(HashAlgorithm.identity, 16, 8);
    }
    apply { paths.apply(); }
}
control Egress(inout headers hdr, inout metadata meta, inout standard_metadata_t standard_metadata) { apply { } }
control Compute(inout headers hdr, inout metadata meta) { apply { } }
control Deparser(packet_out packet, in headers hdr) { apply { packet.emit(hdr.h); } }
V1Switch(P(), Verify(), Ingress(), Egress(), Compute(), Deparser()) main;
"#;

#[test]
fn traces_show_data_of_the_selected_member() {
    use control::{ActionCall, ProfileNumber, ProfileRequest, Request, TableNumber, TableRequest, Target};
    use runtime::{Bits, tables::FieldMatch};
    let mut bench = bench(SELECTOR, "");
    let action = bench.switch.info().action_named(TableNumber(0), "set").unwrap();
    for (member, value) in [(1, 40), (2, 50)] {
        let action = ActionCall { action, data: vec![Bits::from_u64(value, 8)] };
        bench.control(Request::Profile(ProfileNumber(0), ProfileRequest::InsertMember(member, action)));
    }
    bench.control(Request::Profile(ProfileNumber(0), ProfileRequest::InsertGroup(control::Group::new(6, vec![1, 2]))));
    let key = vec![FieldMatch::Exact(Bits::from_u64(0, 8))];
    let insert = TableRequest::insert(key, None, Target::Group(6));
    bench.control(Request::Table(TableNumber(0), insert));
    bench.switch.observe().unwrap();
    assert_eq!([0, 1].map(|flow| bench.packet(&[flow, 0]).sent[0].1[1]), [40, 50]);
    let texts = bench.switch.take_traces();
    for (trace, value) in texts.iter().zip(["40 (0x28)", "50 (0x32)"]) {
        let text = trace.to_string();
        assert!(text.contains("a member of group 6\n"), "{text}");
        assert!(text.contains(&format!("action Ingress.set(value = {value})\n")), "{text}");
    }
}
