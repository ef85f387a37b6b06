// Equal-cost multipath: a route leads to a group of next hops, and a hash of the flow chooses one of them, so that
// the packets of a flow stay in order while flows spread over all paths (RFC 2992).
//
// The groups are tables: a route gives the group's number and its size, and the members stand in a table under
// (group, place). `load_balancer` does the same with an action selector.
#include <core.p4>
#include <v1model.p4>

typedef bit<48> mac_t;
typedef bit<32> ipv4_address_t;
typedef bit<9> port_t;

const bit<16> ETHER_TYPE_IPV4 = 0x0800;
const bit<8> PROTOCOL_TCP = 6;
const bit<8> PROTOCOL_UDP = 17;

// Why a packet is dropped: an index of the counter `dropped`.
enum bit<32> Drop {
    MALFORMED = 0,
    NOT_IPV4 = 1,
    CHECKSUM = 2,
    NO_ROUTE = 3,
    TIME_TO_LIVE = 4,
    NO_MEMBER = 5       // the table of members does not hold what the route promises
}
const bit<32> DROP_REASONS = 6;

error {
    Ipv4Header
}

header ethernet_t {
    mac_t destination;
    mac_t source;
    bit<16> ether_type;
}

header ipv4_t {
    bit<4> version;
    bit<4> header_length;
    bit<8> type_of_service;
    bit<16> total_length;
    bit<16> identification;
    bit<1> reserved;
    bit<1> do_not_fragment;
    bit<1> more_fragments;
    bit<13> fragment_offset;
    bit<8> time_to_live;
    bit<8> protocol;
    bit<16> header_checksum;
    ipv4_address_t source;
    ipv4_address_t destination;
}

// TCP and UDP both begin with their ports, and no more of them is needed.
header ports_t {
    bit<16> source;
    bit<16> destination;
}

struct headers_t {
    ethernet_t ethernet;
    ipv4_t ipv4;
    ports_t ports;
}

struct metadata_t {
    bit<16> group;
    bit<16> size;
    bit<16> place;
    bit<5> offset;
    // 0 for packets that have no ports.
    bit<16> source_port;
    bit<16> destination_port;
}

parser EcmpParser(
    packet_in packet,
    out headers_t hdr,
    inout metadata_t meta,
    inout standard_metadata_t standard_metadata)
{
    state start {
        meta.source_port = 0;
        meta.destination_port = 0;
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            ETHER_TYPE_IPV4: ipv4;
            default: accept;
        }
    }

    state ipv4 {
        packet.extract(hdr.ipv4);
        // With options, the ports are elsewhere and the checksum covers more: such packets are rare, and refused
        // here.
        verify(hdr.ipv4.version == 4 && hdr.ipv4.header_length == 5, error.Ipv4Header);
        // Of a datagram in fragments only the first has ports. All must take one path, so none is asked for them.
        transition select(hdr.ipv4.more_fragments, hdr.ipv4.fragment_offset, hdr.ipv4.protocol) {
            (0, 0, PROTOCOL_TCP): ports;
            (0, 0, PROTOCOL_UDP): ports;
            default: accept;
        }
    }

    state ports {
        packet.extract(hdr.ports);
        meta.source_port = hdr.ports.source;
        meta.destination_port = hdr.ports.destination;
        transition accept;
    }
}

control EcmpVerifyChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply {
        verify_checksum(
            hdr.ipv4.isValid(),
            {
                hdr.ipv4.version, hdr.ipv4.header_length, hdr.ipv4.type_of_service, hdr.ipv4.total_length,
                hdr.ipv4.identification, hdr.ipv4.reserved, hdr.ipv4.do_not_fragment, hdr.ipv4.more_fragments,
                hdr.ipv4.fragment_offset, hdr.ipv4.time_to_live, hdr.ipv4.protocol,
                hdr.ipv4.source, hdr.ipv4.destination
            },
            hdr.ipv4.header_checksum,
            HashAlgorithm.csum16);
    }
}

control EcmpIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    counter(DROP_REASONS, CounterType.packets_and_bytes) dropped;
    direct_counter(CounterType.packets_and_bytes) member_used;

    action drop(in Drop reason) {
        dropped.count((bit<32>)reason);
        mark_to_drop(standard_metadata);
    }

    action use_bits_from(bit<5> offset) {
        meta.offset = offset;
    }

    // Switches in a row that choose by the same bits all choose alike: of the flows that one sends to its first
    // member, the next sends all to its first member, too. So each uses other bits of the hash, from 0 to 16 on. (A
    // seed in front of the fields would not help: a CRC is linear, and the seed only changes the same bits of all
    // hashes.)
    table hash_bits {
        actions = { use_bits_from; }
        default_action = use_bits_from(0);
    }

    action to_group(bit<16> group, bit<16> size) {
        meta.group = group;
        meta.size = size;
    }

    action no_route() {
        drop(Drop.NO_ROUTE);
    }

    table routes {
        key = { hdr.ipv4.destination: lpm; }
        actions = {
            to_group;
            no_route;
        }
        default_action = no_route();
        size = 1024;
    }

    // A place from 0 to size - 1; 0 for a group of one, and for a size of 0. 16 bits of the hash are a fraction of
    // 65536, and the place is the same fraction of the size.
    action choose() {
        bit<32> flow;
        hash(
            flow,
            HashAlgorithm.crc32,
            (bit<32>)0,
            {
                hdr.ipv4.source, hdr.ipv4.destination, hdr.ipv4.protocol,
                meta.source_port, meta.destination_port
            },
            // All 32 bits of it.
            64w0x100000000);
        bit<16> bits = (bit<16>)(flow >> meta.offset);
        bit<32> product = (bit<32>)bits * (bit<32>)meta.size;
        meta.place = product[31:16];
    }

    action to_next_hop(port_t port, mac_t source, mac_t destination) {
        standard_metadata.egress_spec = port;
        hdr.ethernet.source = source;
        hdr.ethernet.destination = destination;
        hdr.ipv4.time_to_live = hdr.ipv4.time_to_live - 1;
    }

    action no_member() {
        drop(Drop.NO_MEMBER);
    }

    table members {
        key = {
            meta.group: exact;
            meta.place: exact;
        }
        actions = {
            to_next_hop;
            no_member;
        }
        default_action = no_member();
        counters = member_used;
        size = 4096;
    }

    apply {
        if (standard_metadata.parser_error != error.NoError) {
            drop(Drop.MALFORMED);
        } else if (!hdr.ipv4.isValid()) {
            drop(Drop.NOT_IPV4);
        } else if (standard_metadata.checksum_error == 1) {
            drop(Drop.CHECKSUM);
        } else {
            switch (routes.apply().action_run) {
                to_group: {
                    if (hdr.ipv4.time_to_live <= 1) {
                        drop(Drop.TIME_TO_LIVE);
                    } else {
                        hash_bits.apply();
                        choose();
                        members.apply();
                    }
                }
            }
        }
    }
}

control EcmpEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    apply { }
}

control EcmpComputeChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(
            hdr.ipv4.isValid(),
            {
                hdr.ipv4.version, hdr.ipv4.header_length, hdr.ipv4.type_of_service, hdr.ipv4.total_length,
                hdr.ipv4.identification, hdr.ipv4.reserved, hdr.ipv4.do_not_fragment, hdr.ipv4.more_fragments,
                hdr.ipv4.fragment_offset, hdr.ipv4.time_to_live, hdr.ipv4.protocol,
                hdr.ipv4.source, hdr.ipv4.destination
            },
            hdr.ipv4.header_checksum,
            HashAlgorithm.csum16);
    }
}

control EcmpDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.ports);
    }
}

V1Switch(
    EcmpParser(),
    EcmpVerifyChecksum(),
    EcmpIngress(),
    EcmpEgress(),
    EcmpComputeChecksum(),
    EcmpDeparser()
) main;
