// command: polyplane compile $FILE
// command: polyplane compile $FILE --json
// command: polyplane compile $FILE --p4info
// command: polyplane compile $FILE --emit list
// command: polyplane compile $FILE --emit typed
// command: polyplane compile $FILE --machine mp5 --pipelines 2
#include <core.p4>
#include <v1model.p4>
#include "address.p4h"

const bit<32> FLOODED = 1;

header ethernet_t {
    address_t destination;
    address_t source;
    bit<16>   protocol;
}

header tag_t {
    bit<8>  next;
    bit<24> value;
}

struct headers_t {
    ethernet_t ethernet;
    tag_t[2]   tags;
}

struct metadata_t {
    bit<8> depth;
}

struct news_t {
    address_t source;
    bit<9>    port;
}

parser Parse(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.protocol) {
            0x9000: tag;
            default: accept;
        }
    }
    state tag {
        packet.extract(hdr.tags.next);
        meta.depth = meta.depth + 1;
        transition select(hdr.tags.last.next) {
            0: accept;
            default: tag;
        }
    }
}

control Verify(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control Ingress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    counter(4, CounterType.packets_and_bytes) arrivals;
    register<bit<16>>(2) seen;

    action forward(bit<9> port) {
        standard.egress_spec = port;
    }
    action flood() {
        standard.mcast_grp = 1;
        digest<news_t>(FLOODED, { hdr.ethernet.source, standard.ingress_port });
    }
    action drop() {
        mark_to_drop(standard);
    }
    table addresses {
        key = { hdr.ethernet.destination: exact; }
        actions = { forward; flood; drop; }
        default_action = flood();
        size = 16;
    }
    apply {
        bit<16> before;
        arrivals.count((bit<32>)standard.ingress_port);
        seen.read(before, (bit<32>)meta.depth);
        seen.write((bit<32>)meta.depth, before + 1);
        if (standard.parser_error != error.NoError) {
            drop();
        } else {
            addresses.apply();
        }
    }
}

control Egress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        if (standard.egress_rid != 0 && standard.egress_port == standard.ingress_port) {
            mark_to_drop(standard);
        }
    }
}

control Compute(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control Deparse(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr);
    }
}

V1Switch(Parse(), Verify(), Ingress(), Egress(), Compute(), Deparse()) main;
