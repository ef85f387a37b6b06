// A stage reads and writes a register once for a packet.
#include <tna.p4>

header h_t { bit<16> a; bit<16> b; }
struct headers_t { h_t h; }
struct metadata_t { }

parser IngressParser(packet_in pkt, out headers_t hdr, out metadata_t md, out ingress_intrinsic_metadata_t ig_intr_md) {
    state start { pkt.extract(ig_intr_md); pkt.advance(PORT_METADATA_SIZE); pkt.extract(hdr.h); transition accept; }
}

control Ingress(
        inout headers_t hdr, inout metadata_t md, in ingress_intrinsic_metadata_t ig_intr_md,
        in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
        inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md, inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    Register<bit<16>, bit<16>>(256) once;
    Register<bit<16>, bit<16>>(256) twice;
    Register<bit<16>, bit<16>>(256) by_tables;
    RegisterAction<bit<16>, bit<16>, bit<16>>(once) next = {
        void apply(inout bit<16> value, out bit<16> rv) { value = value + 1; rv = value; }
    };
    RegisterAction<bit<16>, bit<16>, bit<16>>(twice) up = { void apply(inout bit<16> value) { value = value + 1; } };
    RegisterAction<bit<16>, bit<16>, bit<16>>(twice) down = { void apply(inout bit<16> value) { value = value - 1; } };
    RegisterAction<bit<16>, bit<16>, bit<16>>(by_tables) note = { void apply(inout bit<16> value) { value = 1; } };
    action one() { note.execute(hdr.h.a); }
    action other() { note.execute(hdr.h.b); }
    table first { key = { hdr.h.a: exact; } actions = { one; other; } size = 16; default_action = one(); }
    table second { key = { hdr.h.b: exact; } actions = { other; } size = 16; default_action = other(); }
    apply {
        // Either way, it is one access.
        if (hdr.h.a == 1) { hdr.h.b = next.execute(1); } else { hdr.h.b = next.execute(2); }
        up.execute(hdr.h.a);
        if (hdr.h.b == 7) { down.execute(hdr.h.b); }
        first.apply();
        second.apply();
    }
}

control IngressDeparser(
        packet_out pkt, inout headers_t hdr, in metadata_t md, in ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md) {
    apply { pkt.emit(hdr); }
}

parser EgressParser(packet_in pkt, out headers_t hdr, out metadata_t md, out egress_intrinsic_metadata_t eg_intr_md) {
    state start { pkt.extract(eg_intr_md); transition accept; }
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
    apply { }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
