// Packets of the packet generator go to port 5 with what they look like in front; others go where they say.
#include <core.p4>
#include <tna.p4>

header to_h { bit<16> port; }
header seen_h { bit<16> port; bit<48> time; }
struct headers_t { seen_h seen; to_h to; }
struct metadata_t { }

parser IngressParser(packet_in pkt, out headers_t hdr, out metadata_t md, out ingress_intrinsic_metadata_t ig_intr_md) {
    state start {
        pkt.extract(ig_intr_md);
        pkt.advance(PORT_METADATA_SIZE);
        transition select(ig_intr_md.ingress_port[6:0]) {
            0x40 &&& 0x70: accept;
            default: to;
        }
    }
    state to { pkt.extract(hdr.to); transition accept; }
}
control Ingress(
        inout headers_t hdr, inout metadata_t md, in ingress_intrinsic_metadata_t ig_intr_md,
        in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
        inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md, inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    apply {
        if (hdr.to.isValid()) {
            ig_tm_md.ucast_egress_port = hdr.to.port[8:0];
            hdr.to.setInvalid();
        } else {
            ig_tm_md.ucast_egress_port = 5;
            hdr.seen.setValid();
            hdr.seen.port = (bit<16>)ig_intr_md.ingress_port;
            hdr.seen.time = ig_intr_md.ingress_mac_tstamp;
        }
    }
}
control IngressDeparser(
        packet_out pkt, inout headers_t hdr, in metadata_t md, in ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md) {
    apply { pkt.emit(hdr); }
}
parser EgressParser(packet_in pkt, out headers_t hdr, out metadata_t md, out egress_intrinsic_metadata_t eg_intr_md) {
    state start { transition accept; }
}
control Egress(
        inout headers_t hdr, inout metadata_t md, in egress_intrinsic_metadata_t eg_intr_md,
        in egress_intrinsic_metadata_from_parser_t eg_prsr_md,
        inout egress_intrinsic_metadata_for_deparser_t eg_dprsr_md,
        inout egress_intrinsic_metadata_for_output_port_t eg_oport_md) {
    apply { }
}
control EgressDeparser(
        packet_out pkt, inout headers_t hdr, in metadata_t md, in egress_intrinsic_metadata_for_deparser_t eg_dprsr_md) {
    apply { pkt.emit(hdr); }
}
Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
