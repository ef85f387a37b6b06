// A table, an action with data, a counter, a checksum, a drop.
#include <core.p4>
#include <v1model.p4>

header ipv4_t {
    bit<8> version_and_length;
    bit<8> time_to_live;
    bit<16> header_checksum;
    bit<32> destination;
}

struct headers_t {
    ipv4_t ipv4;
}

struct metadata_t {
}

parser Read(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    state start {
        packet.extract(hdr.ipv4);
        transition accept;
    }
}

control Verify(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control In(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    counter(2, CounterType.packets) dropped;

    action drop(bit<32> reason) {
        dropped.count(reason);
        mark_to_drop(standard_metadata);
        exit;
    }

    action forward(bit<9> port) {
        standard_metadata.egress_spec = port;
    }

    table routes {
        key = { hdr.ipv4.destination: lpm; }
        actions = {
            forward;
            drop;
        }
        default_action = drop(0);
        size = 512;
    }

    apply {
        if (!hdr.ipv4.isValid()) {
            drop(1);
        }
        routes.apply();
        hdr.ipv4.time_to_live = hdr.ipv4.time_to_live - 1;
    }
}

control Out(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    apply { }
}

control Compute(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(
            true,
            { hdr.ipv4.version_and_length, hdr.ipv4.time_to_live, hdr.ipv4.destination },
            hdr.ipv4.header_checksum,
            HashAlgorithm.csum16);
    }
}

control Write(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ipv4);
    }
}

V1Switch(Read(), Verify(), In(), Out(), Compute(), Write()) main;
