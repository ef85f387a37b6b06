// A rate limiter: each customer has a meter with two rates (RFC 2698). What is within the committed rate is green,
// what is within the peak rate is yellow, and what is above is red. Green and yellow packets are marked as assured
// forwarding with low and medium drop precedence (RFC 2597), so that switches further on drop yellow ones first; red
// ones end here.

// The newer form of v1model, in which counters and meters say what type their index has.
#define V1MODEL_VERSION 20200408
#include <core.p4>
#include <v1model.p4>

typedef bit<32> ipv4_address_t;
typedef bit<10> customer_t;
typedef bit<2> color_t;

const bit<16> ETHER_TYPE_IPV4 = 0x0800;

const bit<32> CUSTOMERS = 1024;
const color_t GREEN = V1MODEL_METER_COLOR_GREEN;
const color_t YELLOW = V1MODEL_METER_COLOR_YELLOW;
const color_t RED = V1MODEL_METER_COLOR_RED;

// Differentiated services code points (RFC 2597, section 6).
const bit<6> AF11 = 10;
const bit<6> AF12 = 12;

// Why a packet is dropped: an index of the counter `dropped`. Red ones are in `traffic`.
enum bit<32> Drop {
    MALFORMED = 0,
    NOT_IPV4 = 1,
    CHECKSUM = 2,
    STRANGER = 3,       // from nobody who may send here
    NO_WIRE = 4         // from a port that leads nowhere
}
const bit<32> DROP_REASONS = 5;

error {
    Ipv4Header
}

header ethernet_t {
    bit<48> destination;
    bit<48> source;
    bit<16> ether_type;
}

header ipv4_t {
    bit<4> version;
    bit<4> header_length;
    bit<6> differentiated_services;
    bit<2> congestion;
    bit<16> total_length;
    bit<16> identification;
    bit<3> flags;
    bit<13> fragment_offset;
    bit<8> time_to_live;
    bit<8> protocol;
    bit<16> header_checksum;
    ipv4_address_t source;
    ipv4_address_t destination;
}

struct headers_t {
    ethernet_t ethernet;
    ipv4_t ipv4;
}

struct metadata_t {
    customer_t customer;
    color_t color;
}

parser LimiterParser(
    packet_in packet,
    out headers_t hdr,
    inout metadata_t meta,
    inout standard_metadata_t standard_metadata)
{
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            ETHER_TYPE_IPV4: ipv4;
            default: accept;
        }
    }

    state ipv4 {
        packet.extract(hdr.ipv4);
        verify(hdr.ipv4.version == 4 && hdr.ipv4.header_length == 5, error.Ipv4Header);
        transition accept;
    }
}

control LimiterVerifyChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply {
        verify_checksum(
            hdr.ipv4.isValid(),
            {
                hdr.ipv4.version, hdr.ipv4.header_length, hdr.ipv4.differentiated_services, hdr.ipv4.congestion,
                hdr.ipv4.total_length, hdr.ipv4.identification, hdr.ipv4.flags, hdr.ipv4.fragment_offset,
                hdr.ipv4.time_to_live, hdr.ipv4.protocol, hdr.ipv4.source, hdr.ipv4.destination
            },
            hdr.ipv4.header_checksum,
            HashAlgorithm.csum16);
    }
}

control LimiterIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    counter<bit<32>>(DROP_REASONS, CounterType.packets) dropped;

    // Whole frames are measured. A meter that the control plane has not set up calls every packet green.
    meter<customer_t>(CUSTOMERS, MeterType.bytes) rates;
    // By customer and color: the index is the customer times 4 plus the color.
    counter<bit<12>>(CUSTOMERS * 4, CounterType.packets_and_bytes) traffic;

    action drop(in Drop reason) {
        dropped.count((bit<32>)reason);
        mark_to_drop(standard_metadata);
    }

    action forward(PortId_t port) {
        standard_metadata.egress_spec = port;
    }

    action no_wire() {
        drop(Drop.NO_WIRE);
    }

    // The other end of each wire.
    table wires {
        key = { standard_metadata.ingress_port: exact; }
        actions = {
            forward;
            @defaultonly no_wire;
        }
        default_action = no_wire();
        size = 512;
    }

    action limit(customer_t customer) {
        meta.customer = customer;
        rates.execute_meter<color_t>(customer, meta.color);
    }

    // From the core, whose traffic somebody else has measured.
    action trust() { }

    action stranger() {
        drop(Drop.STRANGER);
    }

    // Who sends: several customers may share a port.
    table customers {
        key = {
            standard_metadata.ingress_port: exact;
            hdr.ipv4.source: lpm;
        }
        actions = {
            limit;
            trust;
            stranger;
        }
        default_action = stranger();
        size = 1024;
    }

    action mark(bit<6> code_point) {
        hdr.ipv4.differentiated_services = code_point;
    }

    action pass() { }

    action discard() {
        mark_to_drop(standard_metadata);
    }

    // What a color means. These entries are what is there at first: the control plane may change them, say to only
    // mark red packets as AF13 and leave it to others to drop them.
    table treatments {
        key = { meta.color: exact; }
        actions = {
            mark;
            pass;
            discard;
        }
        default_action = discard();
        size = 4;
        entries = {
            GREEN: mark(AF11);
            YELLOW: mark(AF12);
            RED: discard();
        }
    }

    apply {
        if (standard_metadata.parser_error != error.NoError) {
            drop(Drop.MALFORMED);
        } else if (!hdr.ipv4.isValid()) {
            drop(Drop.NOT_IPV4);
        } else if (standard_metadata.checksum_error == 1) {
            drop(Drop.CHECKSUM);
        } else if (wires.apply().hit) {
            switch (customers.apply().action_run) {
                limit: {
                    traffic.count(meta.customer ++ meta.color);
                    treatments.apply();
                }
            }
        }
    }
}

control LimiterEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    apply { }
}

control LimiterComputeChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(
            hdr.ipv4.isValid(),
            {
                hdr.ipv4.version, hdr.ipv4.header_length, hdr.ipv4.differentiated_services, hdr.ipv4.congestion,
                hdr.ipv4.total_length, hdr.ipv4.identification, hdr.ipv4.flags, hdr.ipv4.fragment_offset,
                hdr.ipv4.time_to_live, hdr.ipv4.protocol, hdr.ipv4.source, hdr.ipv4.destination
            },
            hdr.ipv4.header_checksum,
            HashAlgorithm.csum16);
    }
}

control LimiterDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
    }
}

V1Switch(
    LimiterParser(),
    LimiterVerifyChecksum(),
    LimiterIngress(),
    LimiterEgress(),
    LimiterComputeChecksum(),
    LimiterDeparser()
) main;
