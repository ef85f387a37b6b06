// A tap for the Tofino Native Architecture: frames go on as they came, and copies of them go to a monitor. A copy may be of
// a frame as it arrived, made by the ingress deparser, or as it leaves, made by the egress deparser; its session says to
// which port it goes, and to how many bytes it is cut. In front of each copy is a header that says where the frame was seen,
// and egress of the monitor's port puts an Ethernet header in front of that. Frames that leave by a port with a label get
// the label, so that both kinds of copies differ.
#include <core.p4>
#include <tna.p4>

typedef bit<48> mac_t;

const bit<16> ETHER_TYPE_LABEL = 0x88B5;    // for local experiments (IEEE 802)
const bit<16> ETHER_TYPE_COPY = 0x88B6;     // another one
// The values of `mirror_type` that select a mirror.
const MirrorType_t OF_INGRESS = 1;
const MirrorType_t OF_EGRESS = 2;

// What is in front of a packet in egress begins with its kind.
enum bit<8> Kind {
    FRAME = 0,
    COPY_OF_INGRESS = 1,
    COPY_OF_EGRESS = 2
}

header ethernet_t {
    mac_t destination;
    mac_t source;
    bit<16> ether_type;
}

header label_t {
    bit<16> number;
    bit<16> ether_type;
}

// In front of a frame between the gresses.
header bridge_t {
    Kind kind;
    @padding bit<7> padding;
    PortId_t from;
    bit<48> arrival;
}

// In front of a copy, and what the monitor gets of it.
header seen_t {
    Kind kind;
    @padding bit<7> padding;
    PortId_t port;
    bit<16> length;         // that of the whole frame in bytes; 0 in ingress, which does not know it
    bit<48> time;           // in nanoseconds
}

struct headers_t {
    bridge_t bridge;
    ethernet_t ethernet;
    label_t label;
}

struct egress_headers_t {
    bridge_t bridge;
    ethernet_t outer;
    seen_t seen;
    ethernet_t ethernet;
    label_t label;
}

struct metadata_t {
    MirrorId_t session;
    seen_t seen;
}

parser TapIngressParser(
    packet_in packet,
    out headers_t hdr,
    out metadata_t meta,
    out ingress_intrinsic_metadata_t intrinsic)
{
    state start {
        packet.extract(intrinsic);
        packet.advance(PORT_METADATA_SIZE);
        packet.extract(hdr.ethernet);
        transition accept;
    }
}

control TapIngress(
    inout headers_t hdr,
    inout metadata_t meta,
    in ingress_intrinsic_metadata_t intrinsic,
    in ingress_intrinsic_metadata_from_parser_t from_parser,
    inout ingress_intrinsic_metadata_for_deparser_t for_deparser,
    inout ingress_intrinsic_metadata_for_tm_t for_manager)
{
    DirectCounter<bit<64>>(CounterType_t.PACKETS_AND_BYTES) received;
    DirectCounter<bit<64>>(CounterType_t.PACKETS) copied;

    action forward(PortId_t port) {
        received.count();
        for_manager.ucast_egress_port = port;
    }

    action block() {
        received.count();
        for_deparser.drop_ctl = 1;
    }

    table wires {
        key = { intrinsic.ingress_port: exact; }
        actions = {
            forward;
            block;
            @defaultonly NoAction;
        }
        const default_action = NoAction();
        counters = received;
        size = 128;
    }

    action copy_to(MirrorId_t session) {
        copied.count();
        for_deparser.mirror_type = OF_INGRESS;
        meta.session = session;
        meta.seen = { Kind.COPY_OF_INGRESS, 0, intrinsic.ingress_port, 0, intrinsic.ingress_mac_tstamp };
    }

    // Which frames are copied as they arrive, even if they are dropped then.
    table taps {
        key = {
            intrinsic.ingress_port: exact;
            hdr.ethernet.ether_type: ternary;
        }
        actions = {
            copy_to;
            @defaultonly NoAction;
        }
        const default_action = NoAction();
        counters = copied;
        size = 128;
    }

    apply {
        hdr.bridge.setValid();
        hdr.bridge.kind = Kind.FRAME;
        hdr.bridge.padding = 0;
        hdr.bridge.from = intrinsic.ingress_port;
        hdr.bridge.arrival = intrinsic.ingress_mac_tstamp;
        wires.apply();
        taps.apply();
    }
}

control TapIngressDeparser(
    packet_out packet,
    inout headers_t hdr,
    in metadata_t meta,
    in ingress_intrinsic_metadata_for_deparser_t for_deparser)
{
    Mirror(OF_INGRESS) of_ingress;

    apply {
        if (for_deparser.mirror_type == OF_INGRESS) {
            of_ingress.emit<seen_t>(meta.session, meta.seen);
        }
        packet.emit(hdr);
    }
}

parser TapEgressParser(
    packet_in packet,
    out egress_headers_t hdr,
    out metadata_t meta,
    out egress_intrinsic_metadata_t intrinsic)
{
    state start {
        packet.extract(intrinsic);
        transition select((Kind)packet.lookahead<bit<8>>()) {
            Kind.FRAME: frame;
            Kind.COPY_OF_INGRESS: copy;
            Kind.COPY_OF_EGRESS: copy;
        }
    }

    state frame {
        packet.extract(hdr.bridge);
        packet.extract(hdr.ethernet);
        transition accept;
    }

    // What is behind the header may be cut anywhere.
    state copy {
        packet.extract(hdr.seen);
        transition accept;
    }
}

control TapEgress(
    inout egress_headers_t hdr,
    inout metadata_t meta,
    in egress_intrinsic_metadata_t intrinsic,
    in egress_intrinsic_metadata_from_parser_t from_parser,
    inout egress_intrinsic_metadata_for_deparser_t for_deparser,
    inout egress_intrinsic_metadata_for_output_port_t for_port)
{
    DirectCounter<bit<64>>(CounterType_t.PACKETS) copied;
    DirectCounter<bit<64>>(CounterType_t.PACKETS_AND_BYTES) delivered;

    action label(bit<16> number) {
        hdr.label.setValid();
        hdr.label.number = number;
        hdr.label.ether_type = hdr.ethernet.ether_type;
        hdr.ethernet.ether_type = ETHER_TYPE_LABEL;
    }

    table labels {
        key = { intrinsic.egress_port: exact; }
        actions = {
            label;
            @defaultonly NoAction;
        }
        const default_action = NoAction();
        size = 128;
    }

    action copy_to(MirrorId_t session) {
        copied.count();
        for_deparser.mirror_type = OF_EGRESS;
        meta.session = session;
        // What is in front of the frame here is the header of 9 bytes.
        meta.seen = { Kind.COPY_OF_EGRESS, 0, intrinsic.egress_port, intrinsic.pkt_length - 9, from_parser.global_tstamp };
    }

    // Which frames are copied as they leave.
    table taps {
        key = {
            intrinsic.egress_port: exact;
            hdr.bridge.from: ternary;
        }
        actions = {
            copy_to;
            @defaultonly NoAction;
        }
        const default_action = NoAction();
        counters = copied;
        size = 128;
    }

    action deliver(mac_t source, mac_t destination) {
        delivered.count();
        hdr.outer.setValid();
        hdr.outer.destination = destination;
        hdr.outer.source = source;
        hdr.outer.ether_type = ETHER_TYPE_COPY;
    }

    action no_monitor() {
        for_deparser.drop_ctl = 1;
    }

    table monitors {
        key = { intrinsic.egress_port: exact; }
        actions = {
            deliver;
            @defaultonly no_monitor;
        }
        const default_action = no_monitor();
        counters = delivered;
        size = 16;
    }

    apply {
        if (hdr.seen.isValid()) {
            monitors.apply();
        } else {
            labels.apply();
            taps.apply();
            hdr.bridge.setInvalid();
        }
    }
}

control TapEgressDeparser(
    packet_out packet,
    inout egress_headers_t hdr,
    in metadata_t meta,
    in egress_intrinsic_metadata_for_deparser_t for_deparser)
{
    Mirror(OF_EGRESS) of_egress;

    apply {
        if (for_deparser.mirror_type == OF_EGRESS) {
            of_egress.emit<seen_t>(meta.session, meta.seen);
        }
        packet.emit(hdr);
    }
}

Pipeline(
    TapIngressParser(),
    TapIngress(),
    TapIngressDeparser(),
    TapEgressParser(),
    TapEgress(),
    TapEgressDeparser()
) pipe;

Switch(pipe) main;
