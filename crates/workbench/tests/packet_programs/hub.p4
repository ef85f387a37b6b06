// Forwards packets between ports 0 and 1, decrements their first byte, and drops packets whose first byte is 0.
#include <core.p4>
#include <v1model.p4>
header life_t { bit<8> left; }
struct headers_t { life_t life; }
struct none_t { }
parser P(packet_in packet, out headers_t hdr, inout none_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.life);
        transition accept;
    }
}
control None(inout headers_t hdr, inout none_t meta) { apply { } }
control I(inout headers_t hdr, inout none_t meta, inout standard_metadata_t standard) {
    apply {
        if (hdr.life.left == 0) {
            mark_to_drop(standard);
        } else {
            hdr.life.left = hdr.life.left - 1;
            standard.egress_spec = 9w1 - standard.ingress_port;
        }
    }
}
control E(inout headers_t hdr, inout none_t meta, inout standard_metadata_t standard) { apply { } }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }
V1Switch(P(), None(), I(), E(), None(), D()) main;
