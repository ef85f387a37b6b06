// ATP's in-network aggregation for the Tofino Native Architecture (Lao et al., "ATP: In-network Aggregation for Multi-tenant
// Learning", NSDI 2021; sections, figures and appendices below are the paper's). Gradient packets of a job's workers meet in
// aggregators, which are shared by all jobs, first come, first served. The last packet of a fragment carries the sum on.
//
// A pass can read or write each register once, and there are stages for 31 values. A packet has 62 values, so it takes two passes:
//
//   first pass ──> resubmitted, which drops the first half ──> second pass ──> absorbed       all but the last packet
//   first pass ──> egress ──> recirculation port ──> second pass ──> egress ──> port           one that carries values on
//   first pass ──> egress ──> port, or the group's ports                                       one that carries none on
//
// Packets of 31 values take one pass. Other packets are routed as plain IPv4.
#include <core.p4>
#include <tna.p4>

// The number of aggregators. Each of the 31 registers of values has two places for each.
#ifndef AGGREGATORS
#define AGGREGATORS 32768
#endif

// All values of a half, by number.
#define EACH_VALUE(DO) \
    DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) \
    DO(11) DO(12) DO(13) DO(14) DO(15) DO(16) DO(17) DO(18) DO(19) DO(20) \
    DO(21) DO(22) DO(23) DO(24) DO(25) DO(26) DO(27) DO(28) DO(29) DO(30)

typedef bit<48> mac_t;
typedef bit<32> ipv4_address_t;
// One-hot: a worker at the first edge switch, or a first-level switch at the second one (3.3).
typedef bit<32> bitmap_t;
// The number of the job (8 bits) and of the fragment (24).
typedef bit<32> identifier_t;
typedef bit<16> index_t;
// A level of switches that add up, from 0 on.
typedef bit<3> level_t;
// A value of an aggregator: its index twice, plus 1 for the second half.
typedef bit<17> place_t;
typedef int<32> value_t;
// Units of 1,024 ns, of which registers hold 32 bits.
typedef bit<32> time_t;

const bit<16> ETHER_TYPE_IPV4 = 0x0800;
const bit<8> PROTOCOL_UDP = 17;
const bit<16> ATP_PORT = 42992;
// IPv4 and UDP lengths of a packet with 62 values, and of one with 31; and of both with the fields of further levels.
const bit<16> TWO_HALVES_IPV4 = 292;
const bit<16> TWO_HALVES_UDP = 272;
const bit<16> ONE_HALF_IPV4 = 168;
const bit<16> ONE_HALF_UDP = 148;
const bit<16> TWO_HALVES_LEVELS_IPV4 = 308;
const bit<16> TWO_HALVES_LEVELS_UDP = 288;
const bit<16> ONE_HALF_LEVELS_IPV4 = 184;
const bit<16> ONE_HALF_LEVELS_UDP = 164;
const bit<32> HALF = 31 * 32;

// Saturated values, which stay as they are (3.8).
const value_t MOST = 0x7fffffff;
const value_t LEAST = -0x80000000;

const identifier_t EMPTY = 0;
// What a first-level switch takes the values out of until the second pass is over. No packet has it: it is of job 0.
const identifier_t TAKEN_OUT = 1;

const ResubmitType_t FOR_SECOND_HALF = 1;
// Local ports 68 to 71 of each pipe recirculate.
const bit<7> RECIRCULATION_PORT = 68;
const PortId_t RECIRCULATION_PORTS = 0x044;
const PortId_t RECIRCULATION_MASK = 0x07c;

// What a pass does with the values of an aggregator.
enum bit<8> Operation {
    NONE = 0,
    SET = 1,
    ADD = 2,                // the packet gets the sum
    READ = 3
}

// What happened to a packet in a pass: an index of the counter `packets`.
enum bit<8> Fate {
    ROUTED = 0,             // other than ATP
    ALLOCATED = 1,          // absorbed by an aggregator that was empty
    AGGREGATED = 2,         // absorbed
    DUPLICATE = 3,          // absorbed, without its values
    COMPLETE = 4,           // goes on with the sum
    COLLISION = 5,          // goes on: the aggregator is in use
    TAKEN = 6,              // sent again: goes on with what was aggregated, at the first level
    DISCARDED = 7,          // sent again: goes on alone, and what was aggregated is discarded
    PASSED = 8,             // sent again: goes on, for no aggregator is its own
    UNTOUCHED = 9,          // goes on as it is: nothing is aggregated here for it
    PARAMETER = 10,
    FREED = 11,             // a parameter packet that freed an aggregator
    SECOND_PASS = 12,
    OVERTAKEN = 13,         // in its second pass: absorbed, for its sum could not be trusted
    MALFORMED = 14,
    NOT_IPV4 = 15,
    CHECKSUM = 16,
    TIME_TO_LIVE = 17,
    NO_ROUTE = 18
}
const bit<32> FATES = 19;

// Stands in front of ATP's packets between the gresses and on the recirculation port.
header internal_t {
    Operation operation;    // of the second pass, if the packet recirculates
    bit<1> is_recirculated;
    bit<1> frees;           // the second pass frees the aggregator
    bit<5> reserved;
    PortId_t port;          // the port that the packet goes to, or
    MulticastGroupId_t group;   // the group, if it is not 0
    bitmap_t bitmap;        // the packet's own bit
    bitmap_t merged;        // the bits of all that its values come from
}

// What the first pass tells the second one of a packet that is resubmitted: as many bytes as the metadata of a port.
header first_pass_t {
    Operation operation;
    bit<56> reserved;
}

header ethernet_t {
    mac_t destination;
    mac_t source;
    bit<16> ether_type;
}

header ipv4_t {
    bit<4> version;
    bit<4> header_length;
    bit<6> code_point;
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

header udp_t {
    bit<16> source_port;
    bit<16> destination_port;
    bit<16> length;
    bit<16> checksum;
}

// Figure 5; the widths are Polyplane's (docs/transports/atp.md).
header atp_t {
    bitmap_t bitmap0;
    bitmap_t bitmap1;
    bit<5> fan_in0;         // 0 stands for 32
    bit<5> fan_in1;
    bit<1> overflow;        // 1: original values, which go straight to the server
    bit<1> resend;
    bit<1> collision;
    bit<1> congestion;
    bit<1> edge;            // 1: past the first level
    bit<1> is_ack;          // 1: a parameter packet
    identifier_t identifier;
    index_t index;
}

// In packets of jobs with more than two levels (A.2): the fields of the third to the fifth level. A packet that has left the last one
// is on its way to level 5.
header levels_t {
    bitmap_t bitmap2;
    bitmap_t bitmap3;
    bitmap_t bitmap4;
    level_t level;          // the one that the packet is on its way to; atp.edge says whether it is the first
    bit<14> reserved;
    bit<5> fan_in2;         // 0 stands for 32
    bit<5> fan_in3;
    bit<5> fan_in4;
}

#define VALUE_FIELD(N) value_t value_##N;
header half_t {
    EACH_VALUE(VALUE_FIELD)
}

struct headers_t {
    internal_t internal;
    ethernet_t ethernet;
    ipv4_t ipv4;
    udp_t udp;
    atp_t atp;
    levels_t levels;
    half_t passed;          // the half that the first pass has worked on
    half_t half;            // the half that this pass works on
}

struct metadata_t {
    first_pass_t first_pass;
    Operation second_pass;  // of a packet that is to be resubmitted
    bool wrong_checksum;
}

// Who has an aggregator, and since when nothing was aggregated. One access must see both, to free what is too old (3.7).
struct aggregator_t {
    identifier_t identifier;
    time_t updated;
}

parser AtpIngressParser(
    packet_in packet,
    out headers_t hdr,
    out metadata_t meta,
    out ingress_intrinsic_metadata_t intrinsic)
{
    Checksum() ipv4_checksum;

    state start {
        packet.extract(intrinsic);
        transition select(intrinsic.resubmit_flag, intrinsic.ingress_port) {
            (1, _): resubmitted;
            (0, RECIRCULATION_PORTS &&& RECIRCULATION_MASK): recirculated;
            default: first_pass;
        }
    }

    state first_pass {
        packet.advance(PORT_METADATA_SIZE);
        transition ethernet;
    }

    state resubmitted {
        packet.extract(meta.first_pass);
        transition ethernet;
    }

    state recirculated {
        packet.advance(PORT_METADATA_SIZE);
        packet.extract(hdr.internal);
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
        transition select(
            hdr.ipv4.version, hdr.ipv4.header_length, hdr.ipv4.flags, hdr.ipv4.fragment_offset, hdr.ipv4.protocol,
            hdr.ipv4.total_length)
        {
            (4, 5, 0 &&& 1, 0, PROTOCOL_UDP, TWO_HALVES_IPV4): udp;
            (4, 5, 0 &&& 1, 0, PROTOCOL_UDP, ONE_HALF_IPV4): udp;
            (4, 5, 0 &&& 1, 0, PROTOCOL_UDP, TWO_HALVES_LEVELS_IPV4): udp;
            (4, 5, 0 &&& 1, 0, PROTOCOL_UDP, ONE_HALF_LEVELS_IPV4): udp;
            (4, 5, _, _, _, _): accept;
            // Without a case, the parser ends with PARSER_ERROR_NO_MATCH.
        }
    }

    state udp {
        packet.extract(hdr.udp);
        transition select(hdr.udp.destination_port, hdr.udp.length, hdr.ipv4.total_length) {
            (ATP_PORT, TWO_HALVES_UDP, TWO_HALVES_IPV4): atp;
            (ATP_PORT, ONE_HALF_UDP, ONE_HALF_IPV4): atp;
            (ATP_PORT, TWO_HALVES_LEVELS_UDP, TWO_HALVES_LEVELS_IPV4): atp_with_levels;
            (ATP_PORT, ONE_HALF_LEVELS_UDP, ONE_HALF_LEVELS_IPV4): atp_with_levels;
            default: accept;
        }
    }

    state atp {
        packet.extract(hdr.atp);
        transition values;
    }

    state atp_with_levels {
        packet.extract(hdr.atp);
        packet.extract(hdr.levels);
        transition values;
    }

    state values {
        transition select(intrinsic.resubmit_flag, intrinsic.ingress_port, hdr.atp.is_ack) {
            (1, _, _): shifted;
            (_, RECIRCULATION_PORTS &&& RECIRCULATION_MASK, _): passed;
            (_, _, 0): half;
            default: accept;
        }
    }

    // The first half is not needed again (C, `force_shift`).
    state shifted {
        packet.advance(HALF);
        transition half;
    }

    state passed {
        packet.extract(hdr.passed);
        transition half;
    }

    state half {
        packet.extract(hdr.half);
        transition accept;
    }
}

control AtpIngress(
    inout headers_t hdr,
    inout metadata_t meta,
    in ingress_intrinsic_metadata_t intrinsic,
    in ingress_intrinsic_metadata_from_parser_t from_parser,
    inout ingress_intrinsic_metadata_for_deparser_t for_deparser,
    inout ingress_intrinsic_metadata_for_tm_t for_manager)
{
    Counter<bit<64>, bit<8>>(FATES, CounterType_t.PACKETS) packets;
    // Stage 1.
    Register<aggregator_t, index_t>(AGGREGATORS) aggregators;
    // Stage 2: who has been aggregated.
    Register<bitmap_t, index_t>(AGGREGATORS) bitmaps;
    // Stage 3: of how many workers or switches, and whether any packet had its ECN flag set.
    Register<bit<8>, index_t>(AGGREGATORS) counters;
    Register<bit<8>, index_t>(AGGREGATORS) congestion;
    // The sum of the bits whose second halves have been aggregated, 0 until the first one is. It equals the bitmap if each second
    // half has been aggregated once.
    Register<bitmap_t, index_t>(AGGREGATORS) second_halves;

    Fate fate = Fate.ROUTED;
    bool has_route = false;
    bool has_two_halves = false;
    bool is_first_level = false;
    level_t level = 0;
    bool is_served = false;
    level_t own_level = 0;
    bool is_aggregated = false;
    bool is_new = false;
    bool carries_on = false;
    bool frees = false;
    bool is_own = false;
    identifier_t owner = EMPTY;
    identifier_t left = EMPTY;
    bitmap_t bitmap = 0;
    bitmap_t before = 0;
    bitmap_t merged = 0;
    bit<8> fan_in = 0;
    bit<8> count = 0;
    bit<8> merged_congestion = 0;
    bitmap_t halves = 0;
    place_t place = 0;
    time_t now = 0;
    time_t oldest = 0;
    time_t oldest_age = 0;
    Operation operation = Operation.NONE;
    PortId_t out_port = 0;
    MulticastGroupId_t out_group = 0;

    // A packet that has not been sent again takes an empty aggregator, and is aggregated in its own (Figure 7, box 1).
    RegisterAction<aggregator_t, index_t, identifier_t>(aggregators) claim = {
        void apply(inout aggregator_t value, out identifier_t result) {
            result = value.identifier;
            if (value.identifier == EMPTY || value.identifier == hdr.atp.identifier) {
                value.identifier = hdr.atp.identifier;
                value.updated = now;
            }
        }
    };

    // A packet that has been sent again frees its own aggregator (Figure 17, boxes 3 and 7), at once or after its second pass.
    RegisterAction<aggregator_t, index_t, identifier_t>(aggregators) leave = {
        void apply(inout aggregator_t value, out identifier_t result) {
            result = value.identifier;
            if (value.identifier == hdr.atp.identifier) {
                value.identifier = left;
                value.updated = 0;
            }
        }
    };

    // A parameter packet frees its own aggregator, and any that is too old (3.7). The result is what it freed.
    RegisterAction<aggregator_t, index_t, identifier_t>(aggregators) free = {
        void apply(inout aggregator_t value, out identifier_t result) {
            result = EMPTY;
            if (value.identifier == hdr.atp.identifier || (int<32>)(value.updated - oldest) < 0) {
                result = value.identifier;
                value.identifier = EMPTY;
                value.updated = 0;
            }
        }
    };

    // The second pass of a packet that takes values out.
    RegisterAction<aggregator_t, index_t, identifier_t>(aggregators) empty = {
        void apply(inout aggregator_t value, out identifier_t result) {
            result = value.identifier;
            if (value.identifier == TAKEN_OUT) {
                value.identifier = EMPTY;
                value.updated = 0;
            }
        }
    };

    RegisterAction<aggregator_t, index_t, identifier_t>(aggregators) who_has = {
        void apply(inout aggregator_t value, out identifier_t result) {
            result = value.identifier;
        }
    };

    RegisterAction<bitmap_t, index_t, bitmap_t>(bitmaps) begin_bitmap = {
        void apply(inout bitmap_t value) {
            value = bitmap;
        }
    };

    // Read, then set, in one access: setting a bit that is set changes nothing (section 4).
    RegisterAction<bitmap_t, index_t, bitmap_t>(bitmaps) join_bitmap = {
        void apply(inout bitmap_t value, out bitmap_t result) {
            result = value;
            value = value | bitmap;
        }
    };

    RegisterAction<bitmap_t, index_t, bitmap_t>(bitmaps) clear_bitmap = {
        void apply(inout bitmap_t value, out bitmap_t result) {
            result = value;
            value = 0;
        }
    };

    RegisterAction<bit<8>, index_t, bit<8>>(counters) begin_count = {
        void apply(inout bit<8> value) {
            value = 1;
        }
    };

    RegisterAction<bit<8>, index_t, bit<8>>(counters) increment = {
        void apply(inout bit<8> value, out bit<8> result) {
            value = value + 1;
            result = value;
        }
    };

    RegisterAction<bit<8>, index_t, bit<8>>(counters) clear_count = {
        void apply(inout bit<8> value) {
            value = 0;
        }
    };

    RegisterAction<bit<8>, index_t, bit<8>>(congestion) begin_congestion = {
        void apply(inout bit<8> value) {
            value = (bit<8>)hdr.atp.congestion;
        }
    };

    // The flag is merged into the aggregator (Figure 7, box 7).
    RegisterAction<bit<8>, index_t, bit<8>>(congestion) merge_congestion = {
        void apply(inout bit<8> value, out bit<8> result) {
            value = value | (bit<8>)hdr.atp.congestion;
            result = value;
        }
    };

    RegisterAction<bit<8>, index_t, bit<8>>(congestion) clear_congestion = {
        void apply(inout bit<8> value, out bit<8> result) {
            result = value;
            value = 0;
        }
    };

    RegisterAction<bitmap_t, index_t, bitmap_t>(second_halves) no_second_half = {
        void apply(inout bitmap_t value) {
            value = 0;
        }
    };

    RegisterAction<bitmap_t, index_t, bitmap_t>(second_halves) first_second_half = {
        void apply(inout bitmap_t value) {
            value = bitmap;
        }
    };

    RegisterAction<bitmap_t, index_t, bitmap_t>(second_halves) further_second_half = {
        void apply(inout bitmap_t value, out bitmap_t result) {
            if (value != 0) {
                value = value + bitmap;
            }
            result = value;
        }
    };

    RegisterAction<bitmap_t, index_t, bitmap_t>(second_halves) all_second_halves = {
        void apply(inout bitmap_t value, out bitmap_t result) {
            result = value;
        }
    };

    // Stages 4 to 11: the values. One that is saturated stays so (3.8), whether it is in the aggregator or in the packet, which may
    // have the sum of a rack. Each action compares the value of the register with two numbers, as the chip can.
#define VALUE_REGISTER(N) \
    Register<value_t, place_t>(2 * AGGREGATORS) values_##N; \
    RegisterAction<value_t, place_t, value_t>(values_##N) set_##N = { \
        void apply(inout value_t value) { \
            value = hdr.half.value_##N; \
        } \
    }; \
    RegisterAction<value_t, place_t, value_t>(values_##N) add_##N = { \
        void apply(inout value_t value, out value_t result) { \
            if (value != MOST && value != LEAST) { \
                value = value |+| hdr.half.value_##N; \
            } \
            result = value; \
        } \
    }; \
    RegisterAction<value_t, place_t, value_t>(values_##N) saturate_##N = { \
        void apply(inout value_t value, out value_t result) { \
            if (value != MOST && value != LEAST) { \
                value = hdr.half.value_##N; \
            } \
            result = value; \
        } \
    }; \
    RegisterAction<value_t, place_t, value_t>(values_##N) read_##N = { \
        void apply(inout value_t value, out value_t result) { \
            result = value; \
        } \
    };
    EACH_VALUE(VALUE_REGISTER)

    action route(bit<16> port) {
        out_port = (PortId_t)port;
        has_route = true;
    }

    table ipv4 {
        key = { hdr.ipv4.destination: lpm; }
        actions = {
            route;
            @defaultonly NoAction;
        }
        const default_action = NoAction();
        size = 4096;
    }

    action multicast(MulticastGroupId_t group) {
        out_group = group;
        has_route = true;
    }

    // The multicast trees by which servers reach the workers of their jobs (3.2).
    table groups {
        key = { hdr.ipv4.destination: exact; }
        actions = {
            multicast;
            @defaultonly NoAction;
        }
        const default_action = NoAction();
        size = 4096;
    }

    action set_age(time_t age) {
        oldest_age = age;
    }

    // From which age on parameter packets free aggregators of others, in units of 1,024 ns. The default is 36 minutes.
    table ageing {
        actions = { set_age; }
        default_action = set_age(0x7fffffff);
        size = 1;
    }

    // The level at which this switch aggregates a job, from 0 on. Packets of other levels go on untouched, for their bits mean others
    // than those in the job's aggregators here.
    action aggregate(level_t level) {
        own_level = level;
        is_served = true;
    }

    table jobs {
        key = { hdr.atp.identifier[31:24]: exact @name("hdr.atp.job"); }
        actions = {
            aggregate;
            @defaultonly NoAction;
        }
        const default_action = NoAction();
        size = 256;
    }

    // Which bitmap and fan-in are those of a level (Figure 7, box 3).
    action look_at_level_0() {
        is_first_level = true;
        bitmap = hdr.atp.bitmap0;
        fan_in = (bit<8>)hdr.atp.fan_in0;
    }

    action look_at_level_1() {
        bitmap = hdr.atp.bitmap1;
        fan_in = (bit<8>)hdr.atp.fan_in1;
    }

    action look_at_level_2() {
        bitmap = hdr.levels.bitmap2;
        fan_in = (bit<8>)hdr.levels.fan_in2;
    }

    action look_at_level_3() {
        bitmap = hdr.levels.bitmap3;
        fan_in = (bit<8>)hdr.levels.fan_in3;
    }

    action look_at_level_4() {
        bitmap = hdr.levels.bitmap4;
        fan_in = (bit<8>)hdr.levels.fan_in4;
    }

    // Packets without the fields of further levels have the levels 0 and 1, and others 0 to 4.
    table fields_of_level {
        key = { level: exact; }
        actions = {
            look_at_level_0;
            look_at_level_1;
            look_at_level_2;
            look_at_level_3;
            look_at_level_4;
            @defaultonly NoAction;
        }
        const entries = {
            0: look_at_level_0();
            1: look_at_level_1();
            2: look_at_level_2();
            3: look_at_level_3();
            4: look_at_level_4();
        }
        const default_action = NoAction();
        size = 8;
    }

    // The packet gets the bits and the ECN flag of all that its values come from, and goes on (3.5).
    action carry_on() {
        carries_on = true;
        hdr.atp.congestion = hdr.atp.congestion | merged_congestion[0:0];
        hdr.atp.bitmap0 = level == 0 ? merged : hdr.atp.bitmap0;
        hdr.atp.bitmap1 = level == 1 ? merged : hdr.atp.bitmap1;
        hdr.levels.bitmap2 = level == 2 ? merged : hdr.levels.bitmap2;
        hdr.levels.bitmap3 = level == 3 ? merged : hdr.levels.bitmap3;
        hdr.levels.bitmap4 = level == 4 ? merged : hdr.levels.bitmap4;
    }

    apply {
        now = intrinsic.ingress_mac_tstamp[41:10];
        ageing.apply();
        oldest = now - oldest_age;
        place = hdr.atp.index ++ 1w0;
        if (from_parser.parser_err != PARSER_ERROR_OK) {
            fate = Fate.MALFORMED;
        } else if (hdr.internal.isValid()) {
            out_port = hdr.internal.port;
            out_group = hdr.internal.group;
            has_route = true;
        } else if (!hdr.ipv4.isValid()) {
            fate = Fate.NOT_IPV4;
        } else if (meta.wrong_checksum) {
            fate = Fate.CHECKSUM;
        } else if (hdr.ipv4.time_to_live <= 1) {
            fate = Fate.TIME_TO_LIVE;
        } else {
            if (!groups.apply().hit) {
                ipv4.apply();
            }
            if (!has_route) {
                fate = Fate.NO_ROUTE;
            }
            hdr.ipv4.time_to_live = hdr.ipv4.time_to_live - 1;
        }

        if (hdr.atp.isValid() && has_route) {
            has_two_halves = hdr.udp.length == TWO_HALVES_UDP || hdr.udp.length == TWO_HALVES_LEVELS_UDP;
            level = hdr.levels.isValid() ? hdr.levels.level : 2w0 ++ hdr.atp.edge;
            fields_of_level.apply();
            if (fan_in == 0) {
                fan_in = 32;
            }
            jobs.apply();
            // An aggregator is empty if its identifier is 0, and not every index has one.
            is_aggregated = is_served && own_level == level && level < 5;
            if (hdr.atp.identifier[31:24] == 0 || (bit<32>)hdr.atp.index >= AGGREGATORS || hdr.atp.overflow == 1) {
                is_aggregated = false;
            }
            // The checksum would not be that of what leaves, and queues of other switches mark IP (RFC 3168).
            if (is_aggregated || hdr.atp.is_ack == 1) {
                hdr.udp.checksum = 0;
                if (hdr.ipv4.congestion == 3) {
                    hdr.atp.congestion = 1;
                }
            }
            if (hdr.internal.isValid() || intrinsic.resubmit_flag == 1) {
                // The second half of the values.
                fate = Fate.SECOND_PASS;
                place = place + 1;
                if (hdr.internal.isValid()) {
                    bitmap = hdr.internal.bitmap;
                    merged = hdr.internal.merged;
                    operation = hdr.internal.operation;
                    frees = hdr.internal.frees == 1;
                    carries_on = true;
                } else {
                    operation = meta.first_pass.operation;
                }
                if (frees) {
                    owner = empty.execute(hdr.atp.index);
                    is_own = owner == TAKEN_OUT;
                } else {
                    owner = who_has.execute(hdr.atp.index);
                    is_own = owner == hdr.atp.identifier;
                }
                // Between the passes, the aggregator may have been freed, and another fragment may have it.
                if (!is_own) {
                    operation = Operation.NONE;
                } else if (operation == Operation.SET) {
                    first_second_half.execute(hdr.atp.index);
                    halves = bitmap;
                } else if (operation == Operation.ADD) {
                    halves = further_second_half.execute(hdr.atp.index);
                } else {
                    halves = all_second_halves.execute(hdr.atp.index);
                }
                if (hdr.internal.isValid() && (!is_own || halves != merged)) {
                    fate = Fate.OVERTAKEN;
                }
            } else if (hdr.atp.is_ack == 1) {
                fate = Fate.PARAMETER;
                owner = free.execute(hdr.atp.index);
                if (owner != EMPTY) {
                    fate = Fate.FREED;
                    clear_bitmap.execute(hdr.atp.index);
                    clear_count.execute(hdr.atp.index);
                    clear_congestion.execute(hdr.atp.index);
                }
            } else if (!is_aggregated) {
                fate = Fate.UNTOUCHED;
            } else if (hdr.atp.resend == 0) {
                // Figure 7: as long as nothing is lost.
                owner = claim.execute(hdr.atp.index);
                if (owner == EMPTY) {
                    operation = Operation.SET;
                    begin_bitmap.execute(hdr.atp.index);
                    merged = bitmap;
                    begin_count.execute(hdr.atp.index);
                    begin_congestion.execute(hdr.atp.index);
                    if (has_two_halves) {
                        no_second_half.execute(hdr.atp.index);
                    }
                    if (fan_in > 1) {
                        fate = Fate.ALLOCATED;
                    } else {
                        fate = Fate.COMPLETE;
                        carry_on();
                    }
                } else if (owner == hdr.atp.identifier) {
                    before = join_bitmap.execute(hdr.atp.index);
                    is_new = before & bitmap == 0;
                    merged = before | bitmap;
                    merged_congestion = merge_congestion.execute(hdr.atp.index);
                    if (!is_new) {
                        fate = Fate.DUPLICATE;
                    } else {
                        operation = Operation.ADD;
                        count = increment.execute(hdr.atp.index);
                        if (count < fan_in) {
                            fate = Fate.AGGREGATED;
                        } else {
                            fate = Fate.COMPLETE;
                            carry_on();
                        }
                    }
                } else {
                    fate = Fate.COLLISION;
                }
            } else {
                // Figure 17: what was lost is sent again.
                left = is_first_level && has_two_halves ? TAKEN_OUT : EMPTY;
                owner = leave.execute(hdr.atp.index);
                if (owner != hdr.atp.identifier) {
                    fate = Fate.PASSED;
                } else {
                    before = clear_bitmap.execute(hdr.atp.index);
                    clear_count.execute(hdr.atp.index);
                    merged_congestion = clear_congestion.execute(hdr.atp.index);
                    if (is_first_level) {
                        fate = Fate.TAKEN;
                        is_new = before & bitmap == 0;
                        operation = is_new ? Operation.ADD : Operation.READ;
                        merged = is_new ? before | bitmap : before;
                        frees = true;
                        carry_on();
                    } else {
                        fate = Fate.DISCARDED;
                    }
                }
            }

            // Stages 4 to 11.
            if (operation == Operation.SET) {
#define SET_VALUE(N) set_##N.execute(place);
                EACH_VALUE(SET_VALUE)
            } else if (operation == Operation.ADD) {
#define ADD_VALUE(N) \
                if (hdr.half.value_##N == MOST || hdr.half.value_##N == LEAST) { \
                    hdr.half.value_##N = saturate_##N.execute(place); \
                } else { \
                    hdr.half.value_##N = add_##N.execute(place); \
                }
                EACH_VALUE(ADD_VALUE)
            } else if (operation == Operation.READ) {
#define READ_VALUE(N) hdr.half.value_##N = read_##N.execute(place);
                EACH_VALUE(READ_VALUE)
            }

            if (fate == Fate.COLLISION) {
                hdr.atp.resend = 1;
                hdr.atp.collision = 1;
            }
            if (fate != Fate.UNTOUCHED && hdr.atp.is_ack == 0) {
                hdr.atp.edge = 1;
                // In the second pass, the packet is on its way to the next level already.
                if (hdr.levels.isValid() && !hdr.internal.isValid()) {
                    hdr.levels.level = level + 1;
                }
            }
            if (!hdr.internal.isValid()) {
                hdr.internal.setValid();
                hdr.internal = {
                    operation, carries_on && has_two_halves ? 1w1 : 1w0, frees ? 1w1 : 1w0, 0, out_port,
                    out_group, bitmap, merged
                };
            } else {
                hdr.internal.is_recirculated = 0;
            }
        } else {
            for_manager.bypass_egress = 1;
        }

        if ((fate == Fate.ALLOCATED || fate == Fate.AGGREGATED) && has_two_halves) {
            meta.second_pass = operation;
            for_deparser.resubmit_type = FOR_SECOND_HALF;
        } else if (
            fate == Fate.ALLOCATED || fate == Fate.AGGREGATED || fate == Fate.DUPLICATE || fate >= Fate.OVERTAKEN ||
            fate == Fate.SECOND_PASS && !carries_on)
        {
            for_deparser.drop_ctl = 1;
        } else if (hdr.internal.isValid() && hdr.internal.is_recirculated == 1) {
            for_manager.ucast_egress_port = intrinsic.ingress_port[8:7] ++ RECIRCULATION_PORT;
        } else if (out_group != 0) {
            for_manager.mcast_grp_a = out_group;
        } else {
            for_manager.ucast_egress_port = out_port;
        }
        packets.count(fate);
    }
}

control AtpIngressDeparser(
    packet_out packet,
    inout headers_t hdr,
    in metadata_t meta,
    in ingress_intrinsic_metadata_for_deparser_t for_deparser)
{
    Checksum() ipv4_checksum;
    Resubmit(FOR_SECOND_HALF) for_second_half;

    apply {
        if (for_deparser.resubmit_type == FOR_SECOND_HALF) {
            for_second_half.emit<first_pass_t>({ meta.second_pass, 0 });
        }
        if (hdr.ipv4.isValid()) {
            hdr.ipv4.header_checksum = ipv4_checksum.update({
                hdr.ipv4.version, hdr.ipv4.header_length, hdr.ipv4.code_point, hdr.ipv4.congestion,
                hdr.ipv4.total_length, hdr.ipv4.identification, hdr.ipv4.flags, hdr.ipv4.fragment_offset,
                hdr.ipv4.time_to_live, hdr.ipv4.protocol,
                hdr.ipv4.source, hdr.ipv4.destination
            });
        }
        packet.emit(hdr);
    }
}

parser AtpEgressParser(
    packet_in packet,
    out headers_t hdr,
    out metadata_t meta,
    out egress_intrinsic_metadata_t intrinsic)
{
    state start {
        packet.extract(intrinsic);
        packet.extract(hdr.internal);
        packet.extract(hdr.ethernet);
        packet.extract(hdr.ipv4);
        packet.extract(hdr.udp);
        packet.extract(hdr.atp);
        transition accept;
    }
}

control AtpEgress(
    inout headers_t hdr,
    inout metadata_t meta,
    in egress_intrinsic_metadata_t intrinsic,
    in egress_intrinsic_metadata_from_parser_t from_parser,
    inout egress_intrinsic_metadata_for_deparser_t for_deparser,
    inout egress_intrinsic_metadata_for_output_port_t for_port)
{
    bit<19> longest = 0;

    action mark_from(bit<19> cells) {
        longest = cells;
    }

    // From how many cells in the queue of a port on its packets have the ECN flag (3.3). The default is never.
    table congestion_marks {
        actions = { mark_from; }
        default_action = mark_from(0x7ffff);
        size = 1;
    }

    apply {
        congestion_marks.apply();
        if (hdr.internal.is_recirculated == 0) {
            if (intrinsic.enq_qdepth >= longest) {
                hdr.atp.congestion = 1;
            }
            hdr.internal.setInvalid();
        }
    }
}

control AtpEgressDeparser(
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
    AtpIngressParser(),
    AtpIngress(),
    AtpIngressDeparser(),
    AtpEgressParser(),
    AtpEgress(),
    AtpEgressDeparser()
) pipe;

Switch(pipe) main;
