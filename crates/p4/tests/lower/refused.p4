// What is legal P4 and has no place on this switch, all of it in one run.
#include <v1model.p4>

header key_t {
    bit<16> a;
    bit<16> b;
}

extern Mystery {
    Mystery();
    void happen(in bit<16> value);
}

extern bit<16> conjure(in bit<16> value);

control Few()(bit<8> most) {
    apply {
        static_assert(most < 10, "at most 9");
    }
}

struct headers_t {
    key_t key;
}

struct metadata_t {
    bit<16> size;
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
    Mystery() mystery;
    register<bit<8>>(0) empty;
    Few(12) few;

    table prefixes {
        key = {
            hdr.key.a: lpm;
            hdr.key.b: lpm;
        }
        actions = { NoAction; }
    }

    apply {
        mystery.happen(hdr.key.a);
        hdr.key.b = conjure(1);
        prefixes.apply();
        few.apply();
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
