// A program for TNA: variables by gress, groups of intrinsic metadata, and externs that become statements.
#include <tna.p4>

header h_t { bit<8> kind; bit<8> count; bit<16> a; bit<16> sum; bit<32> value; }
header note_h { bit<8> kind; bit<16> a; }
struct headers_t { h_t h; }
struct metadata_t { bit<16> rest; bit<1> bad; }
struct pair_t { bit<32> low; bit<32> high; }

parser IngressParser(packet_in pkt, out headers_t hdr, out metadata_t md, out ingress_intrinsic_metadata_t ig_intr_md) {
    ParserCounter() counter;
    Checksum() checksum;
    state start {
        pkt.extract(ig_intr_md);
        pkt.advance(PORT_METADATA_SIZE);
        pkt.extract(hdr.h);
        checksum.add(hdr.h);
        checksum.subtract({ hdr.h.value });
        checksum.subtract_all_and_deposit(md.rest);
        md.bad = (bit<1>)checksum.verify();
        counter.set(hdr.h.count, 15, 4, 3, 1);
        counter.decrement(1);
        transition select(counter.is_zero()) { true: accept; default: start; }
    }
}

control Ingress(
        inout headers_t hdr, inout metadata_t md, in ingress_intrinsic_metadata_t ig_intr_md,
        in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
        inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md, inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    DirectCounter<bit<20>>(CounterType_t.PACKETS_AND_BYTES) hits;
    DirectMeter(MeterType_t.BYTES) rate;
    DirectRegister<bit<8>>(7) last;
    DirectRegisterAction<bit<8>, bit<8>>(last) exchange = {
        void apply(inout bit<8> value, out bit<8> rv) { rv = value; value = hdr.h.kind; }
    };
    Register<pair_t, bit<16>>(1024, { 1, 2 }) pairs;
    RegisterAction<pair_t, bit<16>, bit<32>>(pairs) swap = {
        void apply(inout pair_t value, out bit<32> rv) {
            bit<32> low = value.low;
            value.low = value.high;
            value.high = low |+| 1;
            rv = value.low;
        }
    };
    RegisterParam<bit<32>>(5) limit;
    Meter<bit<8>>(16, MeterType_t.PACKETS) colors;
    Lpf<bit<32>, bit<8>>(4) average;
    Wred<bit<32>, bit<8>>(4, 1, 0) early;
    CRCPolynomial<bit<16>>(16w0x1021, false, false, false, 16w0xFFFF, 16w0) polynomial;
    Hash<bit<16>>(HashAlgorithm_t.CUSTOM, polynomial) hash;
    @symmetric("hdr.h.a", "hdr.h.sum")
    Hash<bit<32>>(HashAlgorithm_t.CRC32) either_way;
    Random<bit<4>>() random;
    action hit() {
        hits.count(sizeInBytes(hdr.h));
        hdr.h.count = rate.execute((MeterColor_t)ig_tm_md.packet_color);
        hdr.h.kind = exchange.execute();
    }
    table entries {
        key = { hdr.h.a: exact; }
        actions = { hit; NoAction; }
        counters = hits;
        meters = rate;
        registers = last;
        size = 64;
        default_action = NoAction();
    }
    apply {
        entries.apply();
        hdr.h.value = either_way.get({ hdr.h.a, hdr.h.kind, hdr.h.sum });
        hdr.h.value = swap.execute(hdr.h.a);
        hdr.h.value = max(hdr.h.value, limit.read());
        hdr.h.value = average.execute(hdr.h.value, 3);
        if (early.execute(hdr.h.value, 3) == 1) { ig_dprsr_md.drop_ctl = 1; }
        ig_tm_md.packet_color = (bit<2>)colors.execute(hdr.h.kind);
        ig_tm_md.ucast_egress_port = (PortId_t)hash.get({ hdr.h.a, random.get() });
        funnel_shift_right(hdr.h.a, hdr.h.a, hdr.h.sum, 4);
        ig_dprsr_md.mirror_type = 1;
        ig_dprsr_md.resubmit_type = 1;
    }
}

control IngressDeparser(
        packet_out pkt, inout headers_t hdr, in metadata_t md, in ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md) {
    Mirror() mirror;
    Resubmit() resubmit;
    Digest<pair_t>() digest;
    Checksum() checksum;
    apply {
        if (ig_dprsr_md.mirror_type == 1) { mirror.emit<note_h>(7, { hdr.h.kind, hdr.h.a }); }
        if (ig_dprsr_md.resubmit_type == 1) { resubmit.emit<note_h>({ hdr.h.kind, hdr.h.a }); }
        if (ig_dprsr_md.digest_type == 1) { digest.pack({ hdr.h.value, 0 }); }
        hdr.h.sum = checksum.update({ hdr.h.kind, hdr.h.count, hdr.h.a, md.rest }, true);
        pkt.emit(hdr);
    }
}

parser EgressParser(packet_in pkt, out headers_t hdr, out metadata_t md, out egress_intrinsic_metadata_t eg_intr_md) {
    state start { pkt.extract(eg_intr_md); pkt.extract(hdr.h); transition accept; }
}

control Egress(
        inout headers_t hdr, inout metadata_t md, in egress_intrinsic_metadata_t eg_intr_md,
        in egress_intrinsic_metadata_from_parser_t eg_prsr_md,
        inout egress_intrinsic_metadata_for_deparser_t eg_dprsr_md,
        inout egress_intrinsic_metadata_for_output_port_t eg_oport_md) {
    apply { hdr.h.a = (bit<16>)eg_intr_md.egress_port; }
}

control EgressDeparser(
        packet_out pkt, inout headers_t hdr, in metadata_t md, in egress_intrinsic_metadata_for_deparser_t eg_dprsr_md) {
    apply { pkt.emit(hdr); }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) pipe;
Switch(pipe) main;
