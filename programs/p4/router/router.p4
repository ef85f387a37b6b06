// An IPv4 router: longest prefix match, next hops, new MAC addresses, time to live, header checksum.
//
// What a router must do with a packet, and when it must drop one silently, is RFC 1812, "Requirements for IP Version
// 4 Routers"; its sections are named below. It sends no ICMP messages: whatever it drops, it counts, with the reason.
#include <core.p4>
#include <v1model.p4>

typedef bit<48> mac_t;
typedef bit<32> ipv4_address_t;
typedef bit<9> port_t;
typedef bit<16> next_hop_t;

const bit<16> ETHER_TYPE_IPV4 = 0x0800;
// Bytes of an Ethernet header.
const bit<32> ETHERNET_LENGTH = 14;

// Why a packet is dropped: an index of the counter `dropped`.
enum bit<32> Drop {
    MALFORMED = 0,      // cut short, or no IPv4 header that can be
    NOT_FOR_US = 1,     // a frame for another station
    NOT_IPV4 = 2,
    CHECKSUM = 3,
    LENGTH = 4,         // a total length that the frame cannot have
    MARTIAN = 5,        // an address that no packet on a wire may have
    NO_ROUTE = 6,
    TIME_TO_LIVE = 7,
    NO_NEXT_HOP = 8,    // a route to a next hop that nobody described
    NO_INTERFACE = 9    // a next hop behind a port that has no address
}
const bit<32> DROP_REASONS = 10;

error {
    Ipv4Version,
    Ipv4HeaderLength
}

header ethernet_t {
    mac_t destination;
    mac_t source;
    bit<16> ether_type;
}

// The first byte of an IPv4 header, which says how long it is.
header ipv4_start_t {
    bit<4> version;
    bit<4> header_length;
}

header ipv4_t {
    bit<4> version;
    bit<4> header_length;           // 32-bit words
    bit<8> type_of_service;
    bit<16> total_length;
    bit<16> identification;
    bit<3> flags;
    bit<13> fragment_offset;
    bit<8> time_to_live;
    bit<8> protocol;
    bit<16> header_checksum;
    ipv4_address_t source;
    ipv4_address_t destination;
    varbit<320> options;            // at most 15 words in all
}

struct headers_t {
    ethernet_t ethernet;
    ipv4_t ipv4;
}

struct metadata_t {
    next_hop_t next_hop;
}

parser RouterParser(
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

    // RFC 1812, section 5.2.2: a version that is not 4, or a header length below 5, makes a packet invalid. The
    // length of the options must be known before the header is extracted, because they are part of it; the checksum
    // covers them.
    state ipv4 {
        ipv4_start_t first = packet.lookahead<ipv4_start_t>();
        verify(first.version == 4, error.Ipv4Version);
        verify(first.header_length >= 5, error.Ipv4HeaderLength);
        packet.extract(hdr.ipv4, ((bit<32>)first.header_length - 5) * 32);
        transition accept;
    }
}

control RouterVerifyChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply {
        verify_checksum(
            hdr.ipv4.isValid(),
            {
                hdr.ipv4.version, hdr.ipv4.header_length, hdr.ipv4.type_of_service, hdr.ipv4.total_length,
                hdr.ipv4.identification, hdr.ipv4.flags, hdr.ipv4.fragment_offset,
                hdr.ipv4.time_to_live, hdr.ipv4.protocol,
                hdr.ipv4.source, hdr.ipv4.destination, hdr.ipv4.options
            },
            hdr.ipv4.header_checksum,
            HashAlgorithm.csum16);
    }
}

control RouterIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    counter(DROP_REASONS, CounterType.packets_and_bytes) dropped;
    direct_counter(CounterType.packets_and_bytes) route_used;

    action drop(in Drop reason) {
        dropped.count((bit<32>)reason);
        mark_to_drop(standard_metadata);
    }

    // The MAC addresses that the router listens to, by port. A frame for another station, or for all of them, is not
    // the router's to forward (RFC 1812, section 5.2.1).
    table stations {
        key = {
            standard_metadata.ingress_port: exact;
            hdr.ethernet.destination: exact;
        }
        actions = { NoAction; }
        default_action = NoAction();
        size = 512;
    }

    action martian() {
        drop(Drop.MARTIAN);
    }

    // RFC 1812, section 5.3.7: addresses that no packet on a wire may have. This router forwards no multicast.
    table martians {
        key = {
            hdr.ipv4.source: ternary;
            hdr.ipv4.destination: ternary;
        }
        actions = {
            martian;
            NoAction;
        }
        const default_action = NoAction();
        const entries = {
            (0x00000000 &&& 0xff000000, _): martian();  // 0/8, "this network"
            (0x7f000000 &&& 0xff000000, _): martian();  // 127/8, loopback
            (0xe0000000 &&& 0xe0000000, _): martian();  // 224/4 and 240/4: no host sends from a group
            (_, 0x00000000 &&& 0xff000000): martian();
            (_, 0x7f000000 &&& 0xff000000): martian();
            (_, 0xe0000000 &&& 0xe0000000): martian();
        }
    }

    action to_next_hop(next_hop_t next_hop) {
        meta.next_hop = next_hop;
    }

    // For the router itself: to the port of its own processor, as it came.
    action to_self(port_t port) {
        standard_metadata.egress_spec = port;
    }

    action no_route() {
        drop(Drop.NO_ROUTE);
    }

    table routes {
        key = { hdr.ipv4.destination: lpm; }
        actions = {
            to_next_hop;
            to_self;
            no_route;
        }
        default_action = no_route();
        counters = route_used;
        size = 4096;
    }

    // RFC 1812, section 5.3.1: who forwards a packet takes at least one off its time to live.
    action forward(port_t port, mac_t destination) {
        standard_metadata.egress_spec = port;
        hdr.ethernet.destination = destination;
        hdr.ipv4.time_to_live = hdr.ipv4.time_to_live - 1;
    }

    action no_next_hop() {
        drop(Drop.NO_NEXT_HOP);
    }

    // Many routes share a next hop: when its port or address changes, one entry does.
    table next_hops {
        key = { meta.next_hop: exact; }
        actions = {
            forward;
            @defaultonly no_next_hop;
        }
        default_action = no_next_hop();
        size = 256;
    }

    action set_source(mac_t source) {
        hdr.ethernet.source = source;
    }

    action no_interface() {
        drop(Drop.NO_INTERFACE);
    }

    // The router's own address on the port that the packet leaves by.
    table interfaces {
        key = { standard_metadata.egress_spec: exact; }
        actions = {
            set_source;
            @defaultonly no_interface;
        }
        default_action = no_interface();
        size = 512;
    }

    apply {
        if (standard_metadata.parser_error != error.NoError) {
            drop(Drop.MALFORMED);
        } else if (!stations.apply().hit) {
            drop(Drop.NOT_FOR_US);
        } else if (!hdr.ipv4.isValid()) {
            drop(Drop.NOT_IPV4);
        } else if (standard_metadata.checksum_error == 1) {
            drop(Drop.CHECKSUM);
        } else if (
            // RFC 1812, section 5.2.2. A frame may be longer than its packet, for short ones are padded.
            (bit<32>)hdr.ipv4.total_length < (bit<32>)hdr.ipv4.header_length * 4
            || (bit<32>)hdr.ipv4.total_length > standard_metadata.packet_length - ETHERNET_LENGTH
        ) {
            drop(Drop.LENGTH);
        } else if (martians.apply().miss) {
            switch (routes.apply().action_run) {
                to_next_hop: {
                    // Only who forwards a packet looks at its time to live: one for the router itself may have 1.
                    if (hdr.ipv4.time_to_live <= 1) {
                        drop(Drop.TIME_TO_LIVE);
                    } else if (next_hops.apply().hit) {
                        interfaces.apply();
                    }
                }
            }
        }
    }
}

control RouterEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    apply { }
}

control RouterComputeChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(
            hdr.ipv4.isValid(),
            {
                hdr.ipv4.version, hdr.ipv4.header_length, hdr.ipv4.type_of_service, hdr.ipv4.total_length,
                hdr.ipv4.identification, hdr.ipv4.flags, hdr.ipv4.fragment_offset,
                hdr.ipv4.time_to_live, hdr.ipv4.protocol,
                hdr.ipv4.source, hdr.ipv4.destination, hdr.ipv4.options
            },
            hdr.ipv4.header_checksum,
            HashAlgorithm.csum16);
    }
}

control RouterDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
    }
}

V1Switch(
    RouterParser(),
    RouterVerifyChecksum(),
    RouterIngress(),
    RouterEgress(),
    RouterComputeChecksum(),
    RouterDeparser()
) main;
