// A learning Ethernet switch: it forwards frames to where their destination was last seen, floods them while it does
// not know, and tells the control plane who is where by digests. The control plane answers with entries.
//
// The rules are those of an IEEE 802.1D bridge: 7.7 (filtering), 7.8 (learning), 7.12.6 (reserved addresses).
#include <core.p4>
#include <v1model.p4>

typedef bit<48> mac_t;
typedef bit<9> port_t;

// The multicast group of all ports, which the control plane sets up.
const bit<16> ALL_PORTS = 1;
// Set in the address of a group, and in no address that a station sends from.
const mac_t GROUP_BIT = 0x010000000000;

// Why a frame is dropped: an index of the counter `dropped`. Copies of a flood that are kept from going back are
// counted apart, in egress.
enum bit<32> Drop {
    MALFORMED = 0,      // shorter than an Ethernet header
    GROUP_SOURCE = 1,   // sent from a group, which nobody can be
    RESERVED = 2,       // for the bridge's neighbour only, such as spanning tree
    SAME_PORT = 3,      // its destination is where it came from
    BLOCKED = 4         // the control plane wants no frame for this station
}
const bit<32> DROP_REASONS = 5;

header ethernet_t {
    mac_t destination;
    mac_t source;
    bit<16> ether_type;
}

struct headers_t {
    ethernet_t ethernet;
}

struct metadata_t { }

// What the control plane is told: this station is behind this port.
struct station_t {
    mac_t address;
    port_t port;
}

parser SwitchParser(
    packet_in packet,
    out headers_t hdr,
    inout metadata_t meta,
    inout standard_metadata_t standard_metadata)
{
    state start {
        packet.extract(hdr.ethernet);
        transition accept;
    }
}

control SwitchVerifyChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control SwitchIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    counter(DROP_REASONS, CounterType.packets) dropped;
    direct_counter(CounterType.packets_and_bytes) sent_to;

    action drop(in Drop reason) {
        dropped.count((bit<32>)reason);
        mark_to_drop(standard_metadata);
    }

    action reserved() {
        drop(Drop.RESERVED);
    }

    // 01:80:c2:00:00:00 to :0f never pass a bridge.
    table reserved_addresses {
        key = { hdr.ethernet.destination: ternary; }
        actions = {
            reserved;
            NoAction;
        }
        default_action = NoAction();
        const entries = {
            0x0180c2000000 &&& 0xfffffffffff0: reserved();
        }
    }

    action learn() {
        // 1 is the receiver; v1model leaves open what it means.
        digest<station_t>(1, { hdr.ethernet.source, standard_metadata.ingress_port });
    }

    // The stations that are known, each with its port: one that has moved to another port misses and is told of anew.
    // Until the control plane answers, each of its frames is told of.
    table sources {
        key = {
            hdr.ethernet.source: exact;
            standard_metadata.ingress_port: exact;
        }
        actions = {
            NoAction;
            learn;
        }
        default_action = learn();
        size = 4096;
    }

    action forward(port_t port) {
        standard_metadata.egress_spec = port;
    }

    action flood() {
        standard_metadata.mcast_grp = ALL_PORTS;
    }

    action flood_to(bit<16> group) {
        standard_metadata.mcast_grp = group;
    }

    action block() {
        drop(Drop.BLOCKED);
    }

    // Where stations and groups are. A static entry (a server, a group with a few members, a station that is to be
    // blocked) is one that the control plane adds without a digest.
    table destinations {
        key = { hdr.ethernet.destination: exact; }
        actions = {
            forward;
            flood;
            flood_to;
            block;
        }
        default_action = flood();
        counters = sent_to;
        size = 4096;
    }

    apply {
        if (standard_metadata.parser_error != error.NoError) {
            drop(Drop.MALFORMED);
        } else if ((hdr.ethernet.source & GROUP_BIT) != 0) {
            drop(Drop.GROUP_SOURCE);
        } else if (!reserved_addresses.apply().hit) {
            sources.apply();
            switch (destinations.apply().action_run) {
                forward: {
                    // Whoever is behind the port has seen the frame already.
                    if (standard_metadata.egress_spec == standard_metadata.ingress_port) {
                        drop(Drop.SAME_PORT);
                    }
                }
            }
        }
    }
}

control SwitchEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    counter(1, CounterType.packets) not_returned;

    apply {
        // The group has all ports, the one that the frame came from among them.
        if (standard_metadata.egress_port == standard_metadata.ingress_port) {
            not_returned.count(0);
            mark_to_drop(standard_metadata);
        }
    }
}

control SwitchComputeChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control SwitchDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
    }
}

V1Switch(
    SwitchParser(),
    SwitchVerifyChecksum(),
    SwitchIngress(),
    SwitchEgress(),
    SwitchComputeChecksum(),
    SwitchDeparser()
) main;
