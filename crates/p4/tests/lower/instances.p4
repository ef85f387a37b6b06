// Instances: one control made twice with other arguments, an extern that is handed on, names.
#include <v1model.p4>

header byte_t {
    bit<8> value;
}

struct headers_t {
    byte_t byte;
}

struct metadata_t {
    bit<8> total;
}

control Limit(inout bit<8> value, register<bit<8>> totals)(bit<8> most, bool keeps) {
    counter(1, CounterType.packets) too_many;

    @hidden
    action cut(bit<8> to) {
        value = to;
    }

    table policy {
        key = { value: exact; }
        actions = { cut; }
        default_action = cut(most);
    }

    apply {
        if (value > most) {
            too_many.count(0);
            policy.apply();
        }
        if (keeps) {
            totals.write(0, value);
        }
    }
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
    register<bit<8>>(1) totals;
    Limit(10, true) narrow;
    @name("broad") Limit(100, false) wide;

    // One action for the control plane, as translated P4_14 programs have it.
    @name(".same") action first_copy(bit<8> value) {
        meta.total = value;
    }

    @name(".same") action second_copy(bit<8> value) {
        meta.total = value;
    }

    table first {
        key = { hdr.byte.value: exact; }
        actions = { first_copy; }
    }

    @hidden
    table second {
        key = { meta.total: exact; }
        actions = { second_copy; }
    }

    apply {
        first.apply();
        second.apply();
        narrow.apply(hdr.byte.value, totals);
        wide.apply(meta.total, totals);
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
