// A limiter that is made of registers where `rate_limiter` has meters: a token bucket for each class, filled by the
// time that went by and drained by the bytes that pass. What finds too few tokens is dropped.
//
// Two registers hold a bucket: when its last packet came, and how many tokens were missing then. Counting what is
// missing, and not what is there, lets 0, with which registers begin, mean a full bucket. It also makes the update
// small enough for one stage of a pipelined switch: less what was poured in, not below 0, plus the cost if it fits.
//
// All buckets hold CAPACITY tokens. A class has its own rate and burst all the same, because its entry says how many
// tokens a microsecond brings and how many a byte costs. Both are powers of two, for pipelined switches can shift, and
// few of them multiply.
//
//     rate  = 2^(refill - price) bytes a microsecond       from 62.5 kbit/s to 262 Gbit/s
//     burst = CAPACITY / 2^price bytes                     from 511 bytes to 64 kB
#include <core.p4>
#include <v1model.p4>

typedef bit<9> port_t;
typedef bit<32> ipv4_address_t;
// As wide as the registers are long: an index of this type is never outside of them.
typedef bit<10> class_t;
// Tokens. No sum of them leaves 32 bits: a cost is less than 2^16 * 2^7, and what is poured in less than 2^16 * 2^15.
typedef int<32> tokens_t;

const bit<16> ETHER_TYPE_IPV4 = 0x0800;

const bit<32> CLASSES = 1024;
const tokens_t CAPACITY = 65535;
// Microseconds after which a bucket is full at any rate.
const bit<32> MOST_SILENCE = 65535;

// What becomes of a packet: an index of the counter `verdicts`.
enum bit<3> Verdict {
    FREE = 0,           // in no class: forwarded without limit
    CONFORMING = 1,
    EXCEEDING = 2,      // dropped, as all below
    MALFORMED = 3,
    NO_WIRE = 4         // from a port that leads nowhere
}

error {
    Ipv4Header
}

header ethernet_t {
    bit<48> destination;
    bit<48> source;
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

struct headers_t {
    ethernet_t ethernet;
    ipv4_t ipv4;
}

struct metadata_t {
    class_t class;
    bit<4> refill;
    bit<3> price;
    Verdict verdict;
}

parser BucketParser(
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

    // Options may follow; nothing here looks at them.
    state ipv4 {
        packet.extract(hdr.ipv4);
        verify(hdr.ipv4.version == 4 && hdr.ipv4.header_length >= 5, error.Ipv4Header);
        transition accept;
    }
}

control BucketVerifyChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control BucketIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    counter(8, CounterType.packets_and_bytes) verdicts;

    // When the last packet of the class came: the lower 32 bits of the time in microseconds. They come round every 71
    // minutes; a class that was silent for just so long finds its bucket as it left it.
    register<bit<32>>(CLASSES) last_seen;
    // How many tokens its bucket was short of then.
    register<tokens_t>(CLASSES) missing;

    action forward(port_t port) {
        standard_metadata.egress_spec = port;
    }

    action no_wire() {
        meta.verdict = Verdict.NO_WIRE;
    }

    // The other end of each wire.
    table wires {
        key = { standard_metadata.ingress_port: exact; }
        actions = {
            forward;
            @defaultonly no_wire;
        }
        default_action = no_wire();
        size = 512;
    }

    action limit(class_t class, bit<4> refill, bit<3> price) {
        meta.class = class;
        meta.refill = refill;
        meta.price = price;
    }

    // Whose packets share a bucket. Within a prefix that is limited, some may be free.
    table classes {
        key = {
            standard_metadata.ingress_port: exact;
            hdr.ipv4.source: lpm;
        }
        actions = {
            limit;
            NoAction;
        }
        default_action = NoAction();
        size = 1024;
    }

    apply {
        meta.verdict = Verdict.FREE;
        meta.class = 0;
        tokens_t poured = 0;
        tokens_t cost = 0;
        if (standard_metadata.parser_error != error.NoError) {
            meta.verdict = Verdict.MALFORMED;
        } else if (wires.apply().hit && hdr.ipv4.isValid()) {
            switch (classes.apply().action_run) {
                limit: {
                    meta.verdict = Verdict.CONFORMING;
                    // The whole frame is paid for. A length has 16 bits.
                    cost = (tokens_t)((bit<32>)standard_metadata.packet_length[15:0] << meta.price);

                    bit<32> now = standard_metadata.ingress_global_timestamp[31:0];
                    bit<32> before;
                    @atomic {
                        last_seen.read(before, (bit<32>)meta.class);
                        last_seen.write((bit<32>)meta.class, now);
                    }
                    bit<32> elapsed = now - before;
                    if (elapsed > MOST_SILENCE) {
                        elapsed = MOST_SILENCE;
                    }
                    poured = (tokens_t)(elapsed << meta.refill);
                }
            }
        }

        // Every packet comes by here. One that is not limited pours nothing in and costs nothing: whether to update at
        // all would be a third operand of the update beside these two, and a stage has no third. The two registers may
        // lie in different stages: a packet that comes second to the first also comes second to this one.
        tokens_t short;
        @atomic {
            missing.read(short, (bit<32>)meta.class);
            short = short - poured;
            if (short < 0) {
                short = 0;
            }
            if (short + cost > CAPACITY) {
                meta.verdict = Verdict.EXCEEDING;
            } else {
                short = short + cost;
            }
            missing.write((bit<32>)meta.class, short);
        }

        verdicts.count((bit<32>)(bit<3>)meta.verdict);
        if (meta.verdict != Verdict.FREE && meta.verdict != Verdict.CONFORMING) {
            mark_to_drop(standard_metadata);
        }
    }
}

control BucketEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    apply { }
}

control BucketComputeChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control BucketDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
    }
}

V1Switch(
    BucketParser(),
    BucketVerifyChecksum(),
    BucketIngress(),
    BucketEgress(),
    BucketComputeChecksum(),
    BucketDeparser()
) main;
