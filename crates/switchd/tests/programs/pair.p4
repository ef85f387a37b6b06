// Writes a value of each of two tables into a packet, so that a test sees whether both are of one version.
#include <core.p4>
#include <v1model.p4>

header ethernet_t {
    bit<48> destination;
    bit<48> source;
    bit<16> ether_type;
}

header pair_t {
    bit<16> first;
    bit<16> second;
}

struct headers_t {
    ethernet_t ethernet;
    pair_t pair;
}

struct metadata_t {}

parser PairParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    state start {
        packet.extract(hdr.ethernet);
        packet.extract(hdr.pair);
        transition accept;
    }
}

control PairVerify(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control PairIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    counter(4, CounterType.packets) seen;
    register<bit<32>>(8) total;

    action set_first(bit<16> value) {
        hdr.pair.first = value;
    }
    action set_second(bit<16> value) {
        hdr.pair.second = value;
    }
    action drop() {
        mark_to_drop(standard_metadata);
    }
    table firsts {
        key = { hdr.ethernet.destination: exact; }
        actions = { set_first; drop; }
        default_action = drop();
        size = 16;
    }
    table seconds {
        key = { hdr.ethernet.destination: ternary; }
        actions = { set_second; NoAction; }
        default_action = NoAction();
        size = 16;
    }
    apply {
        bit<32> count;
        total.read(count, 3);
        total.write(3, count + 1);
        seen.count((bit<32>)standard_metadata.ingress_port);
        standard_metadata.egress_spec = standard_metadata.ingress_port ^ 1;
        firsts.apply();
        seconds.apply();
    }
}

control PairEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    apply {}
}

control PairCompute(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control PairDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.pair);
    }
}

V1Switch(PairParser(), PairVerify(), PairIngress(), PairEgress(), PairCompute(), PairDeparser()) main;
