// What the control plane is told of a program for TNA beyond what v1model has: registers of entries, parameters, filters, early
// detection, profiles apart from selectors, and value sets.
#include <core.p4>
#include <tna.p4>

header order_h {
    bit<8> kind;
    bit<8> color;           // of the meter of the array
    bit<8> entry_color;     // of the meter of the entry
    bit<32> place;          // how many packets the register has counted
}
struct headers_t { order_h order; }
struct metadata_t { }

parser IngressParser(packet_in pkt, out headers_t hdr, out metadata_t md, out ingress_intrinsic_metadata_t ig_intr_md) {
    value_set<bit<8>>(4) kinds_to_pass;
    state start {
        pkt.extract(ig_intr_md);
        pkt.advance(PORT_METADATA_SIZE);
        pkt.extract(hdr.order);
        transition select(hdr.order.kind) { kinds_to_pass: accept; default: reject; }
    }
}

control Ingress(
        inout headers_t hdr, inout metadata_t md, in ingress_intrinsic_metadata_t ig_intr_md,
        in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
        inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md, inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    DirectCounter<bit<32>>(CounterType_t.PACKETS_AND_BYTES) hits;
    DirectMeter(MeterType_t.BYTES) entry_rates;
    DirectRegister<bit<16>>(5) last;
    DirectRegisterAction<bit<16>, bit<16>>(last) next = {
        void apply(inout bit<16> value, out bit<16> result) { value = value + 1; result = value; }
    };
    RegisterParam<bit<32>>(100) limit;
    Register<bit<32>, bit<8>>(256, 0) sums;
    RegisterAction<bit<32>, bit<8>, bit<32>>(sums) sum = {
        void apply(inout bit<32> value, out bit<32> result) { value = value + limit.read(); result = value; }
    };
    Lpf<bit<32>, bit<8>>(256) average;
    DirectLpf<bit<32>>() entry_average;
    Wred<bit<32>, bit<8>>(64, 1, 0) early;
    ActionProfile(128) hops;
    Hash<bit<51>>(HashAlgorithm_t.CRC64) hop_hash;
    ActionSelector(hops, hop_hash, SelectorMode_t.FAIR, 16, 8) chosen_hop;

    action to(PortId_t port) { ig_tm_md.ucast_egress_port = port; }
    action own() {
        hits.count();
        hdr.order.entry_color = (bit<8>)entry_rates.execute();
        hdr.order.place = entry_average.execute((bit<32>)next.execute());
    }
    table kinds {
        key = { hdr.order.kind: exact; }
        actions = { own; }
        counters = hits;
        meters = entry_rates;
        registers = last;
        filters = entry_average;
        size = 32;
    }
    table hops_of_kinds {
        key = { hdr.order.kind: exact; hdr.order.place: selector; }
        actions = { to; }
        implementation = chosen_hop;
        size = 16;
    }
    apply {
        kinds.apply();
        hdr.order.place = average.execute(sum.execute(hdr.order.kind), hdr.order.kind);
        hdr.order.color = early.execute(hdr.order.place, hdr.order.kind);
        if (hdr.order.kind == 3) { ig_dprsr_md.digest_type = 1; }
        hops_of_kinds.apply();
    }
}

struct learned_t { bit<8> kind; bit<32> place; }

control IngressDeparser(
        packet_out pkt, inout headers_t hdr, in metadata_t md, in ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md) {
    Digest<learned_t>() learned;
    apply {
        if (ig_dprsr_md.digest_type == 1) { learned.pack({ hdr.order.kind, hdr.order.place }); }
        pkt.emit(hdr);
    }
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
    apply { pkt.emit(hdr); }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
