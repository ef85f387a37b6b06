#include <tna.p4>

struct metadata_t {
    next_hop_t next_hop;
    class_t class;
    bool is_denied;
    bool is_wrong;
    MeterColor_t color;
}

parser RouterIngressParser(
    packet_in packet, out headers_t hdr, out metadata_t meta, out ingress_intrinsic_metadata_t intrinsic)
{
    Checksum() ipv4_checksum;

    state start {
        packet.extract(intrinsic);
        packet.advance(PORT_METADATA_SIZE);
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            0x0800: ipv4;
            default: accept;
        }
    }

    state ipv4 {
        packet.extract(hdr.ipv4);
        ipv4_checksum.add(hdr.ipv4);
        meta.is_wrong = ipv4_checksum.verify();
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

control RouterIngress(
    inout headers_t hdr,
    inout metadata_t meta,
    in ingress_intrinsic_metadata_t intrinsic,
    in ingress_intrinsic_metadata_from_parser_t from_parser,
    inout ingress_intrinsic_metadata_for_deparser_t for_deparser,
    inout ingress_intrinsic_metadata_for_tm_t for_manager)
{
    Meter<class_t>(256, MeterType_t.BYTES) class_rates;
    DirectMeter(MeterType_t.PACKETS) next_hop_rates;
    Register<bit<16>, next_hop_t>(1024) numbers;

    RegisterAction<bit<16>, next_hop_t, bit<16>>(numbers) number = {
        void apply(inout bit<16> value, out bit<16> result) {
            result = value;
            value = value + 1;
        }
    };

    action drop() {
        for_deparser.drop_ctl = 1;
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

    action forward(port_t port, mac_t destination) {
        meta.color = (MeterColor_t)next_hop_rates.execute(meta.color);
        for_manager.ucast_egress_port = port;
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
        if (!hdr.ipv4.isValid() || meta.is_wrong || hdr.ipv4.time_to_live <= 1) {
            drop();
        } else {
            access_list.apply();
            if (meta.is_denied || !routes.apply().hit) {
                drop();
            } else {
                meta.color = (MeterColor_t)class_rates.execute(meta.class);
                if (!next_hops.apply().hit) {
                    drop();
                } else if (meta.color == MeterColor_t.RED) {
                    drop();
                } else {
                    hdr.ipv4.identification = number.execute(meta.next_hop);
                }
            }
        }
    }
}

control RouterIngressDeparser(
    packet_out packet,
    inout headers_t hdr,
    in metadata_t meta,
    in ingress_intrinsic_metadata_for_deparser_t for_deparser)
{
    Checksum() ipv4_checksum;

    apply {
        if (hdr.ipv4.isValid()) {
            hdr.ipv4.header_checksum = ipv4_checksum.update({
                hdr.ipv4.version, hdr.ipv4.header_length, hdr.ipv4.type_of_service, hdr.ipv4.total_length,
                hdr.ipv4.identification, hdr.ipv4.flags, hdr.ipv4.fragment_offset, hdr.ipv4.time_to_live,
                hdr.ipv4.protocol, hdr.ipv4.source, hdr.ipv4.destination
            });
        }
        packet.emit(hdr);
    }
}

parser RouterEgressParser(
    packet_in packet, out headers_t hdr, out metadata_t meta, out egress_intrinsic_metadata_t intrinsic)
{
    state start {
        packet.extract(intrinsic);
        packet.extract(hdr.ethernet);
        transition accept;
    }
}

control RouterEgress(
    inout headers_t hdr,
    inout metadata_t meta,
    in egress_intrinsic_metadata_t intrinsic,
    in egress_intrinsic_metadata_from_parser_t from_parser,
    inout egress_intrinsic_metadata_for_deparser_t for_deparser,
    inout egress_intrinsic_metadata_for_output_port_t for_port)
{
    action set_source(mac_t source) {
        hdr.ethernet.source = source;
    }

    table interfaces {
        key = { intrinsic.egress_port: exact; }
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

control RouterEgressDeparser(
    packet_out packet,
    inout headers_t hdr,
    in metadata_t meta,
    in egress_intrinsic_metadata_for_deparser_t for_deparser)
{
    apply {
        packet.emit(hdr);
    }
}

Pipeline(
    RouterIngressParser(),
    RouterIngress(),
    RouterIngressDeparser(),
    RouterEgressParser(),
    RouterEgress(),
    RouterEgressDeparser()
) pipe;

Switch(pipe) main;
