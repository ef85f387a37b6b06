//! Tests of values, tables and state in pipelines, compared with the switch on random packets.

use std::collections::BTreeSet;

use basis::Random;

use crate::held::Held;
use crate::language::{NOTHING, Parts, program};
use crate::load::load;

/// Compares a program with the switch on random packets whose first byte is small.
fn same(parts: &Parts, length: u64) {
    let (program, info) = load("test.p4", &program(parts));
    let mut held = Held::new(&program, &info);
    let mut random = Random::new(12);
    for _ in 0..300 {
        let mut bytes: Vec<u8> = (0..length + random.below(3)).map(|_| random.bits() as u8).collect();
        bytes[0] %= 8;
        if random.chance(0.5) {
            bytes[1..].iter_mut().for_each(|byte| *byte %= 3);
        }
        held.packet(0, &bytes).unwrap_or_else(|difference| panic!("{difference}\n{program}"));
    }
    assert!(held.transmitted > 20, "most packets leave");
}

#[test]
fn splits_wide_values_into_words() {
    let parts = Parts {
        declarations: "header wide_t { bit<128> x; bit<100> y; bit<4> rest; }",
        headers: "wide_t wide;",
        states: "state next { packet.extract(hdr.wide); transition accept; }",
        locals: "register<bit<128>>(4) kept;",
        ingress: "bit<128> old;
            kept.read(old, (bit<32>)hdr.h.b[1:0]);
            if (hdr.h.a == 0) { hdr.wide.x = hdr.wide.x & ~(bit<128>)hdr.wide.y; }
            if (hdr.h.a == 1) {
                hdr.wide.x = hdr.wide.x[29:0] ++ hdr.wide.y[97:0];
                hdr.wide.y[70:61] = hdr.wide.x[127:118];
            }
            if (hdr.h.a == 2 && hdr.wide.x < old) { hdr.wide.x = hdr.wide.x ^ old; }
            if (hdr.h.a == 3) { hdr.wide.x = (hdr.wide.x << 70) | (hdr.wide.x >> 3); }
            if (hdr.h.a == 4) { hdr.wide.x = (bit<128>)(int<128>)(int<8>)hdr.h.b; }
            if (hdr.h.a == 5) { hdr.wide.y = (hdr.wide.x == old) ? (bit<100>)hdr.wide.x : 5; }
            if (hdr.h.a == 6) {
                hash(hdr.h.d, HashAlgorithm.crc32, 32w0, { hdr.wide.y, hdr.wide.x, hdr.wide.rest }, 32w1000);
            }
            if (hdr.wide.x >= 0x20000000000000000 && hdr.h.c[0:0] == 1) {
                kept.write((bit<32>)hdr.h.b[1:0], hdr.wide.x);
            }
            hdr.h.c = (bit<16>)hdr.wide.y[79:64];",
        emitted: "packet.emit(hdr.wide);",
        ..NOTHING
    };
    same(&parts, 37);
}

#[test]
fn slices_and_signs_become_shifts_and_casts() {
    let parts = Parts {
        ingress: "int<8> s = (int<8>)hdr.h.b;
            hdr.h.c[11:4] = hdr.h.c[9:2];
            if (s < 0) { hdr.h.d = (bit<32>)(bit<24>)(int<24>)(s >> 2); } else { hdr.h.d[30:15] = hdr.h.a ++ hdr.h.b; }
            hdr.h.b = (bit<8>)(s |-| 100);
            bool odd = hdr.h.a[0:0] == 1;
            hdr.h.a = odd ? hdr.h.a << hdr.h.b[2:0] : (bit<8>)(hdr.h.c >> hdr.h.b);",
        ..NOTHING
    };
    same(&parts, 8);
}

#[test]
fn look_ups_choose_the_actions_of_tables() {
    let parts = Parts {
        declarations: "header wide_t { bit<128> address; }",
        headers: "wide_t wide;",
        metadata: "bit<8> seen;",
        states: "state next { packet.extract(hdr.wide); transition accept; }",
        locals: "direct_counter(CounterType.packets_and_bytes) used;
            counter(2, CounterType.bytes) acted;
            action set(bit<128> to, bit<9> port) {
                hdr.wide.address = to;
                std.egress_spec = port;
                acted.count((bit<32>)hdr.h.c[1:0]);
            }
            action add(inout bit<8> to, bit<8> more) { to = to + more; if (to == 9) { exit; } }
            action drop() { mark_to_drop(std); }
            table first {
                key = { hdr.h.b: exact; hdr.wide.address[127:1] & 0x3: ternary @name(\"part\"); }
                actions = { set; add(hdr.h.a); drop; NoAction; }
                const entries = {
                    (0, 1 &&& 1): set(0x1234567890ABCDEF00000000FEDCBA98, 2);
                    (0, _): add(3);
                    (1, 2): drop();
                    (2, _): add(7);
                }
                default_action = add(1);
                counters = used;
            }
            table second {
                key = { meta.seen: exact; }
                actions = { add(meta.seen); }
                default_action = add(meta.seen, 2);
            }
            table third { actions = { NoAction; set; } default_action = set(1, 3); }",
        ingress: "meta.seen = hdr.h.a;
            switch (first.apply().action_run) {
                set: { hdr.h.d = 5; third.apply(); }
                add: { if (!second.apply().hit) { hdr.h.d = hdr.h.d + 1; } }
                default: { hdr.h.c = 3; }
            }
            hdr.h.b = meta.seen;",
        emitted: "packet.emit(hdr.wide);",
        ..NOTHING
    };
    same(&parts, 24);
}

#[test]
fn checksums_of_varbit_fields_have_two_fixed_lengths() {
    let parts = Parts {
        declarations: "header long_t { bit<8> x; varbit<40> y; } header longer_t { varbit<64> y; bit<16> z; }",
        headers: "long_t long; longer_t longer;",
        states: "state next {
                packet.extract(hdr.long, (bit<32>)hdr.h.a * 8);
                packet.extract(hdr.longer, (bit<32>)hdr.h.b * 8);
                transition accept;
            }",
        ingress: "hash(hdr.h.c, HashAlgorithm.csum16, 16w0, { hdr.long.x, hdr.long.y, hdr.h.d }, 16w0xFFFF);
            hash(hdr.h.d, HashAlgorithm.xor16, 32w0, { hdr.longer.y, hdr.longer.z, hdr.h.d }, 32w0xFFFF);",
        emitted: "packet.emit(hdr.longer);",
        ..NOTHING
    };
    same(&parts, 26);
}

#[test]
fn merges_look_ups_on_both_sides_of_a_branch() {
    let parts = Parts {
        locals: "action set(bit<8> to) { hdr.h.b = to; }
            action drop() { mark_to_drop(std); }
            table both {
                key = { hdr.h.a: exact; hdr.h.c: ternary; }
                actions = { set; drop; }
                const entries = { (0, 1): set(1); (1, _): set(2); (2, 2): drop(); (3, 7): set(3); (9, _): set(4); }
                default_action = set(9);
            }",
        ingress: "if (hdr.h.d[1:0] == 0) {
                hdr.h.c = hdr.h.c + 1;
                if (hdr.h.b != 1) { both.apply(); }
            } else if (hdr.h.d[1:0] == 1) {
                hdr.h.a = hdr.h.a ^ 3; hdr.h.c = (bit<16>)hdr.h.b;
                if (!both.apply().hit) { hdr.h.c = 99; }
            } else {
                switch (both.apply().action_run) { set: { hdr.h.d = 1; } default: { } }
            }",
        ..NOTHING
    };
    let (flattened, _) = load("test.p4", &program(&parts));
    let text = crate::held::flattened(&flattened).flat.to_string();
    let keys: BTreeSet<&str> = text.lines().filter_map(|line| line.split_once("lookup(")).map(keys).collect();
    assert_eq!(keys.len(), 1, "{text}");
    same(&parts, 8);
}

/// Returns the keys of a look-up, which come after the table and the requested result.
fn keys<'t>((_, arguments): (&'t str, &'t str)) -> &'t str {
    let at = arguments.find("both.$key").expect("a key that was chosen");
    &arguments[at..]
}
