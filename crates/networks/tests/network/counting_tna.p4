// As counting.p4, for a chip that passes bytes from ingress to egress.
#include <tna.p4>

header ethernet_t {
    bit<48> destination;
    bit<48> source;
    bit<16> ether_type;
}

header ipv4_t {
    bit<4> version;
    bit<4> header_length;
    bit<8> type_of_service;
    bit<16> total_length;
    bit<16> identification;
    bit<16> fragment;
    bit<8> time_to_live;
    bit<8> protocol;
    bit<16> checksum;
    bit<32> source;
    bit<32> destination;
}

struct headers_t {
    ethernet_t ethernet;
    ipv4_t ipv4;
}

struct metadata_t {}

parser IP(packet_in packet, out headers_t hdr, out metadata_t meta, out ingress_intrinsic_metadata_t ig_intr_md) {
    state start {
        packet.extract(ig_intr_md);
        packet.advance(PORT_METADATA_SIZE);
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            0x0800: ipv4;
            default: accept;
        }
    }
    state ipv4 {
        packet.extract(hdr.ipv4);
        transition accept;
    }
}

control I(
        inout headers_t hdr, inout metadata_t meta, in ingress_intrinsic_metadata_t ig_intr_md,
        in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
        inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md, inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    Register<bit<32>, bit<4>>(16) packets;
    RegisterAction<bit<32>, bit<4>, bit<32>>(packets) count = {
        void apply(inout bit<32> value, out bit<32> before) {
            before = value;
            value = value + 1;
        }
    };
    DirectCounter<bit<32>>(CounterType_t.PACKETS_AND_BYTES) routed;
    action drop() {
        ig_dprsr_md.drop_ctl = 1;
    }
    action forward(PortId_t port) {
        routed.count();
        ig_tm_md.ucast_egress_port = port;
        hdr.ipv4.time_to_live = hdr.ipv4.time_to_live - 1;
    }
    table routes {
        key = { hdr.ipv4.destination: lpm; }
        actions = { forward; drop; }
        default_action = drop();
        counters = routed;
        size = 64;
    }
    apply {
        if (hdr.ipv4.isValid() && hdr.ipv4.time_to_live > 1) {
            hdr.ipv4.identification = (bit<16>)count.execute(hdr.ipv4.destination[3:0]);
            routes.apply();
        } else {
            drop();
        }
    }
}

control ID(
        packet_out packet, inout headers_t hdr, in metadata_t meta,
        in ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md) {
    Checksum() checksum;
    apply {
        if (hdr.ipv4.isValid()) {
            hdr.ipv4.checksum = checksum.update({
                hdr.ipv4.version, hdr.ipv4.header_length, hdr.ipv4.type_of_service, hdr.ipv4.total_length,
                hdr.ipv4.identification, hdr.ipv4.fragment, hdr.ipv4.time_to_live, hdr.ipv4.protocol,
                hdr.ipv4.source, hdr.ipv4.destination });
        }
        packet.emit(hdr);
    }
}

parser EP(packet_in packet, out headers_t hdr, out metadata_t meta, out egress_intrinsic_metadata_t eg_intr_md) {
    state start {
        packet.extract(eg_intr_md);
        transition accept;
    }
}

control E(
        inout headers_t hdr, inout metadata_t meta, in egress_intrinsic_metadata_t eg_intr_md,
        in egress_intrinsic_metadata_from_parser_t eg_prsr_md,
        inout egress_intrinsic_metadata_for_deparser_t eg_dprsr_md,
        inout egress_intrinsic_metadata_for_output_port_t eg_oport_md) {
    apply {}
}

control ED(
        packet_out packet, inout headers_t hdr, in metadata_t meta,
        in egress_intrinsic_metadata_for_deparser_t eg_dprsr_md) {
    apply {}
}

Pipeline(IP(), I(), ID(), EP(), E(), ED()) pipe;
Switch(pipe) main;
