//! A small router that uses one of every feature of pipelines for P4 programs.

use crate::load::{Loaded, Ready};

/// Routes from two tables of the same shape, next hops, a register, a counter per entry, and checksums.
const ROUTER: &str = r#"
#include <core.p4>
#include <v1model.p4>

header ethernet_t { bit<48> destination; bit<48> source; bit<16> type; }
header ipv4_t {
    bit<8> version; bit<8> class; bit<16> length; bit<32> fragment; bit<8> ttl; bit<8> protocol; bit<16> checksum;
    bit<32> source; bit<32> destination;
}
struct headers { ethernet_t ethernet; ipv4_t ipv4; }
struct metadata { bit<8> hop; bit<8> class; }

parser RouterParser(packet_in packet, out headers hdr, inout metadata meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.type) { 0x0800: ipv4; default: accept; }
    }
    state ipv4 { packet.extract(hdr.ipv4); transition accept; }
}

control Verify(inout headers hdr, inout metadata meta) { apply { } }

control RouterIngress(inout headers hdr, inout metadata meta, inout standard_metadata_t standard) {
    register<bit<32>>(8) routed;
    direct_counter(CounterType.packets_and_bytes) used;
    action to_hop(bit<8> hop) { meta.hop = hop; }
    action of_class(bit<8> class) { meta.class = class; }
    action forward(bit<9> port, bit<48> address) {
        used.count();
        standard.egress_spec = port;
        hdr.ethernet.destination = address;
        hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
    }
    action drop() { mark_to_drop(standard); }
    table routes {
        key = { hdr.ipv4.destination: lpm; }
        actions = { to_hop; NoAction; }
        default_action = NoAction();
    }
    table classes {
        key = { hdr.ipv4.source: lpm; }
        actions = { of_class; NoAction; }
        default_action = NoAction();
    }
    table hops {
        key = { meta.hop: exact; }
        actions = { forward; drop; }
        default_action = drop();
        counters = used;
    }
    apply {
        if (!hdr.ipv4.isValid() || hdr.ipv4.ttl < 2) {
            drop();
            exit;
        }
        routes.apply();
        classes.apply();
        if (hops.apply().hit) {
            bit<32> count;
            routed.read(count, (bit<32>) meta.hop & 7);
            routed.write((bit<32>) meta.hop & 7, count + 1);
            hdr.ipv4.class = meta.class;
        }
    }
}

control RouterEgress(inout headers hdr, inout metadata meta, inout standard_metadata_t standard) { apply { } }

control Compute(inout headers hdr, inout metadata meta) {
    apply {
        update_checksum(hdr.ipv4.isValid(), { hdr.ipv4.version, hdr.ipv4.class, hdr.ipv4.length, hdr.ipv4.fragment,
            hdr.ipv4.ttl, hdr.ipv4.protocol, hdr.ipv4.source, hdr.ipv4.destination }, hdr.ipv4.checksum,
            HashAlgorithm.csum16);
    }
}

control Deparser(packet_out packet, in headers hdr) { apply { packet.emit(hdr.ethernet); packet.emit(hdr.ipv4); } }

V1Switch(RouterParser(), Verify(), RouterIngress(), RouterEgress(), Compute(), Deparser()) main;
"#;

/// Two routes, two classes, two next hops, and a packet for each.
const TEST: &str = "
add routes hdr.ipv4.destination:0x0a010000/16 to_hop(hop:1)
add routes hdr.ipv4.destination:0x0a020000/16 to_hop(hop:2)
add classes hdr.ipv4.source:0x0a010000/16 of_class(class:3)
add classes hdr.ipv4.source:0x0a020000/16 of_class(class:4)
add hops meta.hop:1 forward(port:1,address:0x000000000001)
add hops meta.hop:2 forward(port:2,address:0x000000000002)
packet 0 ffffffffffff aaaaaaaaaaaa 0800 45000018 00000000 40110000 0a010005 0a020006 0102030405
packet 1 ffffffffffff bbbbbbbbbbbb 0800 45000018 00000000 40110000 0a020007 0a010008
packet 2 ffffffffffff cccccccccccc 86dd 6000
";

/// Returns the router with generated packets that cover it.
pub fn router(packets: usize) -> Ready {
    Loaded::of("router", ROUTER, TEST).ready(packets).unwrap()
}
