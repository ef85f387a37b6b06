// A router that finds heavy flows within microseconds, for the Tofino Native Architecture. A count-min sketch with three
// rows counts the packets of each flow in windows of 65.536 microseconds: a place of a row is a pair of the window and the
// count in it, and a register action begins at 1 in a new window, so that nobody has to clear the rows. Packets beyond a
// threshold are marked, and the first of a flow in a window is sent to the control plane as a digest.
//
// Source: G. Cormode, S. Muthukrishnan, "An improved data stream summary: the count-min sketch and its applications",
// Journal of Algorithms 55 (2005).
#include <core.p4>
#include <tna.p4>

typedef bit<48> mac_t;
typedef bit<32> ipv4_address_t;
// A place in a row of the sketch.
typedef bit<12> place_t;

const bit<16> ETHER_TYPE_IPV4 = 0x0800;
const bit<8> PROTOCOL_TCP = 6;
const bit<8> PROTOCOL_UDP = 17;

const bit<32> PLACES = 4096;
// Class selector 1 (RFC 2474, section 4.2.2), below which many networks put traffic that may wait (RFC 3662).
const bit<6> CS1 = 8;
// The value of `digest_type` that selects the digest of a heavy flow.
const DigestType_t HEAVY_FLOW = 1;

// What happened to a packet: an index of the counter `packets`.
enum bit<8> Fate {
    FORWARDED = 0,
    MARKED = 1,             // forwarded, as one of a heavy flow
    NOT_IPV4 = 2,
    CHECKSUM = 3,
    TIME_TO_LIVE = 4,
    NO_ROUTE = 5
}
const bit<32> FATES = 6;

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

// A place of a row: how many packets there were in which window.
struct count_t {
    bit<16> window;
    bit<16> packets;
}

// The message to the control plane.
struct heavy_flow_t {
    ipv4_address_t source;
    ipv4_address_t destination;
    bit<8> protocol;
    bit<16> source_port;
    bit<16> destination_port;
    bit<16> window;
}

struct headers_t {
    ethernet_t ethernet;
    ipv4_t ipv4;
    ports_t ports;
}

struct metadata_t {
    bit<16> source_port;
    bit<16> destination_port;
    bit<16> window;
    bit<16> threshold;
    bool wrong_checksum;
}

parser SketchIngressParser(
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
            default: reject;
        }
    }

    state ports {
        packet.extract(hdr.ports);
        meta.source_port = hdr.ports.source;
        meta.destination_port = hdr.ports.destination;
        transition accept;
    }
}

control SketchIngress(
    inout headers_t hdr,
    inout metadata_t meta,
    in ingress_intrinsic_metadata_t intrinsic,
    in ingress_intrinsic_metadata_from_parser_t from_parser,
    inout ingress_intrinsic_metadata_for_deparser_t for_deparser,
    inout ingress_intrinsic_metadata_for_tm_t for_manager)
{
    Counter<bit<64>, bit<8>>(FATES, CounterType_t.PACKETS_AND_BYTES) packets;

    // Three functions that collide for different flows.
    Hash<place_t>(HashAlgorithm_t.CRC16) first_hash;
    Hash<place_t>(HashAlgorithm_t.CRC32) second_hash;
    CRCPolynomial<bit<32>>(0x1EDC6F41, true, false, false, 0xFFFFFFFF, 0xFFFFFFFF) castagnoli;
    Hash<place_t>(HashAlgorithm_t.CUSTOM, castagnoli) third_hash;

    Register<count_t, place_t>(PLACES) first_row;
    Register<count_t, place_t>(PLACES) second_row;
    Register<count_t, place_t>(PLACES) third_row;

    RegisterAction<count_t, place_t, bit<16>>(first_row) count_in_first = {
        void apply(inout count_t value, out bit<16> result) {
            if (value.window == meta.window) {
                value.packets = value.packets |+| 1;
            } else {
                value.packets = 1;
            }
            value.window = meta.window;
            result = value.packets;
        }
    };
    RegisterAction<count_t, place_t, bit<16>>(second_row) count_in_second = {
        void apply(inout count_t value, out bit<16> result) {
            if (value.window == meta.window) {
                value.packets = value.packets |+| 1;
            } else {
                value.packets = 1;
            }
            value.window = meta.window;
            result = value.packets;
        }
    };
    RegisterAction<count_t, place_t, bit<16>>(third_row) count_in_third = {
        void apply(inout count_t value, out bit<16> result) {
            if (value.window == meta.window) {
                value.packets = value.packets |+| 1;
            } else {
                value.packets = 1;
            }
            value.window = meta.window;
            result = value.packets;
        }
    };

    Fate fate = Fate.FORWARDED;

    action forward(PortId_t port, mac_t source, mac_t destination, bit<16> threshold) {
        for_manager.ucast_egress_port = port;
        hdr.ethernet.source = source;
        hdr.ethernet.destination = destination;
        hdr.ipv4.time_to_live = hdr.ipv4.time_to_live - 1;
        meta.threshold = threshold;
    }

    action no_route() {
        fate = Fate.NO_ROUTE;
    }

    // With how many packets of a flow in a window it is heavy.
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
        meta.window = from_parser.global_tstamp[31:16];
        if (!hdr.ipv4.isValid()) {
            fate = Fate.NOT_IPV4;
        } else if (meta.wrong_checksum) {
            fate = Fate.CHECKSUM;
        } else if (hdr.ipv4.time_to_live <= 1) {
            fate = Fate.TIME_TO_LIVE;
        } else if (routes.apply().hit) {
            place_t first = first_hash.get({
                hdr.ipv4.source, hdr.ipv4.destination, hdr.ipv4.protocol, meta.source_port, meta.destination_port });
            place_t second = second_hash.get({
                hdr.ipv4.source, hdr.ipv4.destination, hdr.ipv4.protocol, meta.source_port, meta.destination_port });
            place_t third = third_hash.get({
                hdr.ipv4.source, hdr.ipv4.destination, hdr.ipv4.protocol, meta.source_port, meta.destination_port });
            bit<16> in_first = count_in_first.execute(first);
            bit<16> in_second = count_in_second.execute(second);
            bit<16> in_third = count_in_third.execute(third);
            bit<16> estimate = min(min(in_first, in_second), in_third);
            if (estimate > meta.threshold) {
                fate = Fate.MARKED;
                hdr.ipv4.differentiated_services = CS1;
                if (estimate - meta.threshold == 1) {
                    for_deparser.digest_type = HEAVY_FLOW;
                }
            }
        }
        if (fate != Fate.FORWARDED && fate != Fate.MARKED) {
            for_deparser.drop_ctl = 1;
        }
        for_manager.bypass_egress = 1;
        packets.count(fate);
    }
}

control SketchIngressDeparser(
    packet_out packet,
    inout headers_t hdr,
    in metadata_t meta,
    in ingress_intrinsic_metadata_for_deparser_t for_deparser)
{
    Checksum() ipv4_checksum;
    Digest<heavy_flow_t>(HEAVY_FLOW) heavy_flow;

    apply {
        if (for_deparser.digest_type == HEAVY_FLOW) {
            heavy_flow.pack({
                hdr.ipv4.source, hdr.ipv4.destination, hdr.ipv4.protocol,
                meta.source_port, meta.destination_port, meta.window
            });
        }
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
    SketchIngressParser(),
    SketchIngress(),
    SketchIngressDeparser(),
    EmptyParser(),
    EmptyEgress(),
    EmptyDeparser()
) pipe;

Switch(pipe) main;
