// Parsers: what is compared with what, sub-parsers, looking ahead, skipping, a loop back to the start.
#include <v1model.p4>

header tag_t {
    bit<8> kind;
    bit<8> size;
    varbit<64> text;
}

header end_t {
    bit<16> sum;
}

struct range_t {
    bit<8> kind;
    @match(ternary)
    bit<8> size;
}

enum bit<8> Kind {
    text = 1,
    end = 2
}

struct headers_t {
    tag_t tag;
    end_t end;
}

struct metadata_t {
    bit<8> turns;
    bit<32> left;
}

parser Tail(packet_in packet, out end_t end, inout bit<8> turns) {
    bit<8> limit = 4;
    state start {
        turns = turns + 1;
        packet.extract(end);
        transition select(turns > limit) {
            true: reject;
            false: accept;
        }
    }
}

parser Read(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    value_set<range_t>(4) known;
    value_set<bit<8>>(2) kinds;
    Tail() tail;
    bit<8> counted = 3;

    state start {
        counted = counted - 1;
        transition select(packet.lookahead<bit<16>>()[15:8], counted) {
            (8w0x10 &&& 8w0xf0, _): tagged;
            (8w0x20 .. 8w0x2f, 8w1): skipped;
            (Kind.end, 8w2): ended;
            (kinds, 8w2): ended;
            known: start;
            default: accept;
        }
    }

    state tagged {
        end_t next = packet.lookahead<end_t>();
        packet.extract(hdr.tag, (bit<32>)next.sum[7:0]);
        transition start;
    }

    state skipped {
        packet.extract<end_t>(_);
        packet.advance((bit<32>)counted * 8);
        transition start;
    }

    state ended {
        packet.extract(hdr.tag, 32);
        tail.apply(packet, hdr.end, meta.turns);
        transition select(hdr.end.sum) {
            0: accept;
        }
    }

    state unreached { }
}

control Verify(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control In(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    apply { }
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
