// The least program: what every program for v1model has.
#include <v1model.p4>

header ethernet_t {
    bit<48> destination;
    bit<48> source;
    bit<16> kind;
}

struct headers_t {
    ethernet_t ethernet;
}

struct metadata_t {
    bool is_seen;
}

error { Strange }

parser Read(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    state start {
        packet.extract(hdr.ethernet);
        verify(hdr.ethernet.kind != 0, error.Strange);
        meta.is_seen = packet.length() > 64;
        transition accept;
    }
}

control Verify(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

// The names of the parameters of ingress are those of the variables.
control In(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    apply {
        if (standard_metadata.parser_error == error.Strange) {
            mark_to_drop(standard_metadata);
        } else {
            standard_metadata.egress_spec = standard_metadata.ingress_port;
        }
    }
}

control Out(inout headers_t h, inout metadata_t m, inout standard_metadata_t s) {
    apply {
        h.ethernet.source = (bit<48>)s.egress_port;
    }
}

control Compute(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control Write(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr);
    }
}

V1Switch(Read(), Verify(), In(), Out(), Compute(), Write()) main;
