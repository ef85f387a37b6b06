//! What the chip tells programs, and what becomes of packets whose parser fails.

use machines::tofino::reasons;

use crate::bench::{Bench, End, Order, chip};

/// A program that sends a packet to port 1, with the blocks that a test gives.
fn program(ingress: &str, egress_parser: &str, egress: &str) -> String {
    format!(
        "
#include <tna.p4>
header h_t {{ bit<8> a; bit<48> time; bit<16> error_bits; }}
header short_t {{ bit<64> b; }}
struct headers_t {{ h_t h; short_t short; }}
struct metadata_t {{ }}
parser IP(packet_in pkt, out headers_t hdr, out metadata_t md, out ingress_intrinsic_metadata_t ig) {{
    state start {{ pkt.extract(ig); pkt.advance(PORT_METADATA_SIZE); transition next; }}
    state next {{ pkt.extract(hdr.h); pkt.extract(hdr.short); transition accept; }}
}}
control I(inout headers_t hdr, inout metadata_t md, in ingress_intrinsic_metadata_t ig,
    in ingress_intrinsic_metadata_from_parser_t prsr, inout ingress_intrinsic_metadata_for_deparser_t dprsr,
    inout ingress_intrinsic_metadata_for_tm_t tm) {{
    apply {{ tm.ucast_egress_port = 1; {ingress} }}
}}
control ID(packet_out pkt, inout headers_t hdr, in metadata_t md, in ingress_intrinsic_metadata_for_deparser_t dprsr) {{
    apply {{ pkt.emit(hdr); }}
}}
parser EP(packet_in pkt, out headers_t hdr, out metadata_t md, out egress_intrinsic_metadata_t eg) {{
    state start {{ {egress_parser} transition accept; }}
}}
control E(inout headers_t hdr, inout metadata_t md, in egress_intrinsic_metadata_t eg,
    in egress_intrinsic_metadata_from_parser_t prsr, inout egress_intrinsic_metadata_for_deparser_t dprsr,
    inout egress_intrinsic_metadata_for_output_port_t oport) {{
    apply {{ {egress} }}
}}
control ED(packet_out pkt, inout headers_t hdr, in metadata_t md, in egress_intrinsic_metadata_for_deparser_t dprsr) {{
    apply {{ pkt.emit(hdr); }}
}}
Pipeline(IP(), I(), ID(), EP(), E(), ED()) pipe;
Switch(pipe) main;
"
    )
}

fn bench(ingress: &str, egress_parser: &str, egress: &str) -> Bench {
    Bench::of(chip(&program(ingress, egress_parser, egress)))
}

/// A packet with both headers and two bytes behind them.
const WHOLE: [u8; 19] = [9, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0xAA, 0xBB];

#[test]
fn ingress_drops_for_parser_errors_unless_it_looks_at_them() {
    let short = &WHOLE[..12];
    let mut blind = bench("", "pkt.extract(eg);", "");
    assert_eq!(blind.packet(0, short), [End::Discarded(reasons::PARSER_ERROR)]);
    let mut sees = bench("hdr.h.error_bits = prsr.parser_err;", "pkt.extract(eg);", "");
    // The first header was extracted, what follows is payload, and the error is PARSER_ERROR_PARTIAL_HDR.
    let mut expected = short.to_vec();
    expected[8] = 2;
    assert_eq!(sees.packet(0, short), [End::Sent(1, expected)]);
}

#[test]
fn egress_gets_packets_whatever_its_parser_says() {
    let parser = "pkt.extract(eg); pkt.extract(hdr.h); pkt.extract(hdr.short); pkt.extract(hdr.h);";
    let mut bench = bench("", parser, "hdr.h.error_bits = prsr.parser_err;");
    let mut expected = WHOLE.to_vec();
    expected[8] = 2;
    assert_eq!(bench.packet(0, &WHOLE), [End::Sent(1, expected)]);
}

#[test]
fn metadata_that_egress_does_not_read_is_not_part_of_the_packet() {
    for parser in ["", "pkt.advance(16);", "pkt.extract(eg);"] {
        assert_eq!(bench("", parser, "").packet(0, &WHOLE), [End::Sent(1, WHOLE.to_vec())], "{parser}");
    }
}

#[test]
fn times_are_nanoseconds() {
    let mut bench = bench("hdr.h.time = ig.ingress_mac_tstamp;", "pkt.extract(eg);", "");
    // `Bench` gives packets at 3 microseconds.
    let mut expected = WHOLE.to_vec();
    expected[5..7].copy_from_slice(&3000u16.to_be_bytes());
    assert_eq!(bench.packet(0, &WHOLE), [End::Sent(1, expected)]);
}

#[test]
fn an_invalidated_port_is_none() {
    let mut bench = bench("invalidate(tm.ucast_egress_port);", "pkt.extract(eg);", "");
    assert_eq!(bench.packet(0, &WHOLE), [End::Discarded(reasons::NO_DESTINATION)]);
}

#[test]
fn variables_do_not_cross_to_egress() {
    // Without extraction, egress has no valid header, although ingress had one.
    let egress = "if (hdr.h.isValid()) { dprsr.drop_ctl = 1; }";
    assert_eq!(bench("", "pkt.extract(eg);", egress).packet(0, &WHOLE), [End::Sent(1, WHOLE.to_vec())]);
}

#[test]
fn counters_count_packets_without_what_lies_in_front() {
    let mut bench = Bench::new();
    let order = Order { port: 4, ..Order::default() };
    bench.packet(6, &order.packet(100));
    let state = machines::Device::state(&bench.chip);
    let count = state.counters[0].get(6).unwrap();
    assert_eq!((count.packets, count.bytes), (1, 107));
}

/// A mirrored header of 11 bits, behind which the packet begins at a whole byte.
#[test]
fn headers_are_padded_to_whole_bytes() {
    let text = program("dprsr.mirror_type = 1;", "pkt.extract(eg); pkt.extract(hdr.note);", "dprsr.drop_ctl = hdr.note.two[1:1] ++ 2w0;")
        .replace("struct headers_t {", "header note_h { bit<8> one; bit<3> two; } struct headers_t { note_h note;")
        .replacen("apply { pkt.emit(hdr); }", "Mirror() m; apply { if (dprsr.mirror_type == 1) { m.emit<note_h>(3, { 8w7, 3w5 }); } pkt.emit(hdr.h); pkt.emit(hdr.short); }", 1);
    let mut bench = Bench::of(chip(&text));
    let session =
        control::CloneSession { replicas: vec![control::Replica { port: 6, instance: 0 }], ..Default::default() };
    bench.control(control::Request::CloneSession(3, control::ReplicationRequest::Insert(session)));
    let mirrored = [&[7, 5 << 5][..], &WHOLE].concat();
    // Egress extracts the first two bytes of each packet and writes them back.
    assert_eq!(bench.packet(0, &WHOLE), [End::Sent(6, mirrored), End::Sent(1, WHOLE.to_vec())]);
}

#[test]
fn an_alias_makes_two_fields_one() {
    let alias = r#"@pa_alias("ingress", "md.port", "tm.ucast_egress_port") @pa_alias("egress", "md.port", "eg.absent")
        struct metadata_t { PortId_t port; }"#;
    let text = program("md.port = 5;", "pkt.extract(eg);", "").replace("struct metadata_t { }", alias);
    assert!(text.contains("pa_alias"));
    // A field of another width is copied at the end of ingress, however that ends.
    let wider = r#"@pa_alias("ingress", "tm.ucast_egress_port", "md.port") struct metadata_t { bit<32> port; }"#;
    let copied = program("md.port = 0x10005; exit;", "pkt.extract(eg);", "").replace("struct metadata_t { }", wider);
    assert_eq!(Bench::of(chip(&copied)).packet(0, &WHOLE), [End::Sent(5, WHOLE.to_vec())]);
    assert_eq!(Bench::of(chip(&text)).packet(0, &WHOLE), [End::Sent(5, WHOLE.to_vec())]);
}
