// A stack that the parser fills, one of whose elements ingress chooses at run time, and a wide field.
#include <core.p4>
#include <v1model.p4>

header label_t {
    bit<7> value;
    bit<1> last;
}

header wide_t {
    bit<72> address;
}

struct headers_t {
    label_t[2] labels;
    wide_t wide;
}

struct metadata_t {
}

parser Read(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    state start {
        packet.extract(hdr.labels.next);
        transition select(hdr.labels.last.last) {
            0: start;
            1: rest;
        }
    }

    state rest {
        packet.extract(hdr.wide);
        transition accept;
    }
}

control Verify(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control In(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    apply {
        bit<1> index = hdr.labels[0].last;
        standard_metadata.egress_spec = (bit<9>)hdr.labels[index].value;
        hdr.wide.address = hdr.wide.address[35:0] ++ hdr.wide.address[71:36];
        hdr.labels[1].setInvalid();
    }
}

control Out(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    apply { }
}

control Compute(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control Write(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr);
    }
}

V1Switch(Read(), Verify(), In(), Out(), Compute(), Write()) main;
