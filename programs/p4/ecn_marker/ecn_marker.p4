// A router that marks congestion (RFC 3168): a packet before which more than so many packets waited for its port leaves
// with CE, if its transport knows what that means. The switch only queues; that it marks is this program's doing, in
// egress, where the packet brings along how long the queue was when it came to it.
//
// With the threshold of DCTCP (Alizadeh et al., SIGCOMM 2010, section 3.1) it is the switch that DCTCP asks for: it looks
// at the queue as it is and not at an average.
#include <core.p4>
#include <v1model.p4>

typedef bit<32> ipv4_address_t;
typedef bit<9> port_t;

const bit<16> ETHER_TYPE_IPV4 = 0x0800;
// The two bits of congestion notification (RFC 3168, section 5).
const bit<2> NOT_ECT = 0;
const bit<2> CE = 3;

// Why a packet is dropped: an index of the counter `dropped`.
enum bit<32> Drop {
    MALFORMED = 0,
    NOT_IPV4 = 1,
    CHECKSUM = 2,
    NO_ROUTE = 3,
    TIME_TO_LIVE = 4
}
const bit<32> DROP_REASONS = 5;

// What met a long queue: an index of the counter `congested`.
enum bit<32> Met {
    MARKED = 0,
    MARKED_BEFORE = 1,
    NOT_CAPABLE = 2
}
const bit<32> WAYS_TO_MEET = 3;

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
    bit<6> dscp;
    bit<2> ecn;
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

struct metadata_t { }

parser EcnMarkerParser(
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
        // With options the checksum covers more than this header.
        verify(hdr.ipv4.version == 4 && hdr.ipv4.header_length == 5, error.Ipv4Header);
        transition accept;
    }
}

control EcnMarkerVerifyChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply {
        verify_checksum(
            hdr.ipv4.isValid(),
            {
                hdr.ipv4.version, hdr.ipv4.header_length, hdr.ipv4.dscp, hdr.ipv4.ecn, hdr.ipv4.total_length,
                hdr.ipv4.identification, hdr.ipv4.flags, hdr.ipv4.fragment_offset, hdr.ipv4.time_to_live,
                hdr.ipv4.protocol, hdr.ipv4.source, hdr.ipv4.destination
            },
            hdr.ipv4.header_checksum,
            HashAlgorithm.csum16);
    }
}

control EcnMarkerIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    counter(DROP_REASONS, CounterType.packets) dropped;

    action drop(in Drop reason) {
        dropped.count((bit<32>)reason);
        mark_to_drop(standard_metadata);
    }

    action forward(port_t port) {
        standard_metadata.egress_spec = port;
        hdr.ipv4.time_to_live = hdr.ipv4.time_to_live - 1;
    }

    action replicate(bit<16> group) {
        standard_metadata.mcast_grp = group;
        hdr.ipv4.time_to_live = hdr.ipv4.time_to_live - 1;
    }

    action no_route() {
        drop(Drop.NO_ROUTE);
    }

    table routes {
        key = { hdr.ipv4.destination: lpm; }
        actions = {
            forward;
            replicate;
            no_route;
        }
        default_action = no_route();
        size = 1024;
    }

    apply {
        if (standard_metadata.parser_error != error.NoError) {
            drop(Drop.MALFORMED);
        } else if (!hdr.ipv4.isValid()) {
            drop(Drop.NOT_IPV4);
        } else if (standard_metadata.checksum_error == 1) {
            drop(Drop.CHECKSUM);
        } else if (hdr.ipv4.time_to_live <= 1) {
            drop(Drop.TIME_TO_LIVE);
        } else {
            routes.apply();
        }
    }
}

control EcnMarkerEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    counter(WAYS_TO_MEET, CounterType.packets) congested;

    // More than so many packets, of whatever length, are a queue that its senders should hear of.
    action mark_above(bit<19> packets) {
        if (standard_metadata.enq_qdepth > packets) {
            if (hdr.ipv4.ecn == NOT_ECT) {
                congested.count((bit<32>)Met.NOT_CAPABLE);
            } else if (hdr.ipv4.ecn == CE) {
                congested.count((bit<32>)Met.MARKED_BEFORE);
            } else {
                congested.count((bit<32>)Met.MARKED);
                hdr.ipv4.ecn = CE;
            }
        }
    }

    // A threshold for each port that needs one of its own, and one for all others.
    table thresholds {
        key = { standard_metadata.egress_port: exact; }
        actions = { mark_above; }
        default_action = mark_above(20);
        size = 512;
    }

    apply {
        thresholds.apply();
    }
}

control EcnMarkerComputeChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(
            hdr.ipv4.isValid(),
            {
                hdr.ipv4.version, hdr.ipv4.header_length, hdr.ipv4.dscp, hdr.ipv4.ecn, hdr.ipv4.total_length,
                hdr.ipv4.identification, hdr.ipv4.flags, hdr.ipv4.fragment_offset, hdr.ipv4.time_to_live,
                hdr.ipv4.protocol, hdr.ipv4.source, hdr.ipv4.destination
            },
            hdr.ipv4.header_checksum,
            HashAlgorithm.csum16);
    }
}

control EcnMarkerDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
    }
}

V1Switch(
    EcnMarkerParser(),
    EcnMarkerVerifyChecksum(),
    EcnMarkerIngress(),
    EcnMarkerEgress(),
    EcnMarkerComputeChecksum(),
    EcnMarkerDeparser()
) main;
