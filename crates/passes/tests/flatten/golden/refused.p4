// Everything that pipelines cannot do is reported at once, in terms of P4.
#include <core.p4>
#include <v1model.p4>

header byte_t {
    bit<8> value;
}

struct headers_t {
    byte_t byte;
}

struct metadata_t {
    bit<8> color;
    bit<8> left;
}

struct seen_t {
    bit<8> value;
}

parser Read(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    state start {
        packet.extract(hdr.byte);
        transition select(hdr.byte.value) {
            0: accept;
            default: start;
        }
    }
}

control Verify(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control In(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    meter(4, MeterType.bytes) rates;
    direct_meter<bit<8>>(MeterType.packets) each;

    action measure() {
        each.read(meta.color);
    }

    table measured {
        key = { hdr.byte.value: exact; }
        actions = { measure; }
        meters = each;
    }

    table twice {
        key = { meta.color: exact; }
        actions = { NoAction; }
    }

    table inside {
        key = { meta.left: exact; }
        actions = { NoAction; }
    }

    action take() {
        meta.left = meta.left + 1;
    }

    table first {
        key = { hdr.byte.value: exact; }
        actions = { take; NoAction; }
    }

    apply {
        measured.apply();
        twice.apply();
        rates.execute_meter(32w1, meta.color);
        twice.apply();
        for (bit<8> i = 0; i < hdr.byte.value; i = i + 1) {
            meta.left = meta.left + i;
        }
        for (bit<8> i = 0; i < 100; i = i + 1) {
            meta.left = meta.left ^ i;
        }
        if (meta.left == 0) {
            first.apply();
            inside.apply();
        } else {
            inside.apply();
        }
        random(meta.left, 8w0, 8w9);
        digest<seen_t>(1, { hdr.byte.value });
        clone(CloneType.I2E, 32w5);
        resubmit_preserving_field_list(0);
        truncate(32w60);
        assert(meta.left < 10);
        log_msg("this is left out");
        standard_metadata.mcast_grp = 1;
    }
}

control Out(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    apply {
        recirculate_preserving_field_list(0);
    }
}

control Compute(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control Write(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.byte);
    }
}

V1Switch(Read(), Verify(), In(), Out(), Compute(), Write()) main;
