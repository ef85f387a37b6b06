// The router that `polyplane-bench` measures. It applies an access list (empty unless it is measured), looks up the
// longest matching prefix and the next hop, rewrites the MAC addresses, decrements the time to live and updates the
// checksum of the IPv4 header.
#include <core.p4>
#include <v1model.p4>

typedef bit<48> mac_t;
typedef bit<32> address_t;
typedef bit<9> port_t;

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
    bit<3> flags;
    bit<13> fragment_offset;
    bit<8> time_to_live;
    bit<8> protocol;
    bit<16> header_checksum;
    address_t source;
    address_t destination;
}

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
    bit<16> next_hop;
}

parser RouterParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            0x0800: ipv4;
            default: accept;
        }
    }

    state ipv4 {
        packet.extract(hdr.ipv4);
        transition select(hdr.ipv4.fragment_offset, hdr.ipv4.protocol) {
            (0, 6): ports;
            (0, 17): ports;
            default: accept;
        }
    }

    state ports {
        packet.extract(hdr.ports);
        transition accept;
    }
}

control RouterVerify(inout headers_t hdr, inout metadata_t meta) {
    apply {
        verify_checksum(
            hdr.ipv4.isValid(),
            {
                hdr.ipv4.version, hdr.ipv4.header_length, hdr.ipv4.type_of_service, hdr.ipv4.total_length,
                hdr.ipv4.identification, hdr.ipv4.flags, hdr.ipv4.fragment_offset, hdr.ipv4.time_to_live,
                hdr.ipv4.protocol, hdr.ipv4.source, hdr.ipv4.destination
            },
            hdr.ipv4.header_checksum,
            HashAlgorithm.csum16);
    }
}

control RouterIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    action drop() {
        mark_to_drop(standard);
    }

    action permit() { }

    table access_list {
        key = {
            hdr.ipv4.source: ternary;
            hdr.ipv4.destination: ternary;
            hdr.ipv4.protocol: ternary;
            hdr.ports.source: range;
            hdr.ports.destination: range;
        }
        actions = {
            permit;
            drop;
        }
        default_action = permit();
        size = 16384;
    }

    action to_next_hop(bit<16> next_hop) {
        meta.next_hop = next_hop;
    }

    table routes {
        key = { hdr.ipv4.destination: lpm; }
        actions = {
            to_next_hop;
            drop;
        }
        default_action = drop();
        size = 131072;
    }

    action forward(port_t port, mac_t source, mac_t destination) {
        standard.egress_spec = port;
        hdr.ethernet.source = source;
        hdr.ethernet.destination = destination;
        hdr.ipv4.time_to_live = hdr.ipv4.time_to_live - 1;
    }

    table next_hops {
        key = { meta.next_hop: exact; }
        actions = {
            forward;
            drop;
        }
        default_action = drop();
        size = 1024;
    }

    apply {
        if (!hdr.ipv4.isValid() || standard.checksum_error == 1 || hdr.ipv4.time_to_live <= 1) {
            drop();
        } else {
            switch (access_list.apply().action_run) {
                permit: {
                    if (routes.apply().hit) {
                        next_hops.apply();
                    }
                }
            }
        }
    }
}

control RouterEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply { }
}

control RouterCompute(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(
            hdr.ipv4.isValid(),
            {
                hdr.ipv4.version, hdr.ipv4.header_length, hdr.ipv4.type_of_service, hdr.ipv4.total_length,
                hdr.ipv4.identification, hdr.ipv4.flags, hdr.ipv4.fragment_offset, hdr.ipv4.time_to_live,
                hdr.ipv4.protocol, hdr.ipv4.source, hdr.ipv4.destination
            },
            hdr.ipv4.header_checksum,
            HashAlgorithm.csum16);
    }
}

control RouterDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.ports);
    }
}

V1Switch(RouterParser(), RouterVerify(), RouterIngress(), RouterEgress(), RouterCompute(), RouterDeparser()) main;
