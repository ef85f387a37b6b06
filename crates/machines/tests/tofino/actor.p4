// Every packet says by its header what becomes of it, so that a test can have the chip do anything.
#include <core.p4>
#include <tna.p4>

header order_h {
    bit<8> flags;           // bit 0: drop_ctl[0], 1: drop_ctl[1], 2: copy_to_cpu, 3: bypass_egress, 4: resubmit,
                            // 5: mirror in ingress, 6: mirror in egress, 7: drop in egress
    bit<16> port;           // 0x1ff: none
    bit<16> group;
    bit<8> session;         // bit 6: recirculate in the next pipe, 7: deflect_on_drop
    bit<8> again;           // how often the packet recirculates before it leaves by `port`
}
// What a mirror or a resubmission puts in front.
header note_h { bit<8> kind; bit<8> value; bit<48> rest; }
header seen_h { bit<16> port; bit<16> replica; bit<8> first; bit<8> queue; bit<16> length; bit<32> port_metadata; }
struct headers_t { note_h note; seen_h seen; order_h order; }
struct metadata_t { bit<1> was_resubmitted; bit<8> note; bit<32> port_metadata; bit<1> is_mirrored; }
struct port_metadata_t { bit<32> number; }

parser IngressParser(packet_in pkt, out headers_t hdr, out metadata_t md, out ingress_intrinsic_metadata_t ig_intr_md) {
    state start {
        pkt.extract(ig_intr_md);
        transition select(ig_intr_md.resubmit_flag) {
            1: again;
            default: first;
        }
    }
    state again {
        note_h note;
        pkt.extract(note);
        md.note = note.value;
        md.was_resubmitted = 1;
        transition order;
    }
    state first {
        port_metadata_t own = port_metadata_unpack<port_metadata_t>(pkt);
        md.port_metadata = own.number;
        transition order;
    }
    state order {
        pkt.extract(hdr.order);
        transition accept;
    }
}

control Ingress(
        inout headers_t hdr, inout metadata_t md, in ingress_intrinsic_metadata_t ig_intr_md,
        in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
        inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md, inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    Counter<bit<32>, PortId_t>(512, CounterType_t.PACKETS_AND_BYTES) arrived;
    apply {
        arrived.count(ig_intr_md.ingress_port);
        ig_dprsr_md.drop_ctl = 1w0 ++ hdr.order.flags[1:0];
        ig_tm_md.copy_to_cpu = hdr.order.flags[2:2];
        ig_tm_md.bypass_egress = hdr.order.flags[3:3];
        if (hdr.order.port != 0x1ff) {
            ig_tm_md.ucast_egress_port = hdr.order.port[8:0];
        }
        if (hdr.order.again > 0) {
            hdr.order.again = hdr.order.again - 1;
            // The port of its own pipe that recirculates.
            ig_tm_md.ucast_egress_port = ig_intr_md.ingress_port[8:7] ++ 7w68;
            if (hdr.order.session[6:6] == 1) {
                ig_tm_md.ucast_egress_port = (ig_intr_md.ingress_port[8:7] + 1) ++ 7w68;
            }
        }
        ig_tm_md.deflect_on_drop = hdr.order.session[7:7];
        ig_tm_md.mcast_grp_a = hdr.order.group;
        ig_tm_md.qid = 3;
        if (hdr.order.flags[4:4] == 1 && md.was_resubmitted == 0) { ig_dprsr_md.resubmit_type = 2; }
        if (hdr.order.flags[5:5] == 1) { ig_dprsr_md.mirror_type = 1; }
        hdr.seen.setValid();
        hdr.seen.replica = (bit<16>)md.note;
        hdr.seen.port_metadata = md.port_metadata;
    }
}

control IngressDeparser(
        packet_out pkt, inout headers_t hdr, in metadata_t md, in ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md) {
    Mirror() mirror;
    Resubmit() resubmit;
    apply {
        if (ig_dprsr_md.mirror_type == 1) { mirror.emit<note_h>((MirrorId_t)hdr.order.session[5:0], { 8w1, 8w7, 48w0 }); }
        if (ig_dprsr_md.resubmit_type == 2) { resubmit.emit<note_h>({ 8w2, 8w42, 48w0 }); }
        pkt.emit(hdr);
    }
}

parser EgressParser(packet_in pkt, out headers_t hdr, out metadata_t md, out egress_intrinsic_metadata_t eg_intr_md) {
    state start {
        pkt.extract(eg_intr_md);
        transition select(pkt.lookahead<bit<8>>()) {
            1: mirrored;
            default: seen;
        }
    }
    state mirrored { pkt.extract(hdr.note); md.is_mirrored = 1; transition accept; }
    state seen { pkt.extract(hdr.seen); pkt.extract(hdr.order); transition accept; }
}

control Egress(
        inout headers_t hdr, inout metadata_t md, in egress_intrinsic_metadata_t eg_intr_md,
        in egress_intrinsic_metadata_from_parser_t eg_prsr_md,
        inout egress_intrinsic_metadata_for_deparser_t eg_dprsr_md,
        inout egress_intrinsic_metadata_for_output_port_t eg_oport_md) {
    apply {
        if (md.is_mirrored == 0) {
            hdr.seen.port = (bit<16>)eg_intr_md.egress_port;
            if (hdr.seen.replica == 0) { hdr.seen.replica = eg_intr_md.egress_rid; }
            hdr.seen.first = (bit<8>)eg_intr_md.egress_rid_first;
            hdr.seen.queue = (bit<8>)eg_intr_md.egress_qid;
            hdr.seen.length = eg_intr_md.pkt_length;
            if (hdr.order.flags[6:6] == 1) { eg_dprsr_md.mirror_type = 1; }
            if (hdr.order.flags[7:7] == 1) { eg_dprsr_md.drop_ctl = 1; }
            // A packet that begins again has the form of one that arrives.
            if (eg_intr_md.egress_port[6:0] == 68) { hdr.seen.setInvalid(); }
        }
    }
}

control EgressDeparser(
        packet_out pkt, inout headers_t hdr, in metadata_t md, in egress_intrinsic_metadata_for_deparser_t eg_dprsr_md) {
    Mirror() mirror;
    apply {
        if (eg_dprsr_md.mirror_type == 1) { mirror.emit<note_h>((MirrorId_t)hdr.order.session[5:0], { 8w1, 8w9, 48w0 }); }
        pkt.emit(hdr);
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
