// echo.p4 for the Tofino Native Architecture. Packets of kind 7 go through pipe 2, whose port 68 leads back into it.
#include <core.p4>
#include <tna.p4>

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

parser EchoParser(packet_in packet, out headers_t hdr, out metadata_t meta, out ingress_intrinsic_metadata_t ig_intr_md) {
    state start {
        packet.extract(ig_intr_md);
        packet.advance(PORT_METADATA_SIZE);
        packet.extract(hdr.packet_out);
        packet.extract(hdr.frame);
        transition accept;
    }
}

control EchoIngress(
        inout headers_t hdr, inout metadata_t meta, in ingress_intrinsic_metadata_t ig_intr_md,
        in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
        inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md, inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    Counter<bit<32>, bit<8>>(256, CounterType_t.PACKETS) kinds;
    DirectCounter<bit<32>>(CounterType_t.PACKETS) hits;
    Register<bit<32>, bit<1>>(2) seen;
    RegisterAction<bit<32>, bit<1>, bit<32>>(seen) see = {
        void apply(inout bit<32> value) { value = value + 1; }
    };
    action drop() {
        hits.count();
        ig_dprsr_md.drop_ctl = 1;
    }
    table drops {
        key = { hdr.frame.kind: exact; }
        actions = { drop; @defaultonly NoAction; }
        default_action = NoAction();
        counters = hits;
        size = 64;
    }
    apply {
        kinds.count(hdr.frame.kind);
        see.execute(1);
        ig_tm_md.bypass_egress = 1;
        if (hdr.frame.kind == 7 && ig_intr_md.ingress_port[8:7] != 2) {
            ig_tm_md.ucast_egress_port = 2 * 128 + 68;
        } else {
            ig_tm_md.ucast_egress_port = 64;
            hdr.packet_in.setValid();
            hdr.packet_in.ingress_port = hdr.packet_out.egress_port;
            hdr.packet_in.queue = 5;
            hdr.packet_out.setInvalid();
            drops.apply();
        }
    }
}

control EchoIngressDeparser(
        packet_out packet, inout headers_t hdr, in metadata_t meta, in ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md) {
    apply { packet.emit(hdr); }
}

parser EchoEgressParser(packet_in packet, out headers_t hdr, out metadata_t meta, out egress_intrinsic_metadata_t eg_intr_md) {
    state start { packet.extract(eg_intr_md); transition accept; }
}

control EchoEgress(
        inout headers_t hdr, inout metadata_t meta, in egress_intrinsic_metadata_t eg_intr_md,
        in egress_intrinsic_metadata_from_parser_t eg_prsr_md,
        inout egress_intrinsic_metadata_for_deparser_t eg_dprsr_md,
        inout egress_intrinsic_metadata_for_output_port_t eg_oport_md) {
    apply { }
}

control EchoEgressDeparser(
        packet_out packet, inout headers_t hdr, in metadata_t meta, in egress_intrinsic_metadata_for_deparser_t eg_dprsr_md) {
    apply { packet.emit(hdr); }
}

Pipeline(EchoParser(), EchoIngress(), EchoIngressDeparser(), EchoEgressParser(), EchoEgress(), EchoEgressDeparser()) pipe;
Switch(pipe) main;
