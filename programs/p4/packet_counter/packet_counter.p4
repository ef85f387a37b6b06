// Counts packets and bytes by class, and forwards by destination address. Which class a packet is in, a table says;
// how many a class has had, anybody may ask by a packet:
//
//     Ethernet, type 0x88b5 | is_answer, class | packets | bytes
//
// A question becomes its answer and goes back to where it came from.
//
// It is the simplest program here that keeps state: two registers, each read, changed and written at one place by each
// packet. That is what one stage of a pipelined switch can do.
#include <core.p4>
#include <v1model.p4>

typedef bit<48> mac_t;
typedef bit<9> port_t;
// As wide as the registers are long: an index of this type is never outside of them.
typedef bit<8> class_t;

const bit<16> ETHER_TYPE_IPV4 = 0x0800;
// For experiments (IEEE 802, "local experimental EtherType 1").
const bit<16> ETHER_TYPE_COUNTS = 0x88b5;

const bit<32> CLASSES = 256;

// What becomes of a packet: an index of the counter `verdicts`.
enum bit<2> Verdict {
    FORWARDED = 0,
    ANSWERED = 1,
    MALFORMED = 2,          // dropped: cut short
    UNKNOWN_STATION = 3     // dropped, but counted in its class: nobody knows where its destination is
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
    bit<32> source;
    bit<32> destination;
}

header counts_t {
    bit<1> is_answer;
    bit<7> reserved;
    class_t class;
    bit<32> packets;
    bit<32> bytes;
}

struct headers_t {
    ethernet_t ethernet;
    ipv4_t ipv4;
    counts_t counts;
}

struct metadata_t {
    // 0 for packets that are not IPv4.
    bit<8> protocol;
    bit<32> source;
    bit<32> destination;
    class_t class;
    Verdict verdict;
}

parser CounterParser(
    packet_in packet,
    out headers_t hdr,
    inout metadata_t meta,
    inout standard_metadata_t standard_metadata)
{
    state start {
        meta.protocol = 0;
        meta.source = 0;
        meta.destination = 0;
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            ETHER_TYPE_IPV4: ipv4;
            ETHER_TYPE_COUNTS: counts;
            default: accept;
        }
    }

    state ipv4 {
        packet.extract(hdr.ipv4);
        meta.protocol = hdr.ipv4.protocol;
        meta.source = hdr.ipv4.source;
        meta.destination = hdr.ipv4.destination;
        transition accept;
    }

    state counts {
        packet.extract(hdr.counts);
        transition accept;
    }
}

control CounterVerifyChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control CounterIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    counter(4, CounterType.packets_and_bytes) verdicts;

    // By class. They wrap: whoever asks often enough takes the difference.
    register<bit<32>>(CLASSES) packets;
    register<bit<32>>(CLASSES) bytes;

    action set_class(class_t class) {
        meta.class = class;
    }

    // Class 0 is everything else.
    table classes {
        key = {
            hdr.ethernet.ether_type: ternary;
            meta.protocol: ternary;
            meta.source: ternary;
            meta.destination: ternary;
        }
        actions = { set_class; }
        default_action = set_class(0);
        size = 256;
    }

    action forward(port_t port) {
        standard_metadata.egress_spec = port;
    }

    action unknown_station() {
        meta.verdict = Verdict.UNKNOWN_STATION;
    }

    table stations {
        key = { hdr.ethernet.destination: exact; }
        actions = {
            forward;
            @defaultonly unknown_station;
        }
        default_action = unknown_station();
        size = 1024;
    }

    action answer(in bit<32> packets_so_far, in bit<32> bytes_so_far) {
        hdr.counts.is_answer = 1;
        hdr.counts.packets = packets_so_far;
        hdr.counts.bytes = bytes_so_far;
        mac_t asker = hdr.ethernet.source;
        hdr.ethernet.source = hdr.ethernet.destination;
        hdr.ethernet.destination = asker;
        standard_metadata.egress_spec = standard_metadata.ingress_port;
        meta.verdict = Verdict.ANSWERED;
    }

    apply {
        meta.verdict = Verdict.FORWARDED;
        if (standard_metadata.parser_error != error.NoError) {
            meta.verdict = Verdict.MALFORMED;
        } else {
            // An answer is a packet like any other: two switches in a row do not play ping-pong.
            bool is_question = hdr.counts.isValid() && hdr.counts.is_answer == 0;
            bit<32> more_packets = 1;
            bit<32> more_bytes = standard_metadata.packet_length;
            if (is_question) {
                // It counts nothing, so that the same two updates serve for it as well.
                more_packets = 0;
                more_bytes = 0;
                meta.class = hdr.counts.class;
            } else {
                classes.apply();
            }

            bit<32> packets_so_far;
            bit<32> bytes_so_far;
            @atomic {
                packets.read(packets_so_far, (bit<32>)meta.class);
                packets_so_far = packets_so_far + more_packets;
                packets.write((bit<32>)meta.class, packets_so_far);
            }
            @atomic {
                bytes.read(bytes_so_far, (bit<32>)meta.class);
                bytes_so_far = bytes_so_far + more_bytes;
                bytes.write((bit<32>)meta.class, bytes_so_far);
            }

            if (is_question) {
                answer(packets_so_far, bytes_so_far);
            } else {
                stations.apply();
            }
        }

        verdicts.count((bit<32>)(bit<2>)meta.verdict);
        if (meta.verdict == Verdict.MALFORMED || meta.verdict == Verdict.UNKNOWN_STATION) {
            mark_to_drop(standard_metadata);
        }
    }
}

control CounterEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    apply { }
}

control CounterComputeChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control CounterDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.counts);
    }
}

V1Switch(
    CounterParser(),
    CounterVerifyChecksum(),
    CounterIngress(),
    CounterEgress(),
    CounterComputeChecksum(),
    CounterDeparser()
) main;
