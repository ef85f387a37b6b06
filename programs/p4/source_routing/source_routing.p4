// Source routing: the sender writes the whole path into the packet, a port for each switch, and each switch takes its
// own off the front. Switches need no routes at all.
//
//     Ethernet, type 0x88b6 | source route | port of the first switch | ... | port of the last one | the packet
//
// The bit `last` ends the list, so that the parser goes round until it finds it.
#include <core.p4>
#include <v1model.p4>

typedef bit<48> mac_t;
typedef bit<9> port_t;

// For experiments (IEEE 802, "local experimental EtherType 2").
const bit<16> ETHER_TYPE_SOURCE_ROUTE = 0x88b6;
// A longer path is refused: a parser has room for so many only.
const int MOST_HOPS = 8;

// Why a packet is dropped: an index of the counter `dropped`.
enum bit<32> Drop {
    MALFORMED = 0,      // cut short
    TOO_LONG = 1,       // no `last` among the first 8 hops
    NO_ROUTE = 2,       // an ordinary packet
    FORBIDDEN = 3       // a port that senders may not choose
}
const bit<32> DROP_REASONS = 4;

header ethernet_t {
    mac_t destination;
    mac_t source;
    bit<16> ether_type;
}

header source_route_t {
    bit<16> ether_type;     // of the packet behind the hops
}

header hop_t {
    bit<1> last;
    bit<6> reserved;
    port_t port;
}

struct headers_t {
    ethernet_t ethernet;
    source_route_t source_route;
    hop_t[MOST_HOPS] hops;
}

struct metadata_t { }

parser SourceRoutingParser(
    packet_in packet,
    out headers_t hdr,
    inout metadata_t meta,
    inout standard_metadata_t standard_metadata)
{
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            ETHER_TYPE_SOURCE_ROUTE: source_route;
            default: accept;
        }
    }

    state source_route {
        packet.extract(hdr.source_route);
        transition hop;
    }

    // The ninth round ends in error.StackOutOfBounds.
    state hop {
        packet.extract(hdr.hops.next);
        transition select(hdr.hops.last.last) {
            0: hop;
            default: accept;
        }
    }
}

control SourceRoutingVerifyChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control SourceRoutingIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    counter(DROP_REASONS, CounterType.packets) dropped;
    direct_counter(CounterType.packets_and_bytes) port_used;

    action drop(in Drop reason) {
        dropped.count((bit<32>)reason);
        mark_to_drop(standard_metadata);
    }

    action follow() {
        standard_metadata.egress_spec = hdr.hops[0].port;
    }

    action forbid() {
        drop(Drop.FORBIDDEN);
    }

    // The ports that a sender may choose. Without it, anybody could reach the switch's own processor, or a port that
    // has been shut.
    table ports {
        key = { hdr.hops[0].port: exact; }
        actions = {
            follow;
            @defaultonly forbid;
        }
        default_action = forbid();
        counters = port_used;
        size = 512;
    }

    apply {
        if (standard_metadata.parser_error == error.StackOutOfBounds) {
            drop(Drop.TOO_LONG);
        } else if (standard_metadata.parser_error != error.NoError) {
            drop(Drop.MALFORMED);
        } else if (!hdr.source_route.isValid()) {
            drop(Drop.NO_ROUTE);
        } else if (ports.apply().hit) {
            // Behind the last hop an ordinary packet leaves, which any host understands.
            if (hdr.hops[0].last == 1) {
                hdr.ethernet.ether_type = hdr.source_route.ether_type;
                hdr.source_route.setInvalid();
            }
            hdr.hops.pop_front(1);
        }
    }
}

control SourceRoutingEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    apply { }
}

control SourceRoutingComputeChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control SourceRoutingDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.source_route);
        packet.emit(hdr.hops);
    }
}

V1Switch(
    SourceRoutingParser(),
    SourceRoutingVerifyChecksum(),
    SourceRoutingIngress(),
    SourceRoutingEgress(),
    SourceRoutingComputeChecksum(),
    SourceRoutingDeparser()
) main;
