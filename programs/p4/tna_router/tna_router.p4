// An IPv4 router with an access list and policing for the Tofino Native Architecture. The access list denies packets or
// puts them into classes; a class has a meter of bytes, and a next hop one of packets that takes the colour of the class
// into account (RFC 2698). Red packets are dropped, yellow ones are marked. Of the packets of each next hop, every
// fourth is also sent to the CPU as a sample, by a register.
#include <core.p4>
#include <tna.p4>

typedef bit<48> mac_t;
typedef bit<32> ipv4_address_t;
typedef bit<10> next_hop_t;
typedef bit<8> class_t;

const bit<16> ETHER_TYPE_IPV4 = 0x0800;
const bit<8> PROTOCOL_TCP = 6;
const bit<8> PROTOCOL_UDP = 17;

// Every so many packets of a next hop one is a sample.
const bit<16> SAMPLED_ONE_OF = 4;
// Differentiated services code points (RFC 2597, section 6).
const bit<6> AF11 = 10;
const bit<6> AF12 = 12;

// What happened to a packet: an index of the counter `packets`.
enum bit<8> Fate {
    FORWARDED = 0,
    MALFORMED = 1,          // cut short, or options, which this router does not forward
    NOT_IPV4 = 2,
    CHECKSUM = 3,
    TIME_TO_LIVE = 4,
    NO_ROUTE = 5,
    DENIED = 6,             // by the access list
    POLICED = 7             // red
}
const bit<32> FATES = 8;

header ethernet_t {
    mac_t destination;
    mac_t source;
    bit<16> ether_type;
}

header ipv4_t {
    bit<4> version;
    bit<4> header_length;
    bit<6> differentiated_services;
    bit<2> congestion;
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

// What TCP and UDP begin with.
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
    next_hop_t next_hop;
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
        transition select(
            hdr.ipv4.version, hdr.ipv4.header_length, hdr.ipv4.fragment_offset, hdr.ipv4.protocol)
        {
            (4, 5, 0, PROTOCOL_TCP): ports;
            (4, 5, 0, PROTOCOL_UDP): ports;
            (4, 5, _, _): accept;
            // Without a case, the parser ends with PARSER_ERROR_NO_MATCH.
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
    Counter<bit<64>, bit<8>>(FATES, CounterType_t.PACKETS_AND_BYTES) packets;
    DirectCounter<bit<64>>(CounterType_t.PACKETS) matched;
    Meter<class_t>(256, MeterType_t.BYTES) class_rates;
    DirectMeter(MeterType_t.PACKETS) next_hop_rates;
    Register<bit<16>, next_hop_t>(1024) since_sample;

    Fate fate = Fate.FORWARDED;
    bool is_metered = false;
    class_t class = 0;
    bit<16> destination_port = 0;
    MeterColor_t color = MeterColor_t.GREEN;

    RegisterAction<bit<16>, next_hop_t, bit<1>>(since_sample) is_sample = {
        void apply(inout bit<16> value, out bit<1> result) {
            if (value == SAMPLED_ONE_OF - 1) {
                value = 0;
                result = 1;
            } else {
                value = value + 1;
                result = 0;
            }
        }
    };

    action to_next_hop(next_hop_t next_hop) {
        meta.next_hop = next_hop;
    }

    action no_route() {
        fate = Fate.NO_ROUTE;
    }

    table routes {
        key = { hdr.ipv4.destination: lpm; }
        actions = {
            to_next_hop;
            @defaultonly no_route;
        }
        const default_action = no_route();
        size = 4096;
    }

    action permit() {
        matched.count();
    }

    action deny() {
        matched.count();
        fate = Fate.DENIED;
    }

    action meter(class_t number) {
        matched.count();
        is_metered = true;
        class = number;
    }

    // Packets without ports have 0 as destination port.
    table access_list {
        key = {
            hdr.ipv4.source: ternary;
            hdr.ipv4.destination: ternary;
            hdr.ipv4.protocol: ternary;
            destination_port: range;
        }
        actions = {
            permit;
            deny;
            meter;
            @defaultonly NoAction;
        }
        const default_action = NoAction();
        counters = matched;
        size = 512;
    }

    action forward(PortId_t port, mac_t destination) {
        color = (MeterColor_t)next_hop_rates.execute(color);
        for_manager.ucast_egress_port = port;
        hdr.ethernet.destination = destination;
        hdr.ipv4.time_to_live = hdr.ipv4.time_to_live - 1;
    }

    action no_next_hop() {
        fate = Fate.NO_ROUTE;
    }

    table next_hops {
        key = { meta.next_hop: exact; }
        actions = {
            forward;
            @defaultonly no_next_hop;
        }
        const default_action = no_next_hop();
        meters = next_hop_rates;
        size = 1024;
    }

    apply {
        if (from_parser.parser_err != PARSER_ERROR_OK) {
            fate = Fate.MALFORMED;
        } else if (!hdr.ipv4.isValid()) {
            fate = Fate.NOT_IPV4;
        } else if (meta.wrong_checksum) {
            fate = Fate.CHECKSUM;
        } else if (hdr.ipv4.time_to_live <= 1) {
            fate = Fate.TIME_TO_LIVE;
        } else if (routes.apply().hit) {
            if (hdr.ports.isValid()) {
                destination_port = hdr.ports.destination;
            }
            access_list.apply();
            if (is_metered) {
                color = (MeterColor_t)class_rates.execute(class);
            }
            if (fate == Fate.FORWARDED && next_hops.apply().hit) {
                if (color == MeterColor_t.RED) {
                    fate = Fate.POLICED;
                } else {
                    if (is_metered || color == MeterColor_t.YELLOW) {
                        hdr.ipv4.differentiated_services = color == MeterColor_t.YELLOW ? AF12 : AF11;
                    }
                    for_manager.packet_color = color[1:0];
                    for_manager.copy_to_cpu = is_sample.execute(meta.next_hop);
                }
            }
        }
        if (fate != Fate.FORWARDED) {
            for_deparser.drop_ctl = 1;
        }
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

    apply {
        if (hdr.ipv4.isValid()) {
            hdr.ipv4.header_checksum = ipv4_checksum.update({
                hdr.ipv4.version, hdr.ipv4.header_length, hdr.ipv4.differentiated_services, hdr.ipv4.congestion,
                hdr.ipv4.total_length, hdr.ipv4.identification, hdr.ipv4.flags, hdr.ipv4.fragment_offset,
                hdr.ipv4.time_to_live, hdr.ipv4.protocol,
                hdr.ipv4.source, hdr.ipv4.destination
            });
        }
        packet.emit(hdr);
    }
}

parser RouterEgressParser(
    packet_in packet,
    out headers_t hdr,
    out metadata_t meta,
    out egress_intrinsic_metadata_t intrinsic)
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
    DirectCounter<bit<64>>(CounterType_t.PACKETS_AND_BYTES) sent;

    action set_source(mac_t source) {
        sent.count();
        hdr.ethernet.source = source;
    }

    // The router's own address on each port. The CPU has none: a sample has the source of the packet.
    table interfaces {
        key = { intrinsic.egress_port: exact; }
        actions = {
            set_source;
            @defaultonly NoAction;
        }
        const default_action = NoAction();
        counters = sent;
        size = 128;
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
