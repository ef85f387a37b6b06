// A program for TNA that uses every extern, every function and every block of tna.p4 in the ways that it allows. With
// SEVERAL_PARSERS, its pipes have parsers by channel.

#include <tna.p4>

header ethernet_h {
    bit<48> destination;
    bit<48> source;
    bit<16> ether_type;
}

header ipv4_h {
    bit<8> version_and_length;
    bit<8> length_of_options;
    bit<16> total_length;
    bit<8> ttl;
    bit<8> protocol;
    bit<16> checksum;
    bit<32> source;
    bit<32> destination;
}

header option_h {
    bit<32> data;
}

header mirror_h {
    bit<8> kind;
    PortId_t port;
    @padding bit<7> pad;
}

header resubmit_h {
    bit<64> data;
}

struct port_metadata_t {
    bit<32> first;
    bit<32> second;
}

struct pair {
    bit<32> low;
    bit<32> high;
}

struct learned_t {
    bit<48> source;
    PortId_t port;
}

struct headers_t {
    mirror_h mirror;
    ethernet_h ethernet;
    ipv4_h ipv4;
    option_h[4] options;
    pktgen_timer_header_t timer;
    pktgen_port_down_header_t port_down;
    pktgen_recirc_header_t recirculated;
    ptp_metadata_t ptp;
}

struct metadata_t {
    resubmit_h resubmitted;
    port_metadata_t port;
    MirrorId_t session;
    mirror_h mirror;
    bit<16> residual;
    bit<16> hash;
    bit<32> a;
    bit<32> b;
    bit<10> index;
    bit<8> color;
    bit<16> partition;
    bool wrong;
}

parser IngressParser(
    packet_in packet,
    out headers_t headers,
    out metadata_t metadata,
    out ingress_intrinsic_metadata_t intrinsic,
    out ingress_intrinsic_metadata_for_tm_t manager,
    out ingress_intrinsic_metadata_from_parser_t from_parser) {
    Checksum() ipv4_checksum;
    Checksum() tcp_checksum;
    ParserCounter() counter;
    ParserPriority() priority;
    value_set<bit<16>>(4) types;

    state start {
        packet.extract(intrinsic);
        transition select(intrinsic.resubmit_flag) {
            1: resubmitted;
            0: from_port;
        }
    }
    state resubmitted {
        packet.extract(metadata.resubmitted);
        transition ethernet;
    }
    state from_port {
        metadata.port = port_metadata_unpack<port_metadata_t>(packet);
        transition select(packet.lookahead<bit<8>>()) {
            0x08 &&& 0xf8: timer;
            default: ethernet;
        }
    }
    state timer {
        packet.extract(headers.timer);
        transition ethernet;
    }
    state ethernet {
        priority.set(3);
        packet.extract(headers.ethernet);
        transition select(headers.ethernet.ether_type) {
            types: ipv4;
            default: accept;
        }
    }
    state ipv4 {
        packet.extract(headers.ipv4);
        ipv4_checksum.add(headers.ipv4);
        tcp_checksum.subtract({ headers.ipv4.source, headers.ipv4.destination });
        metadata.wrong = ipv4_checksum.verify();
        metadata.residual = tcp_checksum.get();
        tcp_checksum.subtract_all_and_deposit(metadata.residual);
        counter.set(8w4);
        counter.set(headers.ipv4.length_of_options, 64, 2, 3, 1);
        counter.increment(4);
        counter.decrement(4);
        transition select(counter.is_zero(), counter.is_negative()) {
            (false, false): option;
            default: accept;
        }
    }
    state option {
        packet.extract(headers.options.next);
        counter.decrement(4);
        transition select(counter.is_zero()) {
            true: accept;
            false: option;
        }
    }
}

// The intrinsic metadata that a parser does not need may be left out.
parser ShortIngressParser(packet_in packet, out headers_t headers, out metadata_t metadata) {
    state start {
        packet.advance(64 + PORT_METADATA_SIZE);
        packet.extract(headers.ethernet);
        transition accept;
    }
}

control Ingress(
    inout headers_t headers,
    inout metadata_t metadata,
    in ingress_intrinsic_metadata_t intrinsic,
    in ingress_intrinsic_metadata_from_parser_t from_parser,
    inout ingress_intrinsic_metadata_for_deparser_t for_deparser,
    inout ingress_intrinsic_metadata_for_tm_t manager) {
    Counter<bit<64>, PortId_t>(512, CounterType_t.PACKETS_AND_BYTES) counter;
    DirectCounter<bit<32>>(CounterType_t.PACKETS) direct_counter;
    Meter<bit<10>>(1024, MeterType_t.BYTES) meter;
    Meter<bit<10>>(1024, MeterType_t.BYTES, 2, 1, 0) meter_with_values;
    DirectMeter(MeterType_t.PACKETS) direct_meter;
    DirectMeter(MeterType_t.PACKETS, 2, 1, 0) direct_meter_with_values;
    Lpf<bit<32>, bit<10>>(1024) filter;
    DirectLpf<bit<32>>() direct_filter;
    Wred<bit<32>, bit<10>>(1024, 1, 0) early;
    DirectWred<bit<32>>(1, 0) direct_early;
    Random<bit<16>>() random;
    CRCPolynomial<bit<16>>(0x8005, true, false, false, 0, 0) polynomial;
    Hash<bit<16>>(HashAlgorithm_t.CUSTOM, polynomial) own_hash;
    Hash<bit<32>>(HashAlgorithm_t.CRC32) hash;
    Hash<bit<10>>(HashAlgorithm_t.IDENTITY) identity;

    Register<bit<32>, bit<10>>(1024, 7) register;
    Register<pair, bit<10>>(1024, { 1, 2 }) pairs;
    DirectRegister<bit<16>>(5) direct_register;
    RegisterParam<bit<32>>(100) limit;
    MathUnit<bit<32>>(MathOp_t.SQRT, 1) root;
    MathUnit<bit<32>>(MathOp_t.DIV, 3, 2) quotient;
    MathUnit<bit<32>>(false, 0, -4, { 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0 }) table_of_16;

    RegisterAction<bit<32>, bit<10>, bit<32>>(register) add = {
        void apply(inout bit<32> value, out bit<32> result) {
            result = value;
            if (value < limit.read()) {
                value = value |+| root.execute(metadata.a);
            } else {
                value = quotient.execute(table_of_16.execute(metadata.a));
            }
        }
    };
    RegisterAction<bit<32>, bit<10>, bit<32>>(register) set = {
        void apply(inout bit<32> value) {
            value = metadata.a;
        }
    };
    RegisterAction<pair, bit<10>, bit<4>>(pairs) compare = {
        void apply(inout pair value, out bit<4> result) {
            result = this.predicate(value.low > metadata.a, value.high > metadata.b);
            value.high = value.low;
        }
    };
    DirectRegisterAction<bit<16>, bit<16>>(direct_register) count_hits = {
        void apply(inout bit<16> value, out bit<16> result) {
            value = value + 1;
            result = value;
        }
    };

    ActionProfile(64) profile;
    ActionProfile(64) members;
    Hash<bit<51>>(HashAlgorithm_t.RANDOM) member_hash;
    Register<bit<1>, bit<32>>(64) alive;
    ActionSelector(members, member_hash, SelectorMode_t.RESILIENT, alive, 64, 16) selector;
    ActionSelector(profile, member_hash, SelectorMode_t.FAIR, 64, 16) fair_selector;
    SelectorAction(selector) take_out = {
        void apply(inout bit<1> value) {
            value = 0;
        }
    };
    Atcam(16) partitions;
    Alpm(number_partitions = 1024, subtrees_per_partition = 2) prefixes;

    action drop() {
        for_deparser.drop_ctl = 1;
    }
    action send(PortId_t port, QueueId_t queue) {
        manager.ucast_egress_port = port;
        manager.qid = queue;
        direct_counter.count();
    }
    action measure() {
        metadata.color = direct_meter.execute();
        direct_counter.count(4);
        metadata.hash = count_hits.execute();
    }
    action measure_with_color() {
        metadata.color = direct_meter_with_values.execute(MeterColor_t.YELLOW, 4);
    }
    action average() {
        metadata.a = direct_filter.execute(metadata.a);
    }
    action detect() {
        metadata.color = direct_early.execute(metadata.a);
    }
    table exact_table {
        key = {
            headers.ethernet.destination: exact;
        }
        actions = {
            send;
            measure;
            @defaultonly drop;
        }
        default_action = drop();
        counters = direct_counter;
        meters = direct_meter;
        registers = direct_register;
        idle_timeout = true;
        size = 1024;
    }
    table metered {
        key = {
            headers.ipv4.ttl: range;
        }
        actions = {
            measure_with_color;
        }
        meters = direct_meter_with_values;
    }
    table averaged {
        key = {
            headers.ipv4.ttl: ternary;
        }
        actions = {
            average;
        }
        filters = direct_filter;
    }
    table detected {
        key = {
            headers.ipv4.ttl: exact;
        }
        actions = {
            detect;
        }
        filters = direct_early;
    }
    table selected {
        key = {
            headers.ipv4.destination: exact;
            headers.ipv4.source: selector;
        }
        actions = {
            send;
        }
        implementation = selector;
    }
    table partitioned {
        key = {
            headers.ipv4.source: ternary;
            metadata.partition: atcam_partition_index;
        }
        actions = {
            NoAction;
        }
        implementation = partitions;
    }
    table routed {
        key = {
            headers.ipv4.destination: lpm;
        }
        actions = {
            NoAction;
        }
        implementation = prefixes;
    }

    apply {
        exact_table.apply();
        metered.apply();
        averaged.apply();
        detected.apply();
        selected.apply();
        partitioned.apply();
        routed.apply();
        counter.count(intrinsic.ingress_port);
        counter.count(intrinsic.ingress_port, 4);
        metadata.index = identity.get({ headers.ipv4.source });
        metadata.color = meter.execute(metadata.index);
        metadata.color = meter.execute(metadata.index, MeterColor_t.GREEN, 20);
        metadata.color = meter_with_values.execute(metadata.index, 20);
        manager.packet_color = (bit<2>)metadata.color;
        metadata.a = filter.execute(metadata.a, metadata.index);
        metadata.color = early.execute(metadata.a, metadata.index);
        metadata.hash = random.get() ^ own_hash.get({ headers.ipv4.source, headers.ipv4.destination });
        metadata.a = add.execute(metadata.index) + hash.get(headers.ethernet.source);
        set.execute_log();
        metadata.partition = (bit<16>)compare.execute(metadata.index);
        take_out.execute(3);
        metadata.a = max(metadata.a, min(metadata.b, 32w100));
        funnel_shift_right(metadata.a, metadata.a, metadata.b, 8);
        if (is_validated(headers.ipv4) && sizeInBytes(headers.ipv4) == 20 && sizeInBits(headers.ipv4) == 160) {
            invalidate(for_deparser.mirror_type);
        }
        if (from_parser.parser_err & PARSER_ERROR_PARTIAL_HDR != PARSER_ERROR_OK) {
            drop();
        }
        if (metadata.resubmitted.isValid()) {
            for_deparser.resubmit_type = 1;
        }
        for_deparser.digest_type = 1;
        for_deparser.mirror_type = 1;
        manager.bypass_egress = (bit<1>)(DEVPORT_PIPE(intrinsic.ingress_port) == 2w1);
        manager.mcast_grp_a = 1;
        manager.level2_exclusion_id = intrinsic.ingress_port;
    }
}

control IngressDeparser(
    packet_out packet,
    inout headers_t headers,
    in metadata_t metadata,
    in ingress_intrinsic_metadata_for_deparser_t for_deparser,
    in ingress_intrinsic_metadata_t intrinsic) {
    Checksum() checksum;
    Mirror(1) mirror;
    Mirror(2) mirror_without_header;
    Resubmit(1) resubmit;
    Resubmit(2) resubmit_without_header;
    Digest<learned_t>(1) digest;

    apply {
        if (for_deparser.mirror_type == 1) {
            mirror.emit<mirror_h>(metadata.session, { 1, intrinsic.ingress_port, 0 });
        } else if (for_deparser.mirror_type == 2) {
            mirror_without_header.emit(metadata.session);
        }
        if (for_deparser.resubmit_type == 1) {
            resubmit.emit(metadata.resubmitted);
        } else if (for_deparser.resubmit_type == 2) {
            resubmit_without_header.emit();
        }
        if (for_deparser.digest_type == 1) {
            digest.pack({ headers.ethernet.source, intrinsic.ingress_port });
        }
        headers.ipv4.checksum = checksum.update({ headers.ipv4.source, headers.ipv4.destination });
        headers.ipv4.checksum = checksum.update({ headers.ipv4.source, metadata.residual }, true);
        packet.emit(headers);
    }
}

parser EgressParser(
    packet_in packet,
    out headers_t headers,
    out metadata_t metadata,
    out egress_intrinsic_metadata_t intrinsic,
    out egress_intrinsic_metadata_from_parser_t from_parser,
    out egress_intrinsic_metadata_for_deparser_t for_deparser) {
    state start {
        packet.extract(intrinsic);
        for_deparser.drop_ctl = 0;
        packet.extract(headers.ethernet);
        transition accept;
    }
}

parser ShortEgressParser(packet_in packet, out headers_t headers, out metadata_t metadata) {
    state start {
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
        headers.ethernet.ether_type = intrinsic.pkt_length;
        for_port.capture_tstamp_on_tx = intrinsic.deflection_flag;
    }
}

// Intrinsic metadata of controls may be left out, too.
control ShortEgress(inout headers_t headers, inout metadata_t metadata) {
    apply { }
}

control EgressDeparser(
    packet_out packet,
    inout headers_t headers,
    in metadata_t metadata,
    in egress_intrinsic_metadata_for_deparser_t for_deparser) {
    Mirror(1) mirror;

    apply {
        if (for_deparser.mirror_type == 1) {
            mirror.emit(metadata.session, metadata.mirror);
        }
        packet.emit(headers);
    }
}

#ifdef SEVERAL_PARSERS

IngressParsers(IngressParser(), ShortIngressParser()) ingress_parsers;
EgressParsers(EgressParser(), ShortEgressParser()) egress_parsers;
MultiParserPipeline(ingress_parsers, Ingress(), IngressDeparser(), egress_parsers, Egress(), EgressDeparser()) pipe;
MultiParserSwitch(pipe) main;

#else

Pipeline(IngressParser(), Ingress(), IngressDeparser(), EgressParser(), Egress(), EgressDeparser()) first;
Pipeline(ShortIngressParser(), Ingress(), IngressDeparser(), ShortEgressParser(), ShortEgress(), EgressDeparser()) second;
Switch(first, second) main;

#endif
