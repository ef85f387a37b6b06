// Counters, meters, registers and profiles, in arrays or beside the entries of tables.
#include <v1model.p4>

struct pair_t {
    bit<8> a;
    bool b;
}

header key_t {
    bit<16> key;
    bit<4> small;
}

struct headers_t {
    key_t key;
}

struct metadata_t {
    pair_t pair;
    bit<8> color;
    bit<100> wide;
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
    register<pair_t>(100) pairs;
    register<bit<100>>(16) wide;
    counter(8, CounterType.packets_and_bytes) counted;
    meter(8, MeterType.bytes) metered;
    direct_counter(CounterType.bytes) hits;
    direct_meter<bit<8>>(MeterType.packets) colors;
    action_selector(HashAlgorithm.crc16, 32, 8) choices;

    action mark() {
        colors.read(meta.color);
        hits.count();
    }

    action nothing() { }

    action mark_again(bit<8> color) {
        meta.color = color;
    }

    table direct {
        key = { hdr.key.key: exact; }
        actions = { mark; }
        counters = hits;
        meters = colors;
        default_action = mark();
    }

    table chosen {
        key = {
            hdr.key.key: ternary;
            hdr.key.small: selector;
        }
        actions = { nothing; mark_again; }
        implementation = choices;
    }

    table own {
        key = { hdr.key.small: exact; }
        actions = { nothing; }
        @name("named_profile")
        implementation = action_profile(4);
    }

    apply {
        pairs.read(meta.pair, (bit<32>)hdr.key.key);
        pairs.write(99, { 1, true });
        wide.read(meta.wide, (bit<32>)hdr.key.small);
        wide.write(16, meta.wide);
        counted.count((bit<32>)hdr.key.small);
        metered.execute_meter(5, meta.color);
        direct.apply();
        chosen.apply();
        own.apply();
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
