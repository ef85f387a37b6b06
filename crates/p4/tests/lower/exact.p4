// Masks as entries of a key that is matched `exact`.

#include <core.p4>
#include <v1model.p4>

struct Headers {}

struct Metadata {
    bit<8> kind;
}

parser Read(packet_in packet, out Headers hdr, inout Metadata meta, inout standard_metadata_t standard) {
    state start {
        transition accept;
    }
}

control Check(inout Headers hdr, inout Metadata meta) {
    apply {}
}

control In(inout Headers hdr, inout Metadata meta, inout standard_metadata_t standard) {
    table kinds {
        key = {
            meta.kind: exact;
        }
        actions = {
            NoAction;
        }
        const entries = {
            1 &&& 0xff: NoAction();
            2 &&& 0x0f: NoAction();
        }
    }
    apply {
        kinds.apply();
    }
}

control Out(inout Headers hdr, inout Metadata meta, inout standard_metadata_t standard) {
    apply {}
}

control Write(packet_out packet, in Headers hdr) {
    apply {}
}

V1Switch(Read(), Check(), In(), Out(), Check(), Write()) main;
