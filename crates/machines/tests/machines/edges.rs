//! Parsers and deparsers at the two ends of a pipeline that does nothing.

use std::sync::Arc;

use basis::Instant;
use diagnostics::Sources;
use ir::interpret::Interpreter;
use machines::Edge;
use machines::edge::ProgramEdge;
use passes::flatten::{Flattened, Options, flatten};
use runtime::binding::Departure;
use runtime::tables::{FieldMatch, TableEntry, Target};
use runtime::{Bits, Count, ProgramState};
use wire::{Packet, SharedBytes, Tail};

/// A program that parses a second header if the value set contains the packet's kind, and has a single table with
/// direct counters.
const PROGRAM: &str = r#"
#include <core.p4>
#include <v1model.p4>

header kind_t { bit<8> kind; }
header wide_t { bit<100> wide; bit<4> rest; }
struct headers { kind_t kind; wide_t wide; }
struct metadata { }

parser TheParser(packet_in packet, out headers hdr, inout metadata meta, inout standard_metadata_t standard) {
    value_set<bit<8>>(4) wides;
    state start {
        packet.extract(hdr.kind);
        transition select(hdr.kind.kind) { wides: wide; default: accept; }
    }
    state wide { packet.extract(hdr.wide); transition accept; }
}
control Verify(inout headers hdr, inout metadata meta) { apply { } }
control Ingress(inout headers hdr, inout metadata meta, inout standard_metadata_t standard) {
    direct_counter(CounterType.packets_and_bytes) counted;
    action send(bit<9> port) { counted.count(); standard.egress_spec = port; }
    action drop() { counted.count(); mark_to_drop(standard); }
    table kinds {
        key = { hdr.kind.kind: exact; }
        actions = { send; drop; }
        default_action = drop();
        counters = counted;
    }
    apply {
        kinds.apply();
        if (hdr.wide.isValid()) { hdr.wide.wide = hdr.wide.wide ^ 100w5; }
        if (standard.parser_error != error.NoError) { standard.egress_spec = 9; }
    }
}
control Egress(inout headers hdr, inout metadata meta, inout standard_metadata_t standard) { apply { } }
control Compute(inout headers hdr, inout metadata meta) { apply { } }
control Deparser(packet_out packet, in headers hdr) { apply { packet.emit(hdr.kind); packet.emit(hdr.wide); } }
V1Switch(TheParser(), Verify(), Ingress(), Egress(), Compute(), Deparser()) main;
"#;

/// An edge, the flat program, and the tables that packets are looked up in.
struct Bench {
    edge: ProgramEdge,
    interpreter: Interpreter,
    tables: ProgramState,
}

impl Bench {
    fn new() -> Self {
        let flattened = flattened();
        let edge = ProgramEdge::new(&flattened).unwrap();
        let interpreter = Interpreter::new(&flattened.flat);
        let mut tables = interpreter.clone().state_mut().clone();
        tables.value_sets = vec![Vec::new()];
        Self { edge, interpreter, tables }
    }

    /// Makes changes of the tables effective.
    fn write(&mut self) {
        self.edge.set_tables(&Arc::new(self.tables.clone()));
        self.interpreter.state_mut().tables.clone_from(&self.tables.tables);
    }

    fn send_kind(&mut self, kind: u64, port: u64) -> runtime::tables::EntryHandle {
        let key = vec![FieldMatch::Exact(Bits::from_u64(kind, 8))];
        let target = Target::Action { action: 0, data: vec![Bits::from_u64(port, 9)] };
        self.tables.tables[0].insert(TableEntry { key, priority: 0, target, is_constant: false }).unwrap()
    }

    /// Sends a packet through edge and program; `inside` may change the tables while the packet is inside.
    fn pass(&mut self, packet: &mut Packet, inside: impl FnOnce(&mut Self)) -> Departure {
        let mut values = vec![0; self.interpreter.program().variables.len()];
        assert!(self.edge.load(packet, 3, Instant::ZERO, &mut values, None));
        let seen = self.tables.clone();
        self.interpreter.packet(&mut values);
        inside(self);
        self.edge.store(&values, packet, Some(&seen), None)
    }
}

fn flattened() -> Flattened {
    let mut sources = Sources::new();
    let main = sources.add("test.p4", PROGRAM);
    let read = p4::preprocess(&mut sources, main, &p4::Disk, &p4::Options::default());
    let (program, found) = p4::parse(&read.tokens);
    assert!(!found.has_errors(), "{}", found.render(&sources, false));
    let (checked, found) = p4::check(&program);
    assert!(!found.has_errors(), "{}", found.render(&sources, false));
    let lowered = p4::lower(&program, checked).unwrap_or_else(|found| panic!("{}", found.render(&sources, false)));
    flatten(&lowered.program, &Options::default()).unwrap_or_else(|findings| panic!("{findings:#?}"))
}

const SENT: Departure = Departure { port: Some(5), drop: false };

#[test]
fn edge_parses_and_deparses_unaligned_fields() {
    let mut bench = Bench::new();
    bench.send_kind(7, 5);
    bench.write();
    // The second header is not parsed, because the value set is empty.
    let mut packet = Packet::of_bytes(&[7, 1, 2, 3]).with_tail(Tail::Length(50));
    let before = packet.clone();
    assert_eq!(bench.pass(&mut packet, |_| ()), SENT);
    assert_eq!(packet, before);
    // Now it is parsed; its 104 bits reach into the tail.
    bench.tables.value_sets[0].push(vec![FieldMatch::Exact(Bits::from_u64(7, 8))]);
    bench.write();
    let tail = SharedBytes::from([4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]);
    let mut packet = Packet::of_bytes(&[7, 1, 2, 3]).with_tail(Tail::Bytes(tail));
    assert_eq!(bench.pass(&mut packet, |_| ()), SENT);
    assert_eq!(packet.head.bytes(), [7, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0x5D]);
    assert_eq!(packet.tail, Tail::Bytes([14].into()), "what was not parsed stays where it is");
    // The packet ends within a header, and the program sees the error.
    let mut short = Packet::of_bytes(&[7, 1]);
    assert_eq!(bench.pass(&mut short, |_| ()), Departure { port: Some(9), drop: false });
}

#[test]
fn entries_count_until_they_are_deleted() {
    let mut bench = Bench::new();
    let (first, second) = (bench.send_kind(7, 5), bench.send_kind(8, 5));
    bench.write();
    for kind in [7, 8, 7, 9] {
        bench.pass(&mut Packet::of_bytes(&[kind, 0, 0]), |_| ());
    }
    let of = |bench: &Bench, entry| bench.edge.counted()[0].of(entry);
    assert_eq!(of(&bench, first), Count { packets: 2, bytes: 6 });
    assert_eq!(of(&bench, second), Count { packets: 1, bytes: 3 });
    // The entry is deleted and replaced by another one while a packet that matched it is inside.
    let mut third = None;
    bench.pass(&mut Packet::of_bytes(&[7]), |bench| {
        bench.tables.tables[0].delete(first).unwrap();
        third = Some(bench.send_kind(7, 6));
        bench.write();
    });
    assert_eq!(of(&bench, first), Count::default(), "it took its counter along");
    assert_eq!(of(&bench, second), Count { packets: 1, bytes: 3 }, "it goes on");
    assert_eq!(of(&bench, third.unwrap()), Count::default(), "the packet came before it");
    assert_eq!(bench.edge.ports(), Some(511), "as on v1model: the last one drops packets");
}
