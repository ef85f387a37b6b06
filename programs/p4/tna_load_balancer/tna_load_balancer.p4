// A load balancer for the Tofino Native Architecture: clients know one address for a service, and an action selector
// chooses the server behind it by a hash of the connection. On the way back the server's address is replaced by the
// service's (RFC 3022). The checksums of TCP and UDP are updated without the payload: the parser subtracts the addresses
// and the checksum, and what remains is one of the things that the deparser sums (RFC 1624).
#include <core.p4>
#include <tna.p4>

typedef bit<48> mac_t;
typedef bit<32> ipv4_address_t;

const bit<16> ETHER_TYPE_IPV4 = 0x0800;
const bit<8> PROTOCOL_TCP = 6;
const bit<8> PROTOCOL_UDP = 17;

// What happened to a packet: an index of the counter `packets`.
enum bit<8> Fate {
    TO_SERVER = 0,
    TO_CLIENT = 1,
    OTHER = 2,              // forwarded, but not of a service
    NOT_IPV4 = 3,
    CHECKSUM = 4,
    TIME_TO_LIVE = 5,
    NO_ROUTE = 6
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

header tcp_t {
    bit<16> source_port;
    bit<16> destination_port;
    bit<32> sequence;
    bit<32> acknowledgement;
    bit<4> data_offset;
    bit<4> reserved;
    bit<8> flags;
    bit<16> window;
    bit<16> checksum;
    bit<16> urgent;
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
    // The sum of all that the transport checksum covers but the addresses.
    bit<16> rest;
    bool wrong_checksum;
    bool has_ports;
}

parser BalancerIngressParser(
    packet_in packet,
    out headers_t hdr,
    out metadata_t meta,
    out ingress_intrinsic_metadata_t intrinsic)
{
    Checksum() ipv4_checksum;
    Checksum() tcp_checksum;
    Checksum() udp_checksum;

    state start {
        packet.extract(intrinsic);
        packet.advance(PORT_METADATA_SIZE);
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
        tcp_checksum.subtract({ hdr.ipv4.source, hdr.ipv4.destination });
        udp_checksum.subtract({ hdr.ipv4.source, hdr.ipv4.destination });
        // Without options. Fragments have no ports, or a part of what their checksum covers.
        transition select(
            hdr.ipv4.version, hdr.ipv4.header_length, hdr.ipv4.flags, hdr.ipv4.fragment_offset, hdr.ipv4.protocol)
        {
            (4, 5, 0 &&& 1, 0, PROTOCOL_TCP): tcp;
            (4, 5, 0 &&& 1, 0, PROTOCOL_UDP): udp;
            (4, 5, _, _, _): accept;
            default: reject;
        }
    }

    state tcp {
        packet.extract(hdr.tcp);
        tcp_checksum.subtract({ hdr.tcp.checksum });
        tcp_checksum.subtract_all_and_deposit(meta.rest);
        meta.has_ports = true;
        meta.source_port = hdr.tcp.source_port;
        meta.destination_port = hdr.tcp.destination_port;
        transition accept;
    }

    state udp {
        packet.extract(hdr.udp);
        udp_checksum.subtract({ hdr.udp.checksum });
        udp_checksum.subtract_all_and_deposit(meta.rest);
        meta.has_ports = true;
        meta.source_port = hdr.udp.source_port;
        meta.destination_port = hdr.udp.destination_port;
        transition accept;
    }
}

control BalancerIngress(
    inout headers_t hdr,
    inout metadata_t meta,
    in ingress_intrinsic_metadata_t intrinsic,
    in ingress_intrinsic_metadata_from_parser_t from_parser,
    inout ingress_intrinsic_metadata_for_deparser_t for_deparser,
    inout ingress_intrinsic_metadata_for_tm_t for_manager)
{
    Counter<bit<64>, bit<8>>(FATES, CounterType_t.PACKETS) packets;
    DirectCounter<bit<64>>(CounterType_t.PACKETS_AND_BYTES) returned;
    Fate fate = Fate.OTHER;

    ActionProfile(1024) servers;
    Hash<bit<16>>(HashAlgorithm_t.CRC16) connection;
    ActionSelector(servers, connection, SelectorMode_t.FAIR, 120, 64) balancing;

    action to_server(ipv4_address_t server) {
        hdr.ipv4.destination = server;
        fate = Fate.TO_SERVER;
    }

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
            @defaultonly NoAction;
        }
        const default_action = NoAction();
        implementation = balancing;
        size = 64;
    }

    action from_service(ipv4_address_t service) {
        returned.count();
        hdr.ipv4.source = service;
        fate = Fate.TO_CLIENT;
    }

    table answers {
        key = {
            hdr.ipv4.source: exact;
            hdr.ipv4.protocol: exact;
            meta.source_port: exact;
        }
        actions = {
            from_service;
            @defaultonly NoAction;
        }
        const default_action = NoAction();
        counters = returned;
        size = 1024;
    }

    action forward(PortId_t port, mac_t source, mac_t destination) {
        for_manager.ucast_egress_port = port;
        hdr.ethernet.source = source;
        hdr.ethernet.destination = destination;
        hdr.ipv4.time_to_live = hdr.ipv4.time_to_live - 1;
    }

    action no_route() {
        fate = Fate.NO_ROUTE;
    }

    table routes {
        key = { hdr.ipv4.destination: lpm; }
        actions = {
            forward;
            @defaultonly no_route;
        }
        const default_action = no_route();
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
            if (meta.has_ports) {
                if (!services.apply().hit) {
                    answers.apply();
                }
            }
            routes.apply();
        }
        if (fate != Fate.TO_SERVER && fate != Fate.TO_CLIENT && fate != Fate.OTHER) {
            for_deparser.drop_ctl = 1;
        }
        for_manager.bypass_egress = 1;
        packets.count(fate);
    }
}

control BalancerIngressDeparser(
    packet_out packet,
    inout headers_t hdr,
    in metadata_t meta,
    in ingress_intrinsic_metadata_for_deparser_t for_deparser)
{
    Checksum() ipv4_checksum;
    Checksum() tcp_checksum;
    Checksum() udp_checksum;

    apply {
        if (hdr.ipv4.isValid()) {
            hdr.ipv4.header_checksum = ipv4_checksum.update({
                hdr.ipv4.version, hdr.ipv4.header_length, hdr.ipv4.type_of_service, hdr.ipv4.total_length,
                hdr.ipv4.identification, hdr.ipv4.flags, hdr.ipv4.fragment_offset,
                hdr.ipv4.time_to_live, hdr.ipv4.protocol,
                hdr.ipv4.source, hdr.ipv4.destination
            });
        }
        if (hdr.tcp.isValid()) {
            hdr.tcp.checksum = tcp_checksum.update({ hdr.ipv4.source, hdr.ipv4.destination, meta.rest });
        }
        // RFC 768: 0 says that there is no checksum, so one that is computed as 0 is sent as all ones.
        if (hdr.udp.isValid() && hdr.udp.checksum != 0) {
            hdr.udp.checksum = udp_checksum.update({ hdr.ipv4.source, hdr.ipv4.destination, meta.rest }, true);
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
    BalancerIngressParser(),
    BalancerIngress(),
    BalancerIngressDeparser(),
    EmptyParser(),
    EmptyEgress(),
    EmptyDeparser()
) pipe;

Switch(pipe) main;
