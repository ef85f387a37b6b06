//! Tables of which machine code reads shortcuts, against the interpreter.

use basis::Random;
use control::*;
use runtime::Bits;
use runtime::tables::FieldMatch;

use crate::changes::{send, switches};

/// Every table has a key of another form and writes what it found to the packet. Data of 6 words fits into no shortcut.
const PROGRAM: &str = r#"
#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<64> wide; bit<32> word; bit<9> port; bit<7> small;
    bit<16> r0; bit<16> r1; bit<16> r2; bit<16> r3; bit<16> r4; bit<16> r5; bit<16> r6; bit<16> r7;
    bit<384> long; bit<128> data;
}
struct headers { h_t h; }
struct metadata { }

parser P(packet_in packet, out headers hdr, inout metadata meta, inout standard_metadata_t standard_metadata) {
    state start { packet.extract(hdr.h); transition accept; }
}
control Verify(inout headers hdr, inout metadata meta) { apply { } }
control Ingress(inout headers hdr, inout metadata meta, inout standard_metadata_t standard_metadata) {
    action none() { }
    action set0(bit<16> value) { hdr.h.r0 = value; }
    action set1(bit<16> value) { hdr.h.r1 = value; }
    action set2(bit<16> value) { hdr.h.r2 = value; }
    action set3(bit<16> value) { hdr.h.r3 = value; }
    action set4(bit<16> value) { hdr.h.r4 = value; }
    action set5(bit<16> value) { hdr.h.r5 = value; }
    action set6(bit<16> value) { hdr.h.r6 = value; }
    action set7(bit<16> value, bit<384> long) { hdr.h.r7 = value; hdr.h.long = long; }
    action more0(bit<16> value, bit<128> data, bit<64> word) { hdr.h.r0 = value; hdr.h.data = data; hdr.h.wide = word; }
    table t0 { key = { hdr.h.word: exact; } actions = { set0; none; more0; } default_action = set0(100); }
    table t1 { key = { hdr.h.small: exact; hdr.h.word: exact; } actions = { set1; none; } default_action = none; }
    table t2 { key = { hdr.h.wide: exact; } actions = { set2; none; } default_action = set2(102); }
    table t3 { key = { hdr.h.word: lpm; } actions = { set3; none; } default_action = set3(103); }
    table t4 { key = { hdr.h.port: lpm; } actions = { set4; none; } default_action = set4(104); }
    table t5 { key = { hdr.h.wide: lpm; } actions = { set5; none; } default_action = none; }
    table t6 { key = { hdr.h.small: exact; hdr.h.word: lpm; } actions = { set6; none; } default_action = set6(106); }
    table t7 { key = { hdr.h.small: exact; } actions = { set7; none; } default_action = set7(107, 7); }
    apply {
        if (t0.apply().hit) { hdr.h.r0 = hdr.h.r0 | 0x8000; }
        if (t1.apply().hit) { hdr.h.r1 = hdr.h.r1 | 0x8000; }
        if (t2.apply().hit) { hdr.h.r2 = hdr.h.r2 | 0x8000; }
        if (t3.apply().hit) { hdr.h.r3 = hdr.h.r3 | 0x8000; }
        if (t4.apply().hit) { hdr.h.r4 = hdr.h.r4 | 0x8000; }
        if (t5.apply().hit) { hdr.h.r5 = hdr.h.r5 | 0x8000; }
        if (t6.apply().hit) { hdr.h.r6 = hdr.h.r6 | 0x8000; }
        if (t7.apply().hit) { hdr.h.r7 = hdr.h.r7 | 0x8000; }
    }
}
control Egress(inout headers hdr, inout metadata meta, inout standard_metadata_t standard_metadata) { apply { } }
control Compute(inout headers hdr, inout metadata meta) { apply { } }
control Deparser(packet_out packet, in headers hdr) { apply { packet.emit(hdr.h); } }
V1Switch(P(), Verify(), Ingress(), Egress(), Compute(), Deparser()) main;
"#;

/// The widths of the fields of each table's key. The last field of those with `true` is matched by its longest prefix.
const KEYS: [(&[u32], bool); 8] = [
    (&[32], false),
    (&[7, 32], false),
    (&[64], false),
    (&[32], true),
    (&[9], true),
    (&[64], true),
    (&[7, 32], true),
    (&[7], false),
];
/// The bytes of a packet before the results, and of all of it.
const FRONT: usize = 14;
const LENGTH: usize = FRONT + 16 + 48 + 16;

/// Returns one of few values of a field.
fn value(width: u32, random: &mut Random) -> u64 {
    let value = random.below(12) * 0x0101_0101_0101_0101 + random.below(2);
    value & (u64::MAX >> (64 - width))
}

fn key(table: usize, random: &mut Random) -> Vec<FieldMatch> {
    let (widths, has_prefix) = KEYS[table];
    let field = |(at, &width): (usize, &u32)| {
        let value = value(width, random);
        if !has_prefix || at + 1 < widths.len() {
            return FieldMatch::Exact(Bits::from_u64(value, width));
        }
        let length = random.below(u64::from(width) + 1) as u32;
        let behind = u64::MAX.unbounded_shr(64 - width + length);
        FieldMatch::Prefix { value: Bits::from_u64(value & !behind, width), length }
    };
    widths.iter().enumerate().map(field).collect()
}

/// A change of a table: entries come and go, many at once at times, and so does the action of a miss.
fn changes(info: &Info, random: &mut Random) -> Vec<Request> {
    let number = random.below(KEYS.len() as u64) as usize;
    let table = TableNumber(number as u32);
    let target = |random: &mut Random| {
        let word = |random: &mut Random, width| Bits::from_u64(random.below(1 << 14), width);
        let (name, widths): (String, &[u32]) = match (number, random.below(4)) {
            (_, 0) => ("none".to_owned(), &[]),
            (0, 1) => ("more0".to_owned(), &[16, 128, 64]),
            (7, _) => ("set7".to_owned(), &[16, 384]),
            _ => (format!("set{number}"), &[16]),
        };
        let action = info.action_named(table, &name).expect("an action of the table");
        Target::Action(ActionCall { action, data: widths.iter().map(|&width| word(random, width)).collect() })
    };
    let requests = match random.below(16) {
        0..8 => vec![TableRequest::insert(key(number, random), None, target(random))],
        8..10 => vec![TableRequest::Delete(EntrySelection::Key { key: key(number, random), priority: None })],
        10..12 => vec![TableRequest::Clear],
        12 => (0..400).map(|_| TableRequest::insert(key(number, random), None, target(random))).collect(),
        13..15 => vec![TableRequest::SetDefault { target: target(random), metadata: Vec::new() }],
        _ => vec![TableRequest::ResetDefault],
    };
    requests.into_iter().map(|request| Request::Table(table, request)).collect()
}

fn packet(random: &mut Random) -> [u8; LENGTH] {
    let mut bytes = [0; LENGTH];
    bytes[..8].copy_from_slice(&value(64, random).to_be_bytes());
    bytes[8..12].copy_from_slice(&(value(32, random) as u32).to_be_bytes());
    let ports = value(9, random) << 7 | value(7, random);
    bytes[12..14].copy_from_slice(&(ports as u16).to_be_bytes());
    bytes
}

/// Every packet meets the tables as they are, whether few or many packets have come since they were changed.
#[test]
fn tables_with_shortcuts_answer_as_by_the_interpreter() {
    let [mut interpreter, mut native] = switches(PROGRAM);
    let info = interpreter.info().clone();
    let mut random = Random::new(1);
    let (mut hits, mut misses) = ([0; KEYS.len()], [0; KEYS.len()]);
    for step in 0..600 {
        for request in changes(&info, &mut random) {
            let [expected, found] = [&mut interpreter, &mut native].map(|device| device.execute(&request).ok());
            assert_eq!(expected, found, "step {step}, {request:?}");
        }
        let packets = [0, 1, 10, 40, 100][random.below(5) as usize];
        for number in 0..packets {
            let bytes = packet(&mut random);
            let [expected, found] = [&mut interpreter, &mut native].map(|device| send(&mut **device, &bytes));
            assert_eq!(expected, found, "step {step}, packet {number}");
            for table in 0..KEYS.len() {
                *if found[FRONT + 2 * table] & 0x80 != 0 { &mut hits[table] } else { &mut misses[table] } += 1;
            }
        }
    }
    assert!(hits.iter().chain(&misses).all(|&count| count > 500), "hits {hits:?}, misses {misses:?}");
}
