// Tables: match kinds, bound arguments, defaults, entries, names for the control plane.
#include <v1model.p4>

header pair_t {
    bit<8> a;
    bit<8> b;
    bit<80> wide;
}

enum Color {
    red,
    green
}

bit<8> doubled(in bit<8> value) {
    return value + value;
}

struct headers_t {
    pair_t pair;
}

struct metadata_t {
    bit<8> c;
    Color color;
    int<8> signed;
}

parser Read(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    state start {
        transition accept;
    }
}

control Verify(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control In(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    bit<8> scratch = 1;

    action set(inout bit<8> target, in bit<8> step, bit<8> value, Color color) {
        target = target + step + value;
        meta.color = color;
    }

    @name("renamed") @id(17)
    action other() { }

    @name("kinds")
    table all_kinds {
        key = {
            hdr.pair.isValid(): exact;
            hdr.pair.a: lpm;
            hdr.pair.b[3:0]: range @name("low_of_b");
            meta.color: optional;
            doubled(meta.c): ternary @name("twice");
            hdr.pair.wide: ternary;
        }
        actions = {
            set(meta.c, hdr.pair.b);
            @tableonly other;
        }
        const entries = {
            (true, 8w0x10 &&& 8w0xf0, 4w1 .. 4w5, Color.green, _, _): other();
            (false, _, 3, _, 8w6 &&& 8w0x0e, 80w1 << 70): set(meta.c, hdr.pair.b, 7, Color.green);
            (true, _, _, _, _, _): other();
        }
        size = 2;
    }

    table by_hand {
        key = { meta.signed: ternary; }
        actions = { @defaultonly NoAction; other; }
        largest_priority_wins = false;
        priority_delta = 10;
        entries = {
            const priority = 5: -1: other();
            2: other();
            priority = 7: 3 &&& 3: other();
        }
        const default_action = NoAction();
    }

    table without_default {
        key = { meta.c: exact; }
        actions = { other; }
        entries = { 1: other(); 2: other(); }
    }

    apply {
        if (all_kinds.apply().hit) {
            by_hand.apply();
        }
        switch (without_default.apply().action_run) {
            other: { scratch = 2; }
            default: { scratch = 3; }
        }
        meta.c = scratch;
    }
}

control Out(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    apply { }
}

control Compute(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control Write(packet_out packet, in headers_t hdr) {
    apply { }
}

V1Switch(Read(), Verify(), In(), Out(), Compute(), Write()) main;
