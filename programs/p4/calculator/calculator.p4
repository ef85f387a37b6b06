// A calculator in the network: a packet asks for an operation on two numbers, and comes back with the result.
//
//     Ethernet, type 0x88b5 | version | operation | status | reserved | a | b | result
//
// Everything that is asked for fits into one header, so the switch needs no state and no entries: the operations are
// constant entries of a table.
#include <core.p4>
#include <v1model.p4>

typedef bit<48> mac_t;
typedef bit<32> number_t;

// For experiments (IEEE 802, "local experimental EtherType 1").
const bit<16> ETHER_TYPE_CALCULATOR = 0x88b5;

const bit<8> VERSION = 1;

// How it went.
enum bit<8> Status {
    QUESTION = 0,       // nobody has computed yet
    DONE = 1,
    OVERFLOW = 2,       // the result has the low 32 bits of what it should be
    UNKNOWN = 3         // there is no such operation; the result is 0
}

// An operation is a letter, so that a person can read it in a capture.
enum bit<8> Operation {
    ADD = 0x2b,             // +
    SUBTRACT = 0x2d,        // -
    MULTIPLY = 0x2a,        // *
    AND = 0x26,             // &
    OR = 0x7c,              // |
    EXCLUSIVE_OR = 0x5e,    // ^
    SHIFT_LEFT = 0x4c,      // L
    SHIFT_RIGHT = 0x52,     // R
    SATURATING_ADD = 0x73,  // s
    LESS = 0x3c,            // <, of signed numbers: 1 or 0
    MAXIMUM = 0x4d          // M, of signed numbers
}

// Why a packet is dropped: an index of the counter `dropped`.
enum bit<32> Drop {
    MALFORMED = 0,          // cut short
    NOT_A_QUESTION = 1,     // another protocol, another version, or an answer: two calculators would play ping-pong
    NOBODY = 2              // a sender whose address is a group, which cannot be answered
}
const bit<32> DROP_REASONS = 3;

header ethernet_t {
    mac_t destination;
    mac_t source;
    bit<16> ether_type;
}

header calculation_t {
    bit<8> version;
    Operation operation;
    Status status;
    bit<8> reserved;
    number_t a;
    number_t b;
    number_t result;
}

struct headers_t {
    ethernet_t ethernet;
    calculation_t calculation;
}

struct metadata_t { }

parser CalculatorParser(
    packet_in packet,
    out headers_t hdr,
    inout metadata_t meta,
    inout standard_metadata_t standard_metadata)
{
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            ETHER_TYPE_CALCULATOR: calculation;
            default: accept;
        }
    }

    state calculation {
        packet.extract(hdr.calculation);
        transition accept;
    }
}

control CalculatorVerifyChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control CalculatorIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    counter(DROP_REASONS, CounterType.packets) dropped;
    direct_counter(CounterType.packets) computed;

    action drop(in Drop reason) {
        dropped.count((bit<32>)reason);
        mark_to_drop(standard_metadata);
    }

    action answer(in number_t result, in bool is_too_large) {
        hdr.calculation.result = result;
        hdr.calculation.status = is_too_large ? Status.OVERFLOW : Status.DONE;
    }

    // P4 has no carry bit: a sum that is one bit wider has it.
    action add() {
        bit<33> sum = (bit<33>)hdr.calculation.a + (bit<33>)hdr.calculation.b;
        answer(sum[31:0], sum[32:32] == 1);
    }

    action subtract() {
        answer(hdr.calculation.a - hdr.calculation.b, hdr.calculation.a < hdr.calculation.b);
    }

    action multiply() {
        bit<64> product = (bit<64>)hdr.calculation.a * (bit<64>)hdr.calculation.b;
        answer(product[31:0], product[63:32] != 0);
    }

    action bitwise_and() {
        answer(hdr.calculation.a & hdr.calculation.b, false);
    }

    action bitwise_or() {
        answer(hdr.calculation.a | hdr.calculation.b, false);
    }

    action bitwise_exclusive_or() {
        answer(hdr.calculation.a ^ hdr.calculation.b, false);
    }

    // By 32 or more, nothing is left: P4 shifts as far as it is told, where C leaves open what happens.
    action shift_left() {
        answer(hdr.calculation.a << hdr.calculation.b, false);
    }

    action shift_right() {
        answer(hdr.calculation.a >> hdr.calculation.b, false);
    }

    // Stays at the largest number where `add` would begin again at 0.
    action saturating_add() {
        answer(hdr.calculation.a |+| hdr.calculation.b, false);
    }

    action less() {
        answer((int<32>)hdr.calculation.a < (int<32>)hdr.calculation.b ? 32w1 : 32w0, false);
    }

    action maximum() {
        answer(
            (int<32>)hdr.calculation.a < (int<32>)hdr.calculation.b ? hdr.calculation.b : hdr.calculation.a,
            false);
    }

    action unknown() {
        hdr.calculation.result = 0;
        hdr.calculation.status = Status.UNKNOWN;
    }

    table operations {
        key = { hdr.calculation.operation: exact; }
        actions = {
            add;
            subtract;
            multiply;
            bitwise_and;
            bitwise_or;
            bitwise_exclusive_or;
            shift_left;
            shift_right;
            saturating_add;
            less;
            maximum;
            unknown;
        }
        const default_action = unknown();
        const entries = {
            Operation.ADD: add();
            Operation.SUBTRACT: subtract();
            Operation.MULTIPLY: multiply();
            Operation.AND: bitwise_and();
            Operation.OR: bitwise_or();
            Operation.EXCLUSIVE_OR: bitwise_exclusive_or();
            Operation.SHIFT_LEFT: shift_left();
            Operation.SHIFT_RIGHT: shift_right();
            Operation.SATURATING_ADD: saturating_add();
            Operation.LESS: less();
            Operation.MAXIMUM: maximum();
        }
        counters = computed;
    }

    // Back to where it came from.
    action bounce() {
        mac_t asker = hdr.ethernet.source;
        hdr.ethernet.source = hdr.ethernet.destination;
        hdr.ethernet.destination = asker;
        standard_metadata.egress_spec = standard_metadata.ingress_port;
    }

    apply {
        if (standard_metadata.parser_error != error.NoError) {
            drop(Drop.MALFORMED);
        } else if (
            !hdr.calculation.isValid()
            || hdr.calculation.version != VERSION
            || hdr.calculation.status != Status.QUESTION
        ) {
            drop(Drop.NOT_A_QUESTION);
        } else if (hdr.ethernet.source[40:40] == 1) {
            drop(Drop.NOBODY);
        } else {
            operations.apply();
            bounce();
        }
    }
}

control CalculatorEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    apply { }
}

control CalculatorComputeChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control CalculatorDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.calculation);
    }
}

V1Switch(
    CalculatorParser(),
    CalculatorVerifyChecksum(),
    CalculatorIngress(),
    CalculatorEgress(),
    CalculatorComputeChecksum(),
    CalculatorDeparser()
) main;
