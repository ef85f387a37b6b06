//! Tables that are filled, changed and emptied while packets pass, on the interpreter and on machine code.

use std::sync::Arc;

use basis::{Instant, Random};
use control::*;
use diagnostics::Sources;
use ir::interpret::PacketInterpreter;
use machines::Device;
use machines::v1model::{Switch, V1modelParameters};
use native::Native;
use node::{Outbox, Port};
use runtime::Bits;
use runtime::tables::FieldMatch;
use wire::Packet;

/// Each table writes what it found to a field of its own; the counter tells which entries were hit.
const PROGRAM: &str = r#"
#include <core.p4>
#include <v1model.p4>

header h_t { bit<8> key; bit<8> exact; bit<8> prefix; bit<8> ternary; bit<8> counted; }
struct headers { h_t h; }
struct metadata { }

parser P(packet_in packet, out headers hdr, inout metadata meta, inout standard_metadata_t standard_metadata) {
    state start { packet.extract(hdr.h); transition accept; }
}
control Verify(inout headers hdr, inout metadata meta) { apply { } }
control Ingress(inout headers hdr, inout metadata meta, inout standard_metadata_t standard_metadata) {
    direct_counter(CounterType.packets) hits;
    action set_exact(bit<8> value) { hdr.h.exact = value; }
    action set_prefix(bit<8> value) { hdr.h.prefix = value; }
    action set_ternary(bit<8> value) { hdr.h.ternary = value; }
    action set_counted(bit<8> value) { hdr.h.counted = value; }
    table exact_table { key = { hdr.h.key: exact; } actions = { set_exact; } default_action = set_exact(1); }
    table prefix_table { key = { hdr.h.key: lpm; } actions = { set_prefix; } default_action = set_prefix(2); }
    table ternary_table { key = { hdr.h.key: ternary; } actions = { set_ternary; } default_action = set_ternary(3); }
    table counted_table {
        key = { hdr.h.key: exact; }
        actions = { set_counted; }
        default_action = set_counted(4);
        counters = hits;
    }
    apply {
        if (exact_table.apply().hit) { hdr.h.exact = hdr.h.exact | 0x80; }
        if (prefix_table.apply().hit) { hdr.h.prefix = hdr.h.prefix | 0x80; }
        if (ternary_table.apply().hit) { hdr.h.ternary = hdr.h.ternary | 0x80; }
        if (counted_table.apply().hit) { hdr.h.counted = hdr.h.counted | 0x80; }
    }
}
control Egress(inout headers hdr, inout metadata meta, inout standard_metadata_t standard_metadata) { apply { } }
control Compute(inout headers hdr, inout metadata meta) { apply { } }
control Deparser(packet_out packet, in headers hdr) { apply { packet.emit(hdr.h); } }
V1Switch(P(), Verify(), Ingress(), Egress(), Compute(), Deparser()) main;
"#;

const ACTIONS: [&str; 4] = ["set_exact", "set_prefix", "set_ternary", "set_counted"];
const TERNARY: usize = 2;

/// A switch with a program, by the interpreter and by machine code.
pub fn switches(program: &str) -> [Box<dyn Device>; 2] {
    let mut sources = Sources::new();
    let main = sources.add("main.p4", program);
    let preprocessed = p4::preprocess(&mut sources, main, &p4::Disk, &p4::Options::default());
    let (tree, _) = p4::parse(&preprocessed.tokens);
    let (checked, _) = p4::check(&tree);
    let lowered = p4::lower(&tree, checked).unwrap_or_else(|_| panic!("the program is sound"));
    let (program, info) = (Arc::new(lowered.program), Arc::new(lowered.info));
    let native = Native::compile(Arc::clone(&program)).expect("code for this computer");
    let parameters = V1modelParameters::default;
    let interpreter = Switch::new(PacketInterpreter::new(program), Arc::clone(&info), parameters());
    let native = Switch::new(native, info, parameters());
    [Box::new(interpreter.expect("a v1model program")), Box::new(native.expect("a v1model program"))]
}

fn byte(value: u64) -> Bits {
    Bits::from_u64(value, 8)
}

/// A key of one of few values, so that entries are found, deleted and added again.
fn key(table: usize, random: &mut Random) -> FieldMatch {
    let value = random.below(6) * 40;
    match table {
        1 => {
            let length = random.below(9) as u32;
            FieldMatch::Prefix { value: byte(value & !(0xFFu64 >> length)), length }
        }
        TERNARY => {
            let mask = [0xFF, 0xF0, 0x08][random.below(3) as usize];
            FieldMatch::Mask { value: byte(value & mask), mask: byte(mask) }
        }
        _ => FieldMatch::Exact(byte(value)),
    }
}

/// A change of a table: entries come and go, all of them at times, and so does the action of a miss.
fn change(info: &Info, random: &mut Random) -> Request {
    let number = random.below(4) as usize;
    let table = TableNumber(number as u32);
    let action = info.action_named(table, ACTIONS[number]).expect("an action of the table");
    let target = Target::Action(ActionCall { action, data: vec![byte(random.below(128))] });
    let key = vec![key(number, random)];
    let priority = (number == TERNARY).then_some(1 + random.below(3) as u32);
    let request = match random.below(16) {
        0..6 => TableRequest::insert(key, priority, target),
        6..12 => TableRequest::Delete(EntrySelection::Key { key, priority }),
        12..14 => TableRequest::Clear,
        14 => TableRequest::SetDefault { target, metadata: Vec::new() },
        _ => TableRequest::ResetDefault,
    };
    Request::Table(table, request)
}

/// Sends a packet and returns the one that leaves.
pub fn send(device: &mut dyn Device, bytes: &[u8]) -> Vec<u8> {
    let mut out = Outbox::default();
    out.begin(Instant::ZERO);
    device.receive(Instant::ZERO, Port(0), &mut vec![Packet::of_bytes(bytes)], &mut out);
    out.transmissions.pop().map_or(Vec::new(), |sent| sent.packet.head.bytes().to_vec())
}

/// Every packet meets the tables as the requests before it have left them.
#[test]
fn packets_between_changes_of_tables_leave_as_by_the_interpreter() {
    let [mut interpreter, mut native] = switches(PROGRAM);
    let info = interpreter.info().clone();
    let mut random = Random::new(1);
    let (mut hits, mut misses) = ([0; 4], [0; 4]);
    for step in 0..4_000 {
        let request = change(&info, &mut random);
        let [expected, found] = [&mut interpreter, &mut native].map(|device| device.execute(&request).ok());
        assert_eq!(expected, found, "step {step}, {request:?}");
        for _ in 0..3 {
            let key = random.below(6) as u8 * 40 + random.below(2) as u8;
            let [expected, found] =
                [&mut interpreter, &mut native].map(|device| send(&mut **device, &[key, 0, 0, 0, 0]));
            assert_eq!(expected, found, "step {step}, a packet with key {key} after {request:?}");
            for (table, &field) in found[1..].iter().enumerate() {
                *if field & 0x80 != 0 { &mut hits[table] } else { &mut misses[table] } += 1;
            }
        }
    }
    assert!(hits.iter().chain(&misses).all(|&count| count > 500), "hits {hits:?}, misses {misses:?}");
    let counted = TableRequest::Read(None, EntryDetails { count: true, ..EntryDetails::NONE });
    let counted = Request::Table(TableNumber(3), counted);
    let [expected, found] = [&mut interpreter, &mut native].map(|device| device.execute(&counted).ok());
    assert!(expected.is_some());
    assert_eq!(expected, found);
}
