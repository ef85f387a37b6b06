// A load balancer for layer 4: clients know one address for a service, and a hash of the connection chooses the
// server behind it. On the way back the server's address becomes the service's again, so that clients never see it.
//
// The servers of a service are a group of an action selector: entries of several services may share one, and a server
// is taken out of its groups in one place.
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
    TIME_TO_LIVE = 3,
    NO_ROUTE = 4        // also: to a service without servers, or to a port of its address that is no service
}
const bit<32> DROP_REASONS = 5;

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

// Up to the checksum, which is all that must be changed.
header tcp_t {
    bit<16> source_port;
    bit<16> destination_port;
    bit<32> sequence_number;
    bit<32> acknowledgment_number;
    bit<16> offset_and_flags;
    bit<16> window;
    bit<16> checksum;
    bit<16> urgent_pointer;
}

header udp_t {
    bit<16> source_port;
    bit<16> destination_port;
    bit<16> length;
    bit<16> checksum;
}

struct headers_t {
    ethernet_t ethernet;
    ipv4_t ipv4;
    tcp_t tcp;
    udp_t udp;
}

struct metadata_t {
    bit<16> source_port;
    bit<16> destination_port;
}

// A checksum after an address in what it covers was changed: RFC 1624, section 3, equation 3. Computing it anew from
// the whole packet would also give packets a right checksum that came damaged.
bit<16> corrected(in bit<16> checksum, in ipv4_address_t before, in ipv4_address_t after) {
    bit<32> sum = (bit<32>)(~checksum)
        + (bit<32>)(~before[31:16]) + (bit<32>)(~before[15:0])
        + (bit<32>)after[31:16] + (bit<32>)after[15:0];
    // Five numbers of 16 bits: the carry is at most 4, and adding it may carry once more.
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    return ~sum[15:0];
}

parser BalancerParser(
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
        verify(hdr.ipv4.version == 4 && hdr.ipv4.header_length == 5, error.Ipv4Header);
        // A fragment cannot be balanced, for only the first has ports: it gets no further than `routes`.
        transition select(hdr.ipv4.more_fragments, hdr.ipv4.fragment_offset, hdr.ipv4.protocol) {
            (0, 0, PROTOCOL_TCP): tcp;
            (0, 0, PROTOCOL_UDP): udp;
            default: accept;
        }
    }

    state tcp {
        packet.extract(hdr.tcp);
        meta.source_port = hdr.tcp.source_port;
        meta.destination_port = hdr.tcp.destination_port;
        transition accept;
    }

    state udp {
        packet.extract(hdr.udp);
        meta.source_port = hdr.udp.source_port;
        meta.destination_port = hdr.udp.destination_port;
        transition accept;
    }
}

control BalancerVerifyChecksum(inout headers_t hdr, inout metadata_t meta) {
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

control BalancerIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    counter(DROP_REASONS, CounterType.packets_and_bytes) dropped;
    direct_counter(CounterType.packets_and_bytes) returned;

    // At most 1,024 servers in all; 16 bits of the hash choose among those of a group.
    action_selector(HashAlgorithm.crc16, 1024, 16) servers;

    action drop(in Drop reason) {
        dropped.count((bit<32>)reason);
        mark_to_drop(standard_metadata);
    }

    // TCP and UDP checksums cover the addresses (RFC 793, RFC 768).
    action correct_checksums(in ipv4_address_t before, in ipv4_address_t after) {
        if (hdr.tcp.isValid()) {
            hdr.tcp.checksum = corrected(hdr.tcp.checksum, before, after);
        }
        // 0 says that there is none. One that comes out as 0 is sent as its other form.
        if (hdr.udp.isValid() && hdr.udp.checksum != 0) {
            hdr.udp.checksum = corrected(hdr.udp.checksum, before, after);
            if (hdr.udp.checksum == 0) {
                hdr.udp.checksum = 0xffff;
            }
        }
    }

    action to_server(ipv4_address_t server) {
        correct_checksums(hdr.ipv4.destination, server);
        hdr.ipv4.destination = server;
    }

    // The first three fields say which service it is, the others which connection: a hash of these chooses the
    // server.
    table services {
        key = {
            hdr.ipv4.destination: exact;
            hdr.ipv4.protocol: exact;
            meta.destination_port: exact;
            hdr.ipv4.source: selector;
            meta.source_port: selector;
        }
        actions = {
            to_server;
            NoAction;
        }
        default_action = NoAction();
        implementation = servers;
        size = 256;
    }

    action from_service(ipv4_address_t service) {
        correct_checksums(hdr.ipv4.source, service);
        hdr.ipv4.source = service;
    }

    // What comes back from a server: for which service it spoke.
    table answers {
        key = {
            hdr.ipv4.source: exact;
            hdr.ipv4.protocol: exact;
            meta.source_port: exact;
        }
        actions = {
            from_service;
            NoAction;
        }
        default_action = NoAction();
        counters = returned;
        size = 1024;
    }

    action forward(port_t port, mac_t source, mac_t destination) {
        standard_metadata.egress_spec = port;
        hdr.ethernet.source = source;
        hdr.ethernet.destination = destination;
        hdr.ipv4.time_to_live = hdr.ipv4.time_to_live - 1;
    }

    action no_route() {
        drop(Drop.NO_ROUTE);
    }

    // To servers and clients. There is no route to the address of a service.
    table routes {
        key = { hdr.ipv4.destination: lpm; }
        actions = {
            forward;
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
            if (services.apply().miss) {
                answers.apply();
            }
            routes.apply();
        }
    }
}

control BalancerEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    apply { }
}

control BalancerComputeChecksum(inout headers_t hdr, inout metadata_t meta) {
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

control BalancerDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.tcp);
        packet.emit(hdr.udp);
    }
}

V1Switch(
    BalancerParser(),
    BalancerVerifyChecksum(),
    BalancerIngress(),
    BalancerEgress(),
    BalancerComputeChecksum(),
    BalancerDeparser()
) main;
