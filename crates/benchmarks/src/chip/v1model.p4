#include <v1model.p4>

struct metadata_t {
    next_hop_t next_hop;
    class_t class;
    bool is_denied;
    // RFC 2698: 0 green, 1 yellow, 2 red.
    bit<32> color;
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
    meter(256, MeterType.bytes) class_rates;
    direct_meter<bit<32>>(MeterType.packets) next_hop_rates;
    register<bit<16>>(1024) numbers;

    action drop() {
        mark_to_drop(standard);
    }

    action permit(class_t class) {
        meta.class = class;
    }

    action deny() {
        meta.is_denied = true;
    }

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
            deny;
        }
        default_action = permit(0);
        size = 16384;
    }

    action to_next_hop(next_hop_t next_hop) {
        meta.next_hop = next_hop;
    }

    action no_route() { }

    table routes {
        key = { hdr.ipv4.destination: lpm; }
        actions = {
            to_next_hop;
            @defaultonly no_route;
        }
        default_action = no_route();
        size = 131072;
    }

    // A direct meter of v1model cannot take the colour of another into account: the worse of both counts.
    bit<32> own_color;

    action forward(port_t port, mac_t destination) {
        next_hop_rates.read(own_color);
        standard.egress_spec = port;
        hdr.ethernet.destination = destination;
        hdr.ipv4.time_to_live = hdr.ipv4.time_to_live - 1;
    }

    action no_next_hop() { }

    table next_hops {
        key = { meta.next_hop: exact; }
        actions = {
            forward;
            @defaultonly no_next_hop;
        }
        default_action = no_next_hop();
        meters = next_hop_rates;
        size = 1024;
    }

    apply {
        if (!hdr.ipv4.isValid() || standard.checksum_error == 1 || hdr.ipv4.time_to_live <= 1) {
            drop();
        } else {
            access_list.apply();
            if (meta.is_denied || !routes.apply().hit) {
                drop();
            } else {
                class_rates.execute_meter((bit<32>)meta.class, meta.color);
                if (!next_hops.apply().hit) {
                    drop();
                } else if (meta.color == 2 || own_color == 2) {
                    drop();
                } else {
                    bit<16> number;
                    numbers.read(number, (bit<32>)meta.next_hop);
                    numbers.write((bit<32>)meta.next_hop, number + 1);
                    hdr.ipv4.identification = number;
                }
            }
        }
    }
}

control RouterEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    action set_source(mac_t source) {
        hdr.ethernet.source = source;
    }

    table interfaces {
        key = { standard.egress_port: exact; }
        actions = {
            set_source;
            NoAction;
        }
        default_action = NoAction();
        size = 512;
    }

    apply {
        interfaces.apply();
    }
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
