// Header stacks and unions in parsers: the next element, the last one, its index.
#include <v1model.p4>

header label_t {
    bit<7> value;
    bit<1> is_last;
}

header short_t {
    bit<8> value;
}

header long_t {
    bit<16> value;
}

header_union either_t {
    short_t short;
    long_t long;
}

struct headers_t {
    label_t[3] labels;
    either_t one;
    either_t[2] several;
}

struct metadata_t {
    bit<32> last;
}

parser Read(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    state start {
        packet.extract(hdr.labels.next);
        meta.last = hdr.labels.lastIndex;
        transition select(hdr.labels.last.is_last) {
            1: unions;
            0: start;
        }
    }

    state unions {
        packet.extract(hdr.one.long);
        packet.extract(hdr.several.next.short);
        packet.extract(hdr.several[1].long);
        transition select(hdr.labels[1].isValid()) {
            true: at_run_time;
            false: accept;
        }
    }

    state at_run_time {
        packet.extract(hdr.labels[hdr.labels[0].value]);
        transition accept;
    }
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
    apply {
        packet.emit(hdr.labels);
        packet.emit(hdr.one);
        packet.emit(hdr.several[0].short);
    }
}

V1Switch(Read(), Verify(), In(), Out(), Compute(), Write()) main;
