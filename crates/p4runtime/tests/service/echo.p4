#include <core.p4>
#include <v1model.p4>

@controller_header("packet_out")
header packet_out_t {
    bit<9> egress_port;
    @padding bit<7> unused;
}

@controller_header("packet_in")
header packet_in_t {
    bit<9> ingress_port;
    bit<7> queue;
}

header frame_t {
    bit<8> kind;
}

struct headers_t {
    packet_out_t packet_out;
    packet_in_t packet_in;
    frame_t frame;
}

struct metadata_t { }

struct seen_t {
    bit<8> kind;
}

parser EchoParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    state start {
        packet.extract(hdr.packet_out);
        packet.extract(hdr.frame);
        transition accept;
    }
}

control EchoVerify(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control EchoIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    action drop() {
        mark_to_drop(standard_metadata);
    }
    @p4runtime_role("filter")
    table drops {
        key = { hdr.frame.kind: exact; }
        actions = { drop; NoAction; }
        default_action = NoAction();
        size = 64;
    }
    apply {
        digest<seen_t>(1, { hdr.frame.kind });
        standard_metadata.egress_spec = standard_metadata.ingress_port;
        hdr.packet_in.setValid();
        hdr.packet_in.ingress_port = hdr.packet_out.egress_port;
        hdr.packet_in.queue = 5;
        hdr.packet_out.setInvalid();
        drops.apply();
    }
}

control EchoEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    apply { }
}

control EchoCompute(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control EchoDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.packet_in);
        packet.emit(hdr.frame);
    }
}

V1Switch(EchoParser(), EchoVerify(), EchoIngress(), EchoEgress(), EchoCompute(), EchoDeparser()) main;
