// A router that knows its heavy flows: a count-min sketch counts the packets of every flow in three registers, and the
// packets of a flow that has had more than a threshold are marked, so that a queue further on can serve them last.
//
// Three independent hashes choose a cell for the flow in each register (Cormode, Muthukrishnan, "An Improved Data
// Stream Summary: The Count-Min Sketch and its Applications", Journal of Algorithms 2005). Other flows may share a
// cell, so each may say too much and never too little; the least of the three is the estimate.
#include <core.p4>
#include <v1model.p4>

typedef bit<48> mac_t;
typedef bit<32> ipv4_address_t;
typedef bit<9> port_t;
// As wide as the registers are long: an index of this type is never outside of them.
typedef bit<12> cell_t;

const bit<16> ETHER_TYPE_IPV4 = 0x0800;
const bit<8> PROTOCOL_TCP = 6;
const bit<8> PROTOCOL_UDP = 17;

// Cells of each register. After n packets an estimate is too large by more than n * e / CELLS with a probability of at
// most 1 / e^3, 5 % (the paper, theorem 1).
const bit<32> CELLS = 4096;

// What becomes of a packet: an index of the counter `verdicts`.
enum bit<3> Verdict {
    FORWARDED = 0,
    MARKED = 1,         // forwarded, as one of a heavy flow
    MALFORMED = 2,      // dropped, as all below
    NOT_IPV4 = 3,
    CHECKSUM = 4,
    TIME_TO_LIVE = 5,
    NO_ROUTE = 6
}

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
    bit<6> differentiated_services;
    bit<2> congestion;
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
    // 0 for packets that have no ports.
    bit<16> source_port;
    bit<16> destination_port;
    // The cells of the flow, one in each register.
    cell_t first;
    cell_t second;
    cell_t third;
    bit<32> threshold;
    bit<6> code_point;
    Verdict verdict;
}

parser HeavyParser(
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
        // Of a datagram in fragments only the first has ports. All count for one flow, so none is asked for them.
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

control HeavyVerifyChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply {
        verify_checksum(
            hdr.ipv4.isValid(),
            {
                hdr.ipv4.version, hdr.ipv4.header_length, hdr.ipv4.differentiated_services, hdr.ipv4.congestion,
                hdr.ipv4.total_length, hdr.ipv4.identification, hdr.ipv4.reserved, hdr.ipv4.do_not_fragment,
                hdr.ipv4.more_fragments, hdr.ipv4.fragment_offset, hdr.ipv4.time_to_live, hdr.ipv4.protocol,
                hdr.ipv4.source, hdr.ipv4.destination
            },
            hdr.ipv4.header_checksum,
            HashAlgorithm.csum16);
    }
}

control HeavyIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    counter(8, CounterType.packets_and_bytes) verdicts;

    // Packets of the flows that share the cell. The control plane clears all three when a new interval begins.
    register<bit<32>>(CELLS) first_row;
    register<bit<32>>(CELLS) second_row;
    register<bit<32>>(CELLS) third_row;

    action forward(port_t port, mac_t source, mac_t destination) {
        standard_metadata.egress_spec = port;
        hdr.ethernet.source = source;
        hdr.ethernet.destination = destination;
        hdr.ipv4.time_to_live = hdr.ipv4.time_to_live - 1;
    }

    action no_route() {
        meta.verdict = Verdict.NO_ROUTE;
    }

    table routes {
        key = { hdr.ipv4.destination: lpm; }
        actions = {
            forward;
            @defaultonly no_route;
        }
        default_action = no_route();
        size = 1024;
    }

    action watch(bit<32> threshold, bit<6> code_point) {
        meta.threshold = threshold;
        meta.code_point = code_point;
    }

    // From which ports flows are counted, and what makes them heavy. What comes from other ports never gets to the
    // registers.
    table watched {
        key = { standard_metadata.ingress_port: exact; }
        actions = {
            watch;
            @defaultonly NoAction;
        }
        default_action = NoAction();
        size = 512;
    }

    // The rows must not agree on which flows share a cell. CRCs are linear: two flows whose CRCs end alike also do so
    // with the same seed in front, whatever it is. So two rows have different polynomials, and the third has the
    // fields in another order.
    action find_cells() {
        hash(
            meta.first,
            HashAlgorithm.crc32,
            (bit<12>)0,
            {
                hdr.ipv4.source, hdr.ipv4.destination, hdr.ipv4.protocol,
                meta.source_port, meta.destination_port
            },
            CELLS);
        hash(
            meta.second,
            HashAlgorithm.crc16,
            (bit<12>)0,
            {
                hdr.ipv4.source, hdr.ipv4.destination, hdr.ipv4.protocol,
                meta.source_port, meta.destination_port
            },
            CELLS);
        hash(
            meta.third,
            HashAlgorithm.crc32,
            (bit<12>)0,
            {
                meta.source_port, meta.destination_port, hdr.ipv4.protocol,
                hdr.ipv4.destination, hdr.ipv4.source
            },
            CELLS);
    }

    apply {
        meta.verdict = Verdict.FORWARDED;
        if (standard_metadata.parser_error != error.NoError) {
            meta.verdict = Verdict.MALFORMED;
        } else if (!hdr.ipv4.isValid()) {
            meta.verdict = Verdict.NOT_IPV4;
        } else if (standard_metadata.checksum_error == 1) {
            meta.verdict = Verdict.CHECKSUM;
        } else if (hdr.ipv4.time_to_live <= 1) {
            meta.verdict = Verdict.TIME_TO_LIVE;
        } else if (routes.apply().hit && watched.apply().hit) {
            find_cells();

            bit<32> first;
            bit<32> second;
            bit<32> third;
            // Nothing may come between a read and its write; the rows need not keep in step.
            @atomic {
                first_row.read(first, (bit<32>)meta.first);
                first = first + 1;
                first_row.write((bit<32>)meta.first, first);
            }
            @atomic {
                second_row.read(second, (bit<32>)meta.second);
                second = second + 1;
                second_row.write((bit<32>)meta.second, second);
            }
            @atomic {
                third_row.read(third, (bit<32>)meta.third);
                third = third + 1;
                third_row.write((bit<32>)meta.third, third);
            }

            bit<32> estimate = first < second ? first : second;
            estimate = estimate < third ? estimate : third;
            if (estimate > meta.threshold) {
                hdr.ipv4.differentiated_services = meta.code_point;
                meta.verdict = Verdict.MARKED;
            }
        }

        verdicts.count((bit<32>)(bit<3>)meta.verdict);
        if (meta.verdict != Verdict.FORWARDED && meta.verdict != Verdict.MARKED) {
            mark_to_drop(standard_metadata);
        }
    }
}

control HeavyEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    apply { }
}

control HeavyComputeChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(
            hdr.ipv4.isValid(),
            {
                hdr.ipv4.version, hdr.ipv4.header_length, hdr.ipv4.differentiated_services, hdr.ipv4.congestion,
                hdr.ipv4.total_length, hdr.ipv4.identification, hdr.ipv4.reserved, hdr.ipv4.do_not_fragment,
                hdr.ipv4.more_fragments, hdr.ipv4.fragment_offset, hdr.ipv4.time_to_live, hdr.ipv4.protocol,
                hdr.ipv4.source, hdr.ipv4.destination
            },
            hdr.ipv4.header_checksum,
            HashAlgorithm.csum16);
    }
}

control HeavyDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.ports);
    }
}

V1Switch(
    HeavyParser(),
    HeavyVerifyChecksum(),
    HeavyIngress(),
    HeavyEgress(),
    HeavyComputeChecksum(),
    HeavyDeparser()
) main;
