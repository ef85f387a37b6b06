// The program of a switch that waits for one. No packet comes so far that it sees this program.
#include <core.p4>
#include <v1model.p4>

struct headers_t { }
struct metadata_t { }

parser NoParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    state start { transition accept; }
}

control NoChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control NoIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    apply { mark_to_drop(standard_metadata); }
}

control NoEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    apply { }
}

control NoDeparser(packet_out packet, in headers_t hdr) {
    apply { }
}

V1Switch(NoParser(), NoChecksum(), NoIngress(), NoEgress(), NoChecksum(), NoDeparser()) main;
