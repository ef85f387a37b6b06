// Queue telemetry for the Tofino Native Architecture. Ingress chooses the port, the queue and the class of service of a
// packet. A probe leaves with a record of what the traffic manager says of it in egress: port, queue, the depth of the
// queue when the probe entered and left it, the time of entry, the time that it waited, and which copy of a multicast group
// it is. Other packets are not changed; one that found a long queue is reported to a collector by a mirror.
#include <core.p4>
#include <tna.p4>

typedef bit<48> mac_t;

const bit<16> ETHER_TYPE_PROBE = 0x88B5;    // for local experiments (IEEE 802)
const bit<16> ETHER_TYPE_REPORT = 0x88B6;   // another one
const MirrorType_t REPORT = 1;
// A probe carries at most so many records.
const bit<8> MOST_RECORDS = 4;

header ethernet_t {
    mac_t destination;
    mac_t source;
    bit<16> ether_type;
}

header probe_t {
    bit<8> number_of_records;
}

// What the traffic manager says of a packet, in whole bytes.
header record_t {
    bit<16> switch_number;
    bit<16> port;
    bit<8> queue;
    bit<8> class_of_service;
    bit<32> depth_on_entry;     // in cells
    bit<32> depth_on_exit;      // in cells
    bit<32> time_of_entry;      // the last 18 bits of nanoseconds
    bit<32> waited;             // the last 18 bits of nanoseconds
    bit<16> copy;
    bit<8> is_first_copy;
    bit<16> length;             // in bytes
}

// In front of a packet that the program mirrors, and in front of all others.
header front_t {
    bit<8> is_report;
}

struct headers_t {
    front_t front;
    ethernet_t ethernet;
    probe_t probe;
    record_t record;
}

struct egress_headers_t {
    front_t front;
    ethernet_t report;
    record_t reported;
    ethernet_t ethernet;
    probe_t probe;
    record_t record;
}

// What a mirror puts in front of a packet.
header mirrored_t {
    bit<8> is_report;
    bit<16> switch_number;
    bit<16> port;
    bit<8> queue;
    bit<8> class_of_service;
    bit<32> depth_on_entry;
    bit<32> depth_on_exit;
    bit<32> time_of_entry;
    bit<32> waited;
    bit<16> copy;
    bit<8> is_first_copy;
    bit<16> length;
}

struct metadata_t {
    MirrorId_t session;
    mirrored_t mirrored;
}

parser TelemetryIngressParser(
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

control TelemetryIngress(
    inout headers_t hdr,
    inout metadata_t meta,
    in ingress_intrinsic_metadata_t intrinsic,
    in ingress_intrinsic_metadata_from_parser_t from_parser,
    inout ingress_intrinsic_metadata_for_deparser_t for_deparser,
    inout ingress_intrinsic_metadata_for_tm_t for_manager)
{
    DirectCounter<bit<64>>(CounterType_t.PACKETS) received;

    action forward(PortId_t port, QueueId_t queue, bit<3> class_of_service) {
        received.count();
        for_manager.ucast_egress_port = port;
        for_manager.qid = queue;
        for_manager.ingress_cos = class_of_service;
    }

    action replicate(MulticastGroupId_t group, QueueId_t queue) {
        received.count();
        for_manager.mcast_grp_a = group;
        for_manager.qid = queue;
    }

    action both(PortId_t port, MulticastGroupId_t first_group, MulticastGroupId_t second_group) {
        received.count();
        for_manager.ucast_egress_port = port;
        for_manager.mcast_grp_a = first_group;
        for_manager.mcast_grp_b = second_group;
    }

    table stations {
        key = { hdr.ethernet.destination: exact; }
        actions = {
            forward;
            replicate;
            both;
            @defaultonly NoAction;
        }
        // A packet without any destination is dropped by the traffic manager.
        const default_action = NoAction();
        counters = received;
        size = 1024;
    }

    apply {
        hdr.front.setValid();
        hdr.front.is_report = 0;
        stations.apply();
    }
}

control TelemetryIngressDeparser(
    packet_out packet,
    inout headers_t hdr,
    in metadata_t meta,
    in ingress_intrinsic_metadata_for_deparser_t for_deparser)
{
    apply {
        packet.emit(hdr);
    }
}

parser TelemetryEgressParser(
    packet_in packet,
    out egress_headers_t hdr,
    out metadata_t meta,
    out egress_intrinsic_metadata_t intrinsic)
{
    state start {
        packet.extract(intrinsic);
        packet.extract(hdr.front);
        transition select(hdr.front.is_report) {
            0: ethernet;
            1: report;
        }
    }

    state report {
        packet.extract(hdr.reported);
        transition accept;
    }

    state ethernet {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            ETHER_TYPE_PROBE: probe;
            default: accept;
        }
    }

    state probe {
        packet.extract(hdr.probe);
        transition accept;
    }
}

control TelemetryEgress(
    inout egress_headers_t hdr,
    inout metadata_t meta,
    in egress_intrinsic_metadata_t intrinsic,
    in egress_intrinsic_metadata_from_parser_t from_parser,
    inout egress_intrinsic_metadata_for_deparser_t for_deparser,
    inout egress_intrinsic_metadata_for_output_port_t for_port)
{
    Counter<bit<32>, PortId_t>(512, CounterType_t.PACKETS_AND_BYTES) sent;
    bit<16> switch_number = 0;
    bit<19> threshold = 0;
    bit<19> room = 0;

    action watch(bit<19> depth, MirrorId_t session) {
        threshold = depth;
        meta.session = session;
    }

    // From which depth on, in cells, a packet of a queue is reported, and by which session.
    table thresholds {
        key = {
            intrinsic.egress_port: exact;
            intrinsic.egress_qid: exact;
        }
        actions = {
            watch;
            @defaultonly NoAction;
        }
        const default_action = NoAction();
        size = 4096;
    }

    action number(bit<16> own) {
        switch_number = own;
    }

    table self {
        actions = { number; }
        default_action = number(0);
    }

    action deliver(mac_t source, mac_t destination) {
        hdr.report.setValid();
        hdr.report.destination = destination;
        hdr.report.source = source;
        hdr.report.ether_type = ETHER_TYPE_REPORT;
    }

    action no_collector() {
        for_deparser.drop_ctl = 1;
    }

    table collectors {
        key = { intrinsic.egress_port: exact; }
        actions = {
            deliver;
            @defaultonly no_collector;
        }
        const default_action = no_collector();
        size = 16;
    }

    apply {
        if (hdr.reported.isValid()) {
            collectors.apply();
        } else {
            self.apply();
            // The header in front has one byte.
            bit<16> length = intrinsic.pkt_length - 1;
            if (hdr.probe.isValid()) {
                if (hdr.probe.number_of_records < MOST_RECORDS) {
                    hdr.probe.number_of_records = hdr.probe.number_of_records + 1;
                    hdr.record.setValid();
                    hdr.record.switch_number = switch_number;
                    hdr.record.port = (bit<16>)intrinsic.egress_port;
                    hdr.record.queue = (bit<8>)intrinsic.egress_qid;
                    hdr.record.class_of_service = (bit<8>)intrinsic.egress_cos;
                    hdr.record.depth_on_entry = (bit<32>)intrinsic.enq_qdepth;
                    hdr.record.depth_on_exit = (bit<32>)intrinsic.deq_qdepth;
                    hdr.record.time_of_entry = (bit<32>)intrinsic.enq_tstamp;
                    hdr.record.waited = (bit<32>)intrinsic.deq_timedelta;
                    hdr.record.copy = intrinsic.egress_rid;
                    hdr.record.is_first_copy = (bit<8>)intrinsic.egress_rid_first;
                    hdr.record.length = length;
                }
            } else if (thresholds.apply().hit) {
                // The chip compares with 0 what a subtraction that cannot go below 0 leaves.
                room = threshold |-| intrinsic.enq_qdepth;
                if (room == 0) {
                    for_deparser.mirror_type = REPORT;
                    meta.mirrored = {
                        1, switch_number, (bit<16>)intrinsic.egress_port, (bit<8>)intrinsic.egress_qid,
                        (bit<8>)intrinsic.egress_cos, (bit<32>)intrinsic.enq_qdepth, (bit<32>)intrinsic.deq_qdepth,
                        (bit<32>)intrinsic.enq_tstamp, (bit<32>)intrinsic.deq_timedelta,
                        intrinsic.egress_rid, (bit<8>)intrinsic.egress_rid_first, length
                    };
                }
            }
            sent.count(intrinsic.egress_port, 1);
        }
        hdr.front.setInvalid();
    }
}

control TelemetryEgressDeparser(
    packet_out packet,
    inout egress_headers_t hdr,
    in metadata_t meta,
    in egress_intrinsic_metadata_for_deparser_t for_deparser)
{
    Mirror(REPORT) report;

    apply {
        if (for_deparser.mirror_type == REPORT) {
            report.emit<mirrored_t>(meta.session, meta.mirrored);
        }
        packet.emit(hdr);
    }
}

Pipeline(
    TelemetryIngressParser(),
    TelemetryIngress(),
    TelemetryIngressDeparser(),
    TelemetryEgressParser(),
    TelemetryEgress(),
    TelemetryEgressDeparser()
) pipe;

Switch(pipe) main;
