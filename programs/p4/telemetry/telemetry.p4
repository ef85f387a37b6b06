// In-band telemetry: packets collect what happens to them. The first switch puts a header in, every switch adds a
// record (which switch, in and out, when, how long the queue was), and the last one takes all of it out again and
// sends a copy with the records to a collector.
//
// The idea is that of INT-MD (In-band Network Telemetry Dataplane Specification 2.1, P4.org 2020); the header is a
// simpler one of our own, between Ethernet and what follows:
//
//     Ethernet, type 0x88b5 | telemetry | record of the last switch | ... | record of the first switch | the packet
#include <core.p4>
#include <v1model.p4>

typedef bit<48> mac_t;
typedef bit<9> port_t;

const bit<16> ETHER_TYPE_IPV4 = 0x0800;
// For experiments (IEEE 802, "local experimental EtherType 1").
const bit<16> ETHER_TYPE_TELEMETRY = 0x88b5;
const bit<4> VERSION = 1;
// Records that fit into the stack; `remaining` can say no more.
const int MOST_RECORDS = 8;

// Why a packet is dropped: an index of the counter `dropped`.
enum bit<32> Drop {
    MALFORMED = 0,
    UNKNOWN_STATION = 1
}
const bit<32> DROP_REASONS = 2;

error {
    TelemetryVersion,
    TelemetryRecords
}

header ethernet_t {
    mac_t destination;
    mac_t source;
    bit<16> ether_type;
}

header telemetry_t {
    bit<4> version;
    bit<1> exceeded;        // a switch had no room for its record
    bit<3> reserved;
    bit<4> records;         // how many follow
    bit<4> remaining;       // how many more may be added
    bit<16> ether_type;     // of what follows
}

// What one switch says: 28 bytes.
header record_t {
    bit<32> switch_id;
    bit<16> ingress_port;
    bit<16> egress_port;
    bit<48> ingress_time;   // microseconds
    bit<48> egress_time;
    bit<32> queue_depth;    // packets, when this one came into the queue
    bit<32> queue_time;     // microseconds
}

header ipv4_t {
    bit<4> version;
    bit<4> header_length;
    bit<8> type_of_service;
    bit<16> total_length;
    bit<16> identification;
    bit<3> flags;
    bit<13> fragment_offset;
    bit<8> time_to_live;
    bit<8> protocol;
    bit<16> header_checksum;
    bit<32> source;
    bit<32> destination;
}

struct headers_t {
    ethernet_t ethernet;
    telemetry_t telemetry;
    record_t[MOST_RECORDS] records;
    ipv4_t ipv4;
}

struct metadata_t {
    // Records that the parser still has to extract.
    bit<4> left;
}

parser TelemetryParser(
    packet_in packet,
    out headers_t hdr,
    inout metadata_t meta,
    inout standard_metadata_t standard_metadata)
{
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            ETHER_TYPE_TELEMETRY: telemetry;
            ETHER_TYPE_IPV4: ipv4;
            default: accept;
        }
    }

    state telemetry {
        packet.extract(hdr.telemetry);
        verify(hdr.telemetry.version == VERSION, error.TelemetryVersion);
        verify(hdr.telemetry.records <= MOST_RECORDS, error.TelemetryRecords);
        meta.left = hdr.telemetry.records;
        transition next_record;
    }

    state next_record {
        transition select(meta.left) {
            0: payload;
            default: record;
        }
    }

    // One round for each record: the stack counts where the next one goes.
    state record {
        packet.extract(hdr.records.next);
        meta.left = meta.left - 1;
        transition next_record;
    }

    state payload {
        transition select(hdr.telemetry.ether_type) {
            ETHER_TYPE_IPV4: ipv4;
            default: accept;
        }
    }

    state ipv4 {
        packet.extract(hdr.ipv4);
        transition accept;
    }
}

control TelemetryVerifyChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control TelemetryIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    counter(DROP_REASONS, CounterType.packets) dropped;
    direct_counter(CounterType.packets) watched;

    action drop(in Drop reason) {
        dropped.count((bit<32>)reason);
        mark_to_drop(standard_metadata);
    }

    action forward(port_t port) {
        standard_metadata.egress_spec = port;
    }

    action replicate(bit<16> group) {
        standard_metadata.mcast_grp = group;
    }

    action unknown_station() {
        drop(Drop.UNKNOWN_STATION);
    }

    table stations {
        key = { hdr.ethernet.destination: exact; }
        actions = {
            forward;
            replicate;
            unknown_station;
        }
        default_action = unknown_station();
        size = 1024;
    }

    action watch(bit<4> most) {
        hdr.telemetry.setValid();
        hdr.telemetry.version = VERSION;
        hdr.telemetry.exceeded = 0;
        hdr.telemetry.reserved = 0;
        hdr.telemetry.records = 0;
        hdr.telemetry.remaining = most;
        hdr.telemetry.ether_type = hdr.ethernet.ether_type;
        hdr.ethernet.ether_type = ETHER_TYPE_TELEMETRY;
    }

    // Which traffic is watched from here on.
    table flows {
        key = {
            hdr.ipv4.source: ternary;
            hdr.ipv4.destination: ternary;
            hdr.ipv4.protocol: ternary;
        }
        actions = {
            watch;
            NoAction;
        }
        default_action = NoAction();
        counters = watched;
        size = 256;
    }

    // The copy is one of the packet as it arrived: it takes the records of the switches before along to the
    // collector, and gets this switch's own in egress.
    action report(bit<32> session) {
        clone(CloneType.I2E, session);
    }

    // For which ports the collector gets a copy of what has records: those where the path of the records ends.
    table reports {
        key = { standard_metadata.egress_spec: exact; }
        actions = {
            report;
            NoAction;
        }
        default_action = NoAction();
        size = 512;
    }

    apply {
        if (standard_metadata.parser_error != error.NoError) {
            drop(Drop.MALFORMED);
            return;
        }
        switch (stations.apply().action_run) {
            unknown_station: {
                return;
            }
        }
        if (hdr.telemetry.isValid()) {
            reports.apply();
        } else if (hdr.ipv4.isValid()) {
            flows.apply();
        }
    }
}

control TelemetryEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    counter(1, CounterType.packets) without_room;

    action set_switch(bit<32> switch_id) {
        hdr.records.push_front(1);
        hdr.records[0].setValid();
        hdr.records[0].switch_id = switch_id;
        hdr.records[0].ingress_port = (bit<16>)standard_metadata.ingress_port;
        hdr.records[0].egress_port = (bit<16>)standard_metadata.egress_port;
        hdr.records[0].ingress_time = standard_metadata.ingress_global_timestamp;
        hdr.records[0].egress_time = standard_metadata.egress_global_timestamp;
        hdr.records[0].queue_depth = (bit<32>)standard_metadata.enq_qdepth;
        hdr.records[0].queue_time = standard_metadata.deq_timedelta;
        hdr.telemetry.records = hdr.telemetry.records + 1;
        hdr.telemetry.remaining = hdr.telemetry.remaining - 1;
    }

    // Who this switch is.
    table identity {
        actions = { set_switch; }
        default_action = set_switch(0);
    }

    action strip() {
        hdr.ethernet.ether_type = hdr.telemetry.ether_type;
        hdr.telemetry.setInvalid();
        // Pushing makes room at the front with headers that are not valid: all that were there are gone.
        hdr.records.push_front(MOST_RECORDS);
    }

    // The ports with hosts behind them, which know nothing of records. It is looked up here and not in ingress, for
    // here each copy of a packet that goes to several ports has its own.
    table edges {
        key = { standard_metadata.egress_port: exact; }
        actions = {
            strip;
            @defaultonly NoAction;
        }
        default_action = NoAction();
        size = 512;
    }

    apply {
        if (hdr.telemetry.isValid()) {
            if (edges.apply().miss) {
                if (hdr.telemetry.remaining == 0 || hdr.telemetry.records == MOST_RECORDS) {
                    hdr.telemetry.exceeded = 1;
                    without_room.count(0);
                } else {
                    identity.apply();
                }
            }
        }
    }
}

control TelemetryComputeChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control TelemetryDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.telemetry);
        packet.emit(hdr.records);
        packet.emit(hdr.ipv4);
    }
}

V1Switch(
    TelemetryParser(),
    TelemetryVerifyChecksum(),
    TelemetryIngress(),
    TelemetryEgress(),
    TelemetryComputeChecksum(),
    TelemetryDeparser()
) main;
