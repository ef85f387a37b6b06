// A bit of everything that v1model has, on short headers, so that a fuzzer gets everywhere with few bytes.
#include <core.p4>
#include <v1model.p4>

error { Wrong }

enum bit<8> Kind { Stack = 1, Union = 2, Options = 3, Number = 4 }

header start_t { Kind kind; bit<8> asks; bit<8> value; }
header item_t { bit<1> last; bit<7> number; }
header narrow_t { bit<8> x; }
header wide_t { bit<72> x; }
header options_t { bit<3> flags; bit<5> length; varbit<248> data; }
header_union either_t { narrow_t narrow; wide_t wide; }

struct headers_t { start_t start; item_t[3] items; either_t either; options_t options; }
struct learned_t { bit<8> value; bit<9> port; }
struct metadata_t {
    @field_list(1) bit<8> kept;
    bit<8> index;
    bit<32> hashed;
    bit<2> color;
    int<8> signed;
    bit<16> sum;
}

parser Items(packet_in packet, inout item_t[3] items) {
    state start {
        packet.extract(items.next);
        transition select(items.last.last) { 1: accept; default: start; }
    }
}

parser Read(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    value_set<bit<8>>(4) wides;
    Items() items;
    state start {
        packet.extract(hdr.start);
        meta.index = hdr.start.value & 3;
        verify(hdr.start.value != 0xEE, error.Wrong);
        transition select(hdr.start.kind, packet.lookahead<bit<8>>()) {
            (Kind.Stack, _): stack;
            (Kind.Union, 0x10 .. 0x1F): narrow;
            (Kind.Union, wides): wide;
            (Kind.Options, 0 &&& 0x80): options;
            (Kind.Number, _): skip;
            default: accept;
        }
    }
    state stack { items.apply(packet, hdr.items); transition accept; }
    state narrow { packet.extract(hdr.either.narrow); transition accept; }
    state wide { packet.extract(hdr.either.wide); transition accept; }
    state options {
        packet.extract(hdr.options, (bit<32>)(packet.lookahead<bit<8>>()[4:0]) * 8);
        transition accept;
    }
    state skip { packet.advance((bit<32>)hdr.start.value); transition accept; }
}

control Verify(inout headers_t hdr, inout metadata_t meta) {
    apply {
        verify_checksum(hdr.options.isValid(), { hdr.start.asks, hdr.options.data }, meta.sum, HashAlgorithm.csum16);
    }
}

control In(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    register<bit<72>>(4) wide_values;
    register<bit<8>>(8) values;
    counter(4, CounterType.packets_and_bytes) asked;
    meter(4, MeterType.bytes) rates;
    direct_counter(CounterType.packets) entry_used;
    direct_meter<bit<2>>(MeterType.packets) entry_rates;
    action_selector(HashAlgorithm.crc16, 8, 4) chosen;

    action drop() { mark_to_drop(standard); }
    action to(bit<9> port) { standard.egress_spec = port; }
    action counted_to(bit<9> port) { entry_used.count(); standard.egress_spec = port; }
    action measured(bit<8> value) { entry_rates.read(meta.color); hdr.start.value = value |+| hdr.start.value; }
    action group(bit<16> number) { standard.mcast_grp = number; }
    action put(in bit<8> number, bit<8> value) { hdr.items[number].number = value[6:0]; hdr.items.push_front(1); }

    table exact_one {
        key = { hdr.start.kind: exact; hdr.either.narrow.isValid(): exact; }
        actions = { counted_to; drop; group; }
        default_action = counted_to(2);
        counters = entry_used;
        size = 4;
    }
    table longest {
        key = { hdr.start.value: lpm; standard.ingress_port: exact; }
        actions = { measured; NoAction; }
        meters = entry_rates;
        default_action = NoAction();
    }
    table ranked {
        key = { hdr.start.asks: ternary; meta.index: range; hdr.either.wide.x: optional; }
        actions = { to; put(meta.index); drop; @defaultonly NoAction; }
        default_action = NoAction();
        entries = {
            priority = 10: (0x80 &&& 0xC0, 1 .. 2, _) : to(3);
            const priority = 20: (_, _, 7) : drop();
        }
    }
    table balanced {
        key = { hdr.start.kind: exact; hdr.start.value: selector; meta.hashed: selector; }
        actions = { to; group; NoAction; }
        implementation = chosen;
    }

    apply {
        hash(meta.hashed, HashAlgorithm.crc32, 32w0, { hdr.start, hdr.items[0].number }, 32w100);
        asked.count((bit<32>)meta.index);
        switch (exact_one.apply().action_run) {
            drop: { meta.kept = 1; }
            group: { return; }
            default: { if (longest.apply().hit) { ranked.apply(); } else { balanced.apply(); } }
        }
        rates.execute_meter((bit<32>)hdr.start.value, meta.color);
        meta.signed = (int<8>)hdr.start.value >> meta.index;
        for (bit<8> turn in 0 .. meta.index) {
            if (hdr.items[turn].isValid()) { meta.kept = meta.kept + (bit<8>)hdr.items[turn].number; continue; }
            bit<72> stored;
            wide_values.read(stored, (bit<32>)turn);
            wide_values.write((bit<32>)turn, stored * 3 - hdr.either.wide.x);
            break;
        }
        switch (hdr.start.asks[3:0]) {
            1: { clone_preserving_field_list(CloneType.I2E, (bit<32>)hdr.start.value, 1); }
            2: { resubmit_preserving_field_list(1); }
            3: { digest<learned_t>(1, { hdr.start.value, standard.ingress_port }); }
            4: { truncate((bit<32>)hdr.start.value); }
            5: { random(meta.kept, 3, hdr.start.value); standard.egress_spec = (bit<9>)meta.kept; }
            6: { hdr.items.pop_front(2); hdr.either.wide = { 5 }; }
            7: { hdr.options.setInvalid(); exit; }
            8: { bit<8> unset; values.write((bit<32>)meta.index, unset); hdr.start.value = unset; }
            9: { assert(hdr.start.value != 9); }
            10: { hdr.items[1] = hdr.items[meta.index]; hdr.items[2].setValid(); hdr.items[meta.index].number = 1; }
            11: { hdr.start.value = (bit<8>)(meta.signed |-| 100) / 3; }
            12: { log_msg("kind {} of {}", { hdr.start.kind, hdr.items[2].number }); }
            default: { values.read(meta.kept, (bit<32>)hdr.start.value); }
        }
    }
}

control Out(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        if (hdr.start.asks[4:4] == 1) { clone(CloneType.E2E, (bit<32>)hdr.start.value); }
        if (hdr.start.asks[5:5] == 1) { recirculate_preserving_field_list(1); }
        if (hdr.start.asks[6:6] == 1) { mark_to_drop(standard); }
        if (hdr.start.asks[7:7] == 1) { hdr.either.narrow.setValid(); hdr.either.narrow.x = (bit<8>)standard.egress_rid; }
        hdr.start.asks = hdr.start.asks << 1 | (bit<8>)standard.instance_type;
    }
}

control Compute(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum_with_payload(hdr.options.isValid(), { hdr.start }, meta.sum, HashAlgorithm.csum16);
    }
}

control Write(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.start);
        packet.emit(hdr.items);
        packet.emit(hdr.either);
        packet.emit(hdr.options);
    }
}

V1Switch(Read(), Verify(), In(), Out(), Compute(), Write()) main;
