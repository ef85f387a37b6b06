// What random programs have in common; `program.rs` writes the statements in the places between `@`.
#include <core.p4>
#include <@header@>

header order_h {
    bit<8> a;
    bit<8> b;
    bit<8> c;
    bit<8> d;
    bit<8> again;           // how often the packet recirculates before it leaves
}
// What a mirror or a resubmission puts in front.
header note_h { bit<8> kind; bit<56> rest; }
header more_h { bit<64> value; }
struct headers_t { note_h note; order_h order; more_h more; }
struct metadata_t { bit<1> was_resubmitted; bit<8> session; }

parser IngressParser(packet_in pkt, out headers_t hdr, out metadata_t md, out ingress_intrinsic_metadata_t ig_intr_md) {
    state start {
        pkt.extract(ig_intr_md);
        md.was_resubmitted = ig_intr_md.resubmit_flag;
        pkt.advance(PORT_METADATA_SIZE);
        pkt.extract(hdr.order);
        transition select(hdr.order.c[0:0]) {
            1: more;
            default: accept;
        }
    }
    state more { pkt.extract(hdr.more); transition accept; }
}

control Ingress(
        inout headers_t hdr, inout metadata_t md, in ingress_intrinsic_metadata_t ig_intr_md,
        in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
        inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md, inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    apply {
        @ingress@
        if (hdr.order.again > 0) {
            hdr.order.again = hdr.order.again - 1;
            ig_tm_md.ucast_egress_port = hdr.order.d[1:0] ++ 7w68;
        }
        hdr.note.setValid();
        hdr.note.kind = 0;
        hdr.note.rest = 0;
    }
}

control IngressDeparser(
        packet_out pkt, inout headers_t hdr, in metadata_t md, in ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md) {
    Mirror() mirror;
    Resubmit() resubmit;
    apply {
        if (ig_dprsr_md.mirror_type == 1) { mirror.emit<note_h>((MirrorId_t)md.session, { 8w1, 56w7 }); }
        if (ig_dprsr_md.resubmit_type == 2) { resubmit.emit<note_h>({ 8w2, 56w42 }); }
        pkt.emit(hdr);
    }
}

parser EgressParser(packet_in pkt, out headers_t hdr, out metadata_t md, out egress_intrinsic_metadata_t eg_intr_md) {
    state start {
        pkt.extract(eg_intr_md);
        pkt.extract(hdr.note);
        transition select(hdr.note.kind) {
            0: whole;
            default: accept;
        }
    }
    state whole { pkt.extract(hdr.order); transition accept; }
}

control Egress(
        inout headers_t hdr, inout metadata_t md, in egress_intrinsic_metadata_t eg_intr_md,
        in egress_intrinsic_metadata_from_parser_t eg_prsr_md,
        inout egress_intrinsic_metadata_for_deparser_t eg_dprsr_md,
        inout egress_intrinsic_metadata_for_output_port_t eg_oport_md) {
    apply {
        // What is mirrored is not mirrored again.
        if (hdr.order.isValid()) {
            hdr.note.setInvalid();
            @egress@
        }
    }
}

control EgressDeparser(
        packet_out pkt, inout headers_t hdr, in metadata_t md, in egress_intrinsic_metadata_for_deparser_t eg_dprsr_md) {
    Mirror() mirror;
    apply {
        if (eg_dprsr_md.mirror_type == 1) { mirror.emit<note_h>((MirrorId_t)md.session, { 8w3, 56w9 }); }
        pkt.emit(hdr);
    }
}

@ghost@
Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()@ghost_block@) pipe;
Switch(pipe) main;
