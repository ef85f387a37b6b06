// An IPv4 router with recursive next hops for the Tofino Native Architecture. A route may lead to a gateway that is not a
// neighbour, as routes of BGP do (RFC 4271, section 9.1.2.1); the way to the gateway is then looked up in the same table.
// A pipe reaches a table once a packet, so such a packet is resubmitted: it begins again as it arrived, with the
// gateway's address in the bytes that otherwise hold the metadata of its port.
#include <core.p4>
#include <tna.p4>

typedef bit<48> mac_t;
typedef bit<32> ipv4_address_t;

const bit<16> ETHER_TYPE_IPV4 = 0x0800;
// The value of `resubmit_type` that selects the resubmission for a gateway.
const ResubmitType_t FOR_GATEWAY = 1;

// What happened to a packet: an index of the counter `packets`. A packet that is resubmitted is counted in each pass.
enum bit<8> Fate {
    FORWARDED = 0,
    RESUBMITTED = 1,
    NOT_IPV4 = 2,
    CHECKSUM = 3,
    TIME_TO_LIVE = 4,
    NO_ROUTE = 5,
    UNRESOLVED = 6          // the way to a gateway leads to another gateway
}
const bit<32> FATES = 7;

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
    ipv4_address_t source;
    ipv4_address_t destination;
}

// What the first pass tells the second: as many bytes as the metadata of a port.
header first_pass_t {
    ipv4_address_t gateway;
    bit<16> route;          // the number of the first route, for the counter of the second pass
    bit<16> reserved;
}

struct headers_t {
    ethernet_t ethernet;
    ipv4_t ipv4;
}

struct metadata_t {
    first_pass_t first_pass;
    ipv4_address_t looked_up;
    ipv4_address_t gateway;
    bit<16> route;
    bool wrong_checksum;
}

parser RouterIngressParser(
    packet_in packet,
    out headers_t hdr,
    out metadata_t meta,
    out ingress_intrinsic_metadata_t intrinsic)
{
    Checksum() ipv4_checksum;

    state start {
        packet.extract(intrinsic);
        transition select(intrinsic.resubmit_flag) {
            0: first_pass;
            1: second_pass;
        }
    }

    state first_pass {
        packet.advance(PORT_METADATA_SIZE);
        transition ethernet;
    }

    state second_pass {
        packet.extract(meta.first_pass);
        transition ethernet;
    }

    state ethernet {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            ETHER_TYPE_IPV4: ipv4;
            default: accept;
        }
    }

    state ipv4 {
        packet.extract(hdr.ipv4);
        ipv4_checksum.add(hdr.ipv4);
        meta.wrong_checksum = ipv4_checksum.verify();
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
    Counter<bit<64>, bit<8>>(FATES, CounterType_t.PACKETS) packets;
    // How often each route to a gateway was resolved.
    Counter<bit<64>, bit<16>>(1024, CounterType_t.PACKETS) resolved;
    Fate fate = Fate.FORWARDED;

    action neighbour(PortId_t port, mac_t source, mac_t destination) {
        for_manager.ucast_egress_port = port;
        hdr.ethernet.source = source;
        hdr.ethernet.destination = destination;
        hdr.ipv4.time_to_live = hdr.ipv4.time_to_live - 1;
    }

    action via(ipv4_address_t gateway, bit<16> route) {
        meta.gateway = gateway;
        meta.route = route;
        for_deparser.resubmit_type = FOR_GATEWAY;
        fate = Fate.RESUBMITTED;
    }

    action no_route() {
        fate = Fate.NO_ROUTE;
    }

    table routes {
        key = { meta.looked_up: lpm; }
        actions = {
            neighbour;
            via;
            no_route;
        }
        default_action = no_route();
        size = 1024;
    }

    apply {
        if (!hdr.ipv4.isValid()) {
            fate = Fate.NOT_IPV4;
        } else if (meta.wrong_checksum) {
            fate = Fate.CHECKSUM;
        } else if (hdr.ipv4.time_to_live <= 1) {
            fate = Fate.TIME_TO_LIVE;
        } else {
            meta.looked_up = hdr.ipv4.destination;
            if (intrinsic.resubmit_flag == 1) {
                meta.looked_up = meta.first_pass.gateway;
            }
            routes.apply();
        }
        if (intrinsic.resubmit_flag == 1) {
            if (fate == Fate.RESUBMITTED) {
                for_deparser.resubmit_type = 0;
                fate = Fate.UNRESOLVED;
            } else if (fate == Fate.FORWARDED) {
                resolved.count(meta.first_pass.route);
            }
        }
        if (fate != Fate.FORWARDED && fate != Fate.RESUBMITTED) {
            for_deparser.drop_ctl = 1;
        }
        for_manager.bypass_egress = 1;
        packets.count(fate);
    }
}

control RouterIngressDeparser(
    packet_out packet,
    inout headers_t hdr,
    in metadata_t meta,
    in ingress_intrinsic_metadata_for_deparser_t for_deparser)
{
    Checksum() ipv4_checksum;
    Resubmit(FOR_GATEWAY) for_gateway;

    apply {
        if (for_deparser.resubmit_type == FOR_GATEWAY) {
            for_gateway.emit<first_pass_t>({ meta.gateway, meta.route, 0 });
        }
        if (hdr.ipv4.isValid()) {
            hdr.ipv4.header_checksum = ipv4_checksum.update({
                hdr.ipv4.version, hdr.ipv4.header_length, hdr.ipv4.type_of_service, hdr.ipv4.total_length,
                hdr.ipv4.identification, hdr.ipv4.flags, hdr.ipv4.fragment_offset,
                hdr.ipv4.time_to_live, hdr.ipv4.protocol,
                hdr.ipv4.source, hdr.ipv4.destination
            });
        }
        packet.emit(hdr);
    }
}

// Packets go from the queue to the port without egress.
parser EmptyParser(packet_in packet, out headers_t hdr, out metadata_t meta, out egress_intrinsic_metadata_t intrinsic) {
    state start {
        packet.extract(intrinsic);
        transition accept;
    }
}

control EmptyEgress(
    inout headers_t hdr,
    inout metadata_t meta,
    in egress_intrinsic_metadata_t intrinsic,
    in egress_intrinsic_metadata_from_parser_t from_parser,
    inout egress_intrinsic_metadata_for_deparser_t for_deparser,
    inout egress_intrinsic_metadata_for_output_port_t for_port)
{
    apply { }
}

control EmptyDeparser(
    packet_out packet,
    inout headers_t hdr,
    in metadata_t meta,
    in egress_intrinsic_metadata_for_deparser_t for_deparser)
{
    apply { }
}

Pipeline(
    RouterIngressParser(),
    RouterIngress(),
    RouterIngressDeparser(),
    EmptyParser(),
    EmptyEgress(),
    EmptyDeparser()
) pipe;

Switch(pipe) main;
