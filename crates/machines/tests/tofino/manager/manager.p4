// Every packet tells the traffic manager by its header what becomes of it, and egress writes down what it is told.
#include <core.p4>
#include <tna.p4>

header order_h {
    bit<16> port;           // 0x1ff: none
    bit<8> flags;           // bit 0: deflect_on_drop, 1: copy_to_cpu, 2: mirror in ingress, 3: mirror in egress
    bit<8> queue;
    bit<8> color;
    bit<8> class_of_service;
    bit<8> cpu_class_of_service;
    bit<16> group_a;
    bit<16> group_b;
    bit<16> node_hash;
    bit<16> lag_hash;
    bit<16> node_exclusion;
    bit<16> port_exclusion;
    bit<16> rid;
    bit<16> session;
    bit<8> again;           // how often the packet recirculates, in its own pipe, before it goes where it says
}
header seen_h {
    bit<16> port;
    bit<16> rid;
    bit<8> first;
    bit<8> deflected;
    bit<8> queue;
    bit<8> class_of_service;
    bit<8> congestion;      // on entry in bits 3 and 2, on exit in bits 1 and 0
    bit<8> pools;
    bit<32> depth;          // on entry
    bit<16> length;
    bit<64> own;            // the metadata of the port
}
header note_h { bit<8> value; }
header own_h { bit<64> value; }
struct headers_t { note_h note; seen_h seen; order_h order; }
struct metadata_t { bit<64> own; }

parser IngressParser(packet_in pkt, out headers_t hdr, out metadata_t md, out ingress_intrinsic_metadata_t ig_intr_md) {
    own_h own;
    state start {
        pkt.extract(ig_intr_md);
        pkt.extract(own);
        md.own = own.value;
        pkt.advance(PORT_METADATA_SIZE - 64);
        pkt.extract(hdr.order);
        transition accept;
    }
}

control Ingress(
        inout headers_t hdr, inout metadata_t md, in ingress_intrinsic_metadata_t ig_intr_md,
        in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
        inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md, inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    apply {
        if (hdr.order.port != 0x1ff) { ig_tm_md.ucast_egress_port = hdr.order.port[8:0]; }
        if (hdr.order.again > 0) {
            hdr.order.again = hdr.order.again - 1;
            ig_tm_md.ucast_egress_port = ig_intr_md.ingress_port[8:7] ++ 7w68;
        }
        ig_tm_md.deflect_on_drop = hdr.order.flags[0:0];
        ig_tm_md.copy_to_cpu = hdr.order.flags[1:1];
        if (hdr.order.flags[2:2] == 1) { ig_dprsr_md.mirror_type = 1; }
        ig_tm_md.qid = (QueueId_t)hdr.order.queue;
        ig_tm_md.packet_color = hdr.order.color[1:0];
        ig_tm_md.ingress_cos = hdr.order.class_of_service[2:0];
        ig_tm_md.icos_for_copy_to_cpu = hdr.order.cpu_class_of_service[2:0];
        ig_tm_md.mcast_grp_a = hdr.order.group_a;
        ig_tm_md.mcast_grp_b = hdr.order.group_b;
        ig_tm_md.level1_mcast_hash = hdr.order.node_hash[12:0];
        ig_tm_md.level2_mcast_hash = hdr.order.lag_hash[12:0];
        ig_tm_md.level1_exclusion_id = hdr.order.node_exclusion;
        ig_tm_md.level2_exclusion_id = hdr.order.port_exclusion[8:0];
        ig_tm_md.rid = hdr.order.rid;
        hdr.note.setValid();
        hdr.note.value = 0;
        hdr.seen.setValid();
        hdr.seen.own = md.own;
    }
}

control IngressDeparser(
        packet_out pkt, inout headers_t hdr, in metadata_t md, in ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md) {
    Mirror() mirror;
    apply {
        if (ig_dprsr_md.mirror_type == 1) { mirror.emit<note_h>((MirrorId_t)hdr.order.session, { 8w1 }); }
        pkt.emit(hdr);
    }
}

parser EgressParser(packet_in pkt, out headers_t hdr, out metadata_t md, out egress_intrinsic_metadata_t eg_intr_md) {
    state start {
        pkt.extract(eg_intr_md);
        pkt.extract(hdr.note);
        transition select(hdr.note.value) {
            0: whole;
            default: accept;
        }
    }
    state whole { pkt.extract(hdr.seen); pkt.extract(hdr.order); transition accept; }
}

control Egress(
        inout headers_t hdr, inout metadata_t md, in egress_intrinsic_metadata_t eg_intr_md,
        in egress_intrinsic_metadata_from_parser_t eg_prsr_md,
        inout egress_intrinsic_metadata_for_deparser_t eg_dprsr_md,
        inout egress_intrinsic_metadata_for_output_port_t eg_oport_md) {
    apply {
        bit<64> own = hdr.seen.own;
        if (hdr.seen.isValid() && hdr.order.flags[3:3] == 1) { eg_dprsr_md.mirror_type = 1; }
        hdr.note.setInvalid();
        hdr.seen.setValid();
        hdr.seen.port = (bit<16>)eg_intr_md.egress_port;
        hdr.seen.rid = eg_intr_md.egress_rid;
        hdr.seen.first = (bit<8>)eg_intr_md.egress_rid_first;
        hdr.seen.deflected = (bit<8>)eg_intr_md.deflection_flag;
        hdr.seen.queue = (bit<8>)eg_intr_md.egress_qid;
        hdr.seen.class_of_service = (bit<8>)eg_intr_md.egress_cos;
        hdr.seen.congestion = 4w0 ++ eg_intr_md.enq_congest_stat ++ eg_intr_md.deq_congest_stat;
        hdr.seen.pools = eg_intr_md.app_pool_congest_stat;
        hdr.seen.depth = (bit<32>)eg_intr_md.enq_qdepth;
        hdr.seen.length = eg_intr_md.pkt_length;
        hdr.seen.own = own;
        // A packet that begins again has the form of one that arrives.
        if (eg_intr_md.egress_port[6:0] == 68) { hdr.seen.setInvalid(); }
    }
}

control EgressDeparser(
        packet_out pkt, inout headers_t hdr, in metadata_t md, in egress_intrinsic_metadata_for_deparser_t eg_dprsr_md) {
    Mirror() mirror;
    apply {
        if (eg_dprsr_md.mirror_type == 1) { mirror.emit<note_h>((MirrorId_t)hdr.order.session, { 8w2 }); }
        pkt.emit(hdr);
    }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
