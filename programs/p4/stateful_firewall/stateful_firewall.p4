// A router between inside and outside that lets TCP in only where inside has opened the connection: the SYN of a
// connection from inside sets two bits of a Bloom filter (CACM 1970), and a packet from outside passes if both are set.
//
// It is the little sister of `firewall`: its memory is two registers of bits, each looked at in one place once a
// packet, so that pipelined switches can hold it. For that both directions of a connection must come to the same bits
// by the same hash: whose address is the inner one is settled first.
#include <core.p4>
#include <v1model.p4>

typedef bit<48> mac_t;
typedef bit<32> ipv4_address_t;
typedef bit<9> port_t;
// As wide as the registers are long: an index of this type is never outside of them.
typedef bit<12> place_t;

const bit<16> ETHER_TYPE_IPV4 = 0x0800;
const bit<8> PROTOCOL_TCP = 6;

// Bits of each register. After n connections a stranger passes with a probability of about (n / BITS)^2.
const bit<32> BITS = 4096;

enum bit<2> Direction {
    WITHIN = 0,             // from inside to inside, or from outside to outside
    OUTGOING = 1,
    INCOMING = 2
}

// What becomes of a packet: an index of the counter `verdicts`.
enum bit<4> Verdict {
    WITHIN = 0,
    OUTGOING = 1,
    CONNECTION = 2,         // from outside, in a connection
    STRANGER = 3,           // dropped, as all below: from outside, in none
    NOT_TCP = 4,            // from outside, without a TCP header that could say whose it is
    MALFORMED = 5,
    NOT_IPV4 = 6,
    CHECKSUM = 7,
    TIME_TO_LIVE = 8,
    NO_ROUTE = 9
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
    bit<32> sequence_number;
    bit<32> acknowledgment_number;
    bit<4> data_offset;
    bit<7> reserved_and_others;
    bit<1> ack;
    bit<1> psh;
    bit<1> rst;
    bit<1> syn;
    bit<1> fin;
    bit<16> window;
    bit<16> checksum;
    bit<16> urgent_pointer;
}

struct headers_t {
    ethernet_t ethernet;
    ipv4_t ipv4;
    tcp_t tcp;
}

struct metadata_t {
    Direction direction;
    // Both ends of the connection: the one inside and the other.
    ipv4_address_t inner;
    ipv4_address_t outer;
    bit<16> inner_port;
    bit<16> outer_port;
    // Its bits, one in each register.
    place_t first;
    place_t second;
    Verdict verdict;
}

parser FirewallParser(
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

    state ipv4 {
        packet.extract(hdr.ipv4);
        verify(hdr.ipv4.version == 4 && hdr.ipv4.header_length == 5, error.Ipv4Header);
        // A fragment that is not the first has no TCP header.
        transition select(hdr.ipv4.fragment_offset, hdr.ipv4.protocol) {
            (0, PROTOCOL_TCP): tcp;
            default: accept;
        }
    }

    state tcp {
        packet.extract(hdr.tcp);
        transition accept;
    }
}

control FirewallVerifyChecksum(inout headers_t hdr, inout metadata_t meta) {
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

control FirewallIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    counter(16, CounterType.packets_and_bytes) verdicts;

    register<bit<1>>(BITS) first_bits;
    register<bit<1>>(BITS) second_bits;

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

    action outgoing() {
        meta.direction = Direction.OUTGOING;
        meta.verdict = Verdict.OUTGOING;
    }

    action incoming() {
        meta.direction = Direction.INCOMING;
        meta.verdict = Verdict.NOT_TCP;
    }

    // Which pairs of ports lead from inside to outside, and which back. All others stay on one side.
    table directions {
        key = {
            standard_metadata.ingress_port: exact;
            standard_metadata.egress_spec: exact;
        }
        actions = {
            outgoing;
            incoming;
            @defaultonly NoAction;
        }
        default_action = NoAction();
        size = 1024;
    }

    // What an answer calls source is what the question called destination.
    action find_bits() {
        bool from_inside = meta.direction == Direction.OUTGOING;
        meta.inner = from_inside ? hdr.ipv4.source : hdr.ipv4.destination;
        meta.outer = from_inside ? hdr.ipv4.destination : hdr.ipv4.source;
        meta.inner_port = from_inside ? hdr.tcp.source_port : hdr.tcp.destination_port;
        meta.outer_port = from_inside ? hdr.tcp.destination_port : hdr.tcp.source_port;
        hash(
            meta.first,
            HashAlgorithm.crc32,
            (bit<12>)0,
            { meta.inner, meta.outer, meta.inner_port, meta.outer_port },
            BITS);
        hash(
            meta.second,
            HashAlgorithm.crc16,
            (bit<12>)0,
            { meta.inner, meta.outer, meta.inner_port, meta.outer_port },
            BITS);
    }

    apply {
        meta.direction = Direction.WITHIN;
        meta.verdict = Verdict.WITHIN;
        if (standard_metadata.parser_error != error.NoError) {
            meta.verdict = Verdict.MALFORMED;
        } else if (!hdr.ipv4.isValid()) {
            meta.verdict = Verdict.NOT_IPV4;
        } else if (standard_metadata.checksum_error == 1) {
            meta.verdict = Verdict.CHECKSUM;
        } else if (hdr.ipv4.time_to_live <= 1) {
            meta.verdict = Verdict.TIME_TO_LIVE;
        } else if (routes.apply().hit) {
            directions.apply();
            if (hdr.tcp.isValid() && meta.direction != Direction.WITHIN) {
                find_bits();

                // SYN without ACK is a question (RFC 9293, section 3.5); whoever inside answers one opens nothing.
                bool opens = meta.direction == Direction.OUTGOING && hdr.tcp.syn == 1 && hdr.tcp.ack == 0;
                bit<1> first;
                bit<1> second;
                // Nothing may come between a read and its write; the two registers need not keep in step, for the
                // answer comes after both bits were set.
                @atomic {
                    first_bits.read(first, (bit<32>)meta.first);
                    if (opens) {
                        first_bits.write((bit<32>)meta.first, 1);
                    }
                }
                @atomic {
                    second_bits.read(second, (bit<32>)meta.second);
                    if (opens) {
                        second_bits.write((bit<32>)meta.second, 1);
                    }
                }

                if (meta.direction == Direction.INCOMING) {
                    if (first == 1 && second == 1) {
                        meta.verdict = Verdict.CONNECTION;
                    } else {
                        meta.verdict = Verdict.STRANGER;
                    }
                }
            }
        }

        verdicts.count((bit<32>)(bit<4>)meta.verdict);
        if (meta.verdict != Verdict.WITHIN && meta.verdict != Verdict.OUTGOING && meta.verdict != Verdict.CONNECTION) {
            mark_to_drop(standard_metadata);
        }
    }
}

control FirewallEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    apply { }
}

control FirewallComputeChecksum(inout headers_t hdr, inout metadata_t meta) {
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

control FirewallDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.tcp);
    }
}

V1Switch(
    FirewallParser(),
    FirewallVerifyChecksum(),
    FirewallIngress(),
    FirewallEgress(),
    FirewallComputeChecksum(),
    FirewallDeparser()
) main;
