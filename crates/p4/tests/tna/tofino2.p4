// A program for T2NA that uses what t2na.p4 has and tna.p4 has not.

#include <t2na.p4>

header data_h {
    bit<8> length;
    bit<32> data;
}

struct headers_t {
    pktgen_deparser_header_t generated;
    pktgen_pfc_header_t paused;
    data_h data;
}

struct metadata_t {
    bit<32> a;
    bit<32> b;
    bit<32> c;
    bit<16> d;
    bit<10> index;
    MirrorId_t session;
}

// Ingress and ghost are on one register.
Register<bit<32>, bit<11>>(2048) depths;

parser IngressParser(
    packet_in packet,
    out headers_t headers,
    out metadata_t metadata,
    out ingress_intrinsic_metadata_t intrinsic) {
    ParserCounter() counter;

    state start {
        packet.extract(intrinsic);
        packet.advance(PORT_METADATA_SIZE);
        packet.extract(headers.data);
        counter.set(headers.data.length, 255, 0, 0xff, 0);
        counter.push(8w4);
        counter.push(8w4, true);
        counter.push(headers.data.length, 255, 0, 0xff, 0);
        counter.push(headers.data.length, 255, 0, 0xff, 0, update_with_top = true);
        counter.pop();
        transition select(counter.is_zero()) {
            true: accept;
            false: accept;
        }
    }
}

control Ghost(in ghost_intrinsic_metadata_t ghost) {
    RegisterAction<bit<32>, bit<11>, bit<32>>(depths) note = {
        void apply(inout bit<32> value) {
            value = (bit<32>)ghost.qlength;
        }
    };
    apply {
        note.execute(ghost.qid);
    }
}

control Ingress(
    inout headers_t headers,
    inout metadata_t metadata,
    in ingress_intrinsic_metadata_t intrinsic,
    in ingress_intrinsic_metadata_from_parser_t from_parser,
    inout ingress_intrinsic_metadata_for_deparser_t for_deparser,
    inout ingress_intrinsic_metadata_for_tm_t manager,
    in ghost_intrinsic_metadata_t ghost) {
    Counter<bit<64>, bit<10>>(1024, CounterType_t.BYTES, true) counter;
    DirectCounter<bit<64>>(CounterType_t.BYTES, true) direct_counter;
    Meter<bit<10>>(1024, MeterType_t.BYTES, true_egress_accounting = true) meter;
    Meter<bit<10>>(1024, MeterType_t.BYTES, 2, 1, 0, true) meter_with_values;
    DirectMeter(MeterType_t.BYTES, true) direct_meter;
    DirectMeter(MeterType_t.BYTES, 2, 1, 0, true) direct_meter_with_values;
    IdleTimeout() timeout;

    Register<bit<32>, bit<10>>(1024) register;
    DirectRegister<bit<32>>() direct_register;
    Register<bit<8>, bit<10>>(1024) bytes;
    Register<bit<128>, bit<10>>(64) rows;

    RegisterAction<bit<32>, bit<11>, bit<32>>(depths) depth = {
        void apply(inout bit<32> value, out bit<32> result) {
            result = value;
        }
    };
    RegisterAction<bit<32>, bit<10>, bit<32>>(register) action1 = {
        void apply(inout bit<32> value, out bit<32> one, out bit<32> two, out bit<32> three, out bit<32> four) {
            one = value;
            two = this.address();
            three = this.address(1);
            four = this.predicate(value == 1, value == 2, value == 3, value == 4);
        }
        void overflow(inout bit<32> value, out bit<32> one) {
            one = 1;
        }
        void underflow(inout bit<32> value, out bit<32> one) {
            one = 2;
        }
    };
    RegisterAction2<bit<32>, bit<10>, bit<32>, bit<16>>(register) action2 = {
        void apply(inout bit<32> value, out bit<32> one, out bit<16> two) {
            one = value;
            two = this.predicate<bit<16>>(value == 1);
        }
        void overflow(inout bit<32> value, out bit<32> one, out bit<16> two) {
            one = 1;
            two = 1;
        }
        void underflow(inout bit<32> value, out bit<32> one, out bit<16> two) {
            one = 2;
            two = 2;
        }
    };
    RegisterAction3<bit<32>, bit<10>, bit<32>, bit<16>, bit<8>>(register) action3 = {
        void apply(inout bit<32> value, out bit<32> one, out bit<16> two, out bit<8> three) {
            one = this.address<bit<32>>();
            two = 2;
            bit<4> place;
            three = this.min8(value, 0xf, place);
        }
    };
    RegisterAction4<bit<32>, bit<10>, bit<32>, bit<16>, bit<8>, bit<8>>(register) action4 = {
        void apply(inout bit<32> value, out bit<32> one, out bit<16> two, out bit<8> three, out bit<8> four) {
            one = value;
            bit<3> place;
            two = this.max16(value, 3, place);
            three = this.max8(value, 0xf);
            four = 4;
        }
    };
    DirectRegisterAction<bit<32>, bit<32>>(direct_register) direct1 = {
        void apply(inout bit<32> value, out bit<32> one, out bit<32> two) {
            one = value;
            two = (bit<32>)this.min16(value, 3);
        }
    };
    DirectRegisterAction2<bit<32>, bit<32>, bit<16>>(direct_register) direct2 = {
        void apply(inout bit<32> value, out bit<32> one, out bit<16> two) {
            one = value;
            two = 2;
        }
    };
    DirectRegisterAction3<bit<32>, bit<32>, bit<16>, bit<8>>(direct_register) direct3 = {
        void apply(inout bit<32> value, out bit<32> one, out bit<16> two, out bit<8> three) {
            one = value;
            two = 2;
            three = 3;
        }
    };
    DirectRegisterAction4<bit<32>, bit<32>, bit<16>, bit<8>, bit<8>>(direct_register) direct4 = {
        void apply(inout bit<32> value, out bit<32> one, out bit<16> two, out bit<8> three, out bit<8> four) {
            one = value;
            two = 2;
            three = 3;
            four = 4;
        }
    };
    LearnAction<bit<32>, bit<10>, bit<16>, bit<32>>(register) learn1 = {
        void apply(inout bit<32> value, in bit<16> digest, in bool learn, out bit<32> one) {
            if (learn) {
                value = (bit<32>)digest;
            }
            one = this.address();
        }
    };
    LearnAction2<bit<32>, bit<10>, bit<16>, bit<32>, bit<16>>(register) learn2 = {
        void apply(inout bit<32> value, in bit<16> digest, in bool learn, out bit<32> one, out bit<16> two) {
            one = value;
            two = digest;
        }
    };
    LearnAction3<bit<32>, bit<10>, bit<16>, bit<32>, bit<16>, bit<8>>(register) learn3 = {
        void apply(
            inout bit<32> value, in bit<16> digest, in bool learn, out bit<32> one, out bit<16> two, out bit<8> three) {
            one = value;
            two = digest;
            three = 3;
        }
    };
    LearnAction4<bit<32>, bit<10>, bit<16>, bit<32>, bit<16>, bit<8>, bit<8>>(register) learn4 = {
        void apply(
            inout bit<32> value,
            in bit<16> digest,
            in bool learn,
            out bit<32> one,
            out bit<16> two,
            out bit<8> three,
            out bit<8> four) {
            one = value;
            two = digest;
            three = 3;
            four = 4;
        }
    };
    MinMaxAction<bit<8>, bit<10>, bit<16>>(bytes) least1 = {
        void apply(inout bit<128> value, out bit<16> one) {
            one = this.min16(value, 0xff);
        }
    };
    MinMaxAction2<bit<8>, bit<10>, bit<8>, bit<4>>(bytes) least2 = {
        void apply(inout bit<128> value, out bit<8> one, out bit<4> two) {
            one = this.min8(value, 0xffff, two, -1);
        }
    };
    MinMaxAction3<bit<8>, bit<10>, bit<8>, bit<4>, bit<16>>(bytes) least3 = {
        void apply(inout bit<128> value, out bit<8> one, out bit<4> two, out bit<16> three) {
            one = this.max8(value, 0xffff, two, 1);
            three = this.address<bit<16>>();
        }
    };
    MinMaxAction4<bit<8>, bit<10>, bit<16>, bit<3>, bit<16>, bit<16>>(bytes) least4 = {
        void apply(inout bit<128> value, out bit<16> one, out bit<3> two, out bit<16> three, out bit<16> four) {
            one = this.max16(value, 0xff, two);
            three = this.predicate<bit<16>>();
            four = 4;
        }
    };

    action hit() {
        direct_counter.count();
        metadata.a = direct1.execute();
    }
    action measure() {
        metadata.index = (bit<10>)direct_meter.execute();
    }
    action measure_with_values() {
        metadata.index = (bit<10>)direct_meter_with_values.execute(MeterColor_t.GREEN);
    }
    action hit_with_results() {
        bit<8> one;
        bit<8> two;
        metadata.a = direct1.execute(metadata.b);
        metadata.a = direct2.execute(metadata.d);
        metadata.a = direct3.execute(metadata.d, one);
        metadata.a = direct4.execute(metadata.d, one, two);
    }
    table matched {
        key = {
            headers.data.data: dleft_hash;
        }
        actions = {
            hit;
            measure;
            hit_with_results;
        }
        counters = direct_counter;
        meters = direct_meter;
        registers = direct_register;
        idle_timeout = timeout;
    }
    table measured {
        key = {
            headers.data.data: exact;
        }
        actions = {
            measure_with_values;
        }
        meters = direct_meter_with_values;
    }

    apply {
        bit<8> one;
        bit<8> two;
        bit<4> place;
        bit<3> half;
        bit<16> three;
        bit<16> four;
        matched.apply();
        measured.apply();
        counter.count(metadata.index);
        metadata.index = (bit<10>)(meter.execute(metadata.index) ^ meter_with_values.execute(metadata.index));
        metadata.a = depth.execute(ghost.qid);
        register.clear(0);
        register.clear(0, 1);
        metadata.a = action1.execute(metadata.index, metadata.b, metadata.c);
        metadata.a = action1.execute_log(metadata.b);
        metadata.a = action1.enqueue() + action1.dequeue() + action1.push() + action1.pop();
        action1.sweep();
        action1.sweep(1);
        metadata.a = action2.execute(metadata.index, metadata.d) + action2.enqueue(metadata.d) + action2.dequeue(metadata.d);
        metadata.a = action2.push(metadata.d) + action2.pop(metadata.d) + action2.execute_log(metadata.d);
        metadata.a = action3.execute(metadata.index, metadata.d, one) + action3.enqueue(metadata.d, one);
        metadata.a = action4.execute(metadata.index, metadata.d, one, two) + action4.pop(metadata.d, one, two);
        metadata.a = learn1.execute(metadata.index) + learn2.execute(metadata.index, metadata.d);
        metadata.a = learn3.execute(metadata.index, metadata.d, one) + learn4.execute(metadata.index, metadata.d, one, two);
        metadata.d = least1.execute(metadata.index);
        one = least2.execute(metadata.index, place) + least3.execute(metadata.index, place, three);
        metadata.d = least4.execute(metadata.index, half, three, four);
        funnel_shift_right(metadata.a, metadata.b, metadata.c, 4);
        for_deparser.mirror_type = 1;
        for_deparser.mirror_egress_port = 9;
        for_deparser.mirror_qid = 127;
        for_deparser.pktgen = 1;
        for_deparser.pktgen_length = 64;
        manager.ucast_egress_port = intrinsic.ingress_port;
    }
}

control IngressDeparser(
    packet_out packet,
    inout headers_t headers,
    in metadata_t metadata,
    in ingress_intrinsic_metadata_for_deparser_t for_deparser) {
    Mirror(1) mirror;
    Pktgen() generator;

    apply {
        if (for_deparser.mirror_type == 1) {
            mirror.emit(metadata.session, headers.data);
        }
        if (for_deparser.pktgen == 1) {
            generator.emit(headers.data);
        }
        packet.emit(headers);
    }
}

parser EgressParser(
    packet_in packet,
    out headers_t headers,
    out metadata_t metadata,
    out egress_intrinsic_metadata_t intrinsic) {
    state start {
        packet.extract(intrinsic);
        transition accept;
    }
}

control Egress(
    inout headers_t headers,
    inout metadata_t metadata,
    in egress_intrinsic_metadata_t intrinsic,
    in egress_intrinsic_metadata_from_parser_t from_parser,
    inout egress_intrinsic_metadata_for_deparser_t for_deparser,
    inout egress_intrinsic_metadata_for_output_port_t for_port) {
    apply {
        metadata.a = intrinsic.deq_timedelta;
        for_deparser.mirror_io_select = 1;
        for_deparser.mtu_trunc_len = 1500;
    }
}

control EgressDeparser(
    packet_out packet,
    inout headers_t headers,
    in metadata_t metadata,
    in egress_intrinsic_metadata_for_deparser_t for_deparser) {
    apply {
        packet.emit(headers);
    }
}

Pipeline(
    IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser(), Ghost()) pipe;
Switch(pipe) main;
