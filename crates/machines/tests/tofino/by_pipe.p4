// Counters, meters and registers, of which each pipe has its own, and direct ones.
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
    state start {
        pkt.extract(ig_intr_md);
        pkt.advance(PORT_METADATA_SIZE);
        pkt.extract(hdr.order);
        transition accept;
    }
}

control Ingress(
        inout headers_t hdr, inout metadata_t md, in ingress_intrinsic_metadata_t ig_intr_md,
        in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
        inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md, inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    Counter<bit<32>, bit<4>>(16, CounterType_t.PACKETS_AND_BYTES) arrivals;
    DirectCounter<bit<32>>(CounterType_t.PACKETS) hits;
    Meter<bit<4>>(16, MeterType_t.PACKETS) rates;
    DirectMeter(MeterType_t.PACKETS) entry_rates;
    Register<bit<32>, bit<1>>(2, 0) packets;
    RegisterAction<bit<32>, bit<1>, bit<32>>(packets) next = {
        void apply(inout bit<32> value, out bit<32> result) {
            value = value + 1;
            result = value;
        }
    };
    action to(PortId_t port) {
        hits.count();
        hdr.order.entry_color = (bit<8>)entry_rates.execute();
        ig_tm_md.ucast_egress_port = port;
    }
    table kinds {
        key = { hdr.order.kind: exact; }
        actions = { to; }
        counters = hits;
        meters = entry_rates;
        size = 16;
    }
    apply {
        arrivals.count(3);
        hdr.order.color = (bit<8>)rates.execute(2);
        hdr.order.place = next.execute(1);
        kinds.apply();
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
    apply { pkt.emit(hdr); }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
