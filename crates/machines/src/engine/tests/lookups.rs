//! Look-ups and checksums, including changes of tables while packets are inside.

use std::sync::Arc;

use basis::Random;
use ir::interpret::PipelineInterpreter;
use ir::{Expression, VariableId};
use runtime::Bits;
use runtime::arithmetic;
use runtime::tables::{FieldMatch, TableEntry, Target};

use crate::engine::{Memory, compile};

/// A 128-bit address and a port lead to a next hop of 100 bits, whose low bits are looked up in a second table. The
/// first table is looked up in two stages, in each of them with two keys.
const PIPELINE: &str = r#"pipeline router
field port: bit<9>
field high: bit<64>
field low: bit<64>
field other: bit<64>
local hop: bit<100>
local class: bit<7>
local hit: bool
local top: bit<36>
local bottom: bit<64>
local drops: bool
local other_hit: bool
local again: bool
local is_class: bool
local found_class: bit<7>
local sum: bit<16>
local hash: bit<32>
local cut: bit<20>
action drop() {
}
action forward(hop) {
}
action classify(class) {
}
table routes {
  key undefined<bit<128>>: lpm named "address"
  key undefined<bit<9>>: exact named "port"
  action drop
  action forward
  default drop()
  entry 0 / 0, 1 => forward(0x123456789abcdef0123456789)
}
table classes {
  key undefined<bit<64>>: ternary named "low"
  action classify
  default classify(3)
  entry 0 &&& 1 => classify(5) priority 1
}
resolution 0
stage {
  atom { hit = lookup(routes, hit, low, high, port) }
  atom { bottom = lookup(routes, data 1 0 0 bit<64>, low, high, port) }
  atom { top = lookup(routes, data 1 0 64 bit<36>, low, high, port) }
  atom { other_hit = lookup(routes, hit, other, high, port) }
}
stage {
  atom { drops = lookup(routes, runs 0, low, high, port) }
  atom { again = lookup(routes, hit, low, 0u64, 1u9) }
  atom { is_class = lookup(classes, runs 0, bottom) }
  atom { found_class = lookup(classes, data 0 0 0 bit<7>, bottom) }
  atom { sum = checksum(csum16, bit<16>, hit, port, high, low) }
  atom { hash = checksum(crc32, bit<32>, top, low, high, low, high, low, high, low, high, low, high) }
  atom { cut = checksum(crc16, bit<20>, port) }
}
"#;

fn pipeline() -> ir::pipeline::Pipeline {
    let pipeline = ir::parse::pipeline("router.ir", PIPELINE).unwrap();
    pipeline.verify().unwrap();
    pipeline
}

/// Returns a random entry for the table `routes`.
fn route(random: &mut Random) -> TableEntry {
    let length = random.below(5) as u32;
    let value = Bits::from_limbs(&[0, random.below(16) << 60], 128);
    let port = Bits::from_u64(random.below(3), 9);
    let data = vec![Bits::from_limbs(&[random.bits(), random.bits()], 100)];
    let target = Target::Action { action: 1, data };
    TableEntry {
        key: vec![FieldMatch::Prefix { value, length }, FieldMatch::Exact(port)],
        priority: 0,
        target,
        is_constant: false,
    }
}

#[test]
fn look_ups_and_checksums_match_the_interpreter() {
    let pipeline = pipeline();
    let program = &pipeline.program;
    // As if the machine itself read them, so that all variables are computed.
    let variables: Vec<Expression> =
        (0..program.variables.len()).map(VariableId::from).map(Expression::Variable).collect();
    let (mut code, _) = compile(&pipeline, &variables.iter().collect::<Vec<_>>()).unwrap();
    let mut interpreter = PipelineInterpreter::new(&pipeline);
    let mut memory = Memory::new(program);
    let mut random = Random::new(7);
    let mut frame = vec![0; code.frame_length()];
    let (mut hits, mut misses) = (0, 0);
    for packet in 0..500 {
        if packet % 10 == 9 {
            // The entry may already exist.
            let _ = interpreter.state_mut().tables[0].insert(route(&mut random));
            let tables = Arc::new(interpreter.state_mut().clone());
            code.set_tables(&tables, [].into_iter());
        }
        let mut values = vec![0; program.variables.len()];
        for (id, field) in program.fields() {
            values[id.index()] = arithmetic::truncate(random.bits(), field.ty.width());
        }
        values[0] = random.below(4);
        code.clear(&mut frame);
        code.variables(&mut frame).copy_from_slice(&values);
        code.execute(0..2, &mut frame, &mut memory);
        interpreter.packet(&mut values);
        for (place, variable) in program.variables.iter().enumerate() {
            assert_eq!(frame[place], values[place], "{} of packet {packet}", variable.name);
        }
        let hit = frame[program.variable_named("hit").unwrap().index()];
        (hits, misses) = (hits + hit, misses + 1 - hit);
    }
    assert!(hits > 50 && misses > 50, "{hits} hits, {misses} misses");
}

#[test]
fn stages_merge_look_ups_with_equal_keys() {
    let (code, _) = compile(&pipeline(), &[]).unwrap();
    let asked: Vec<(usize, usize)> =
        code.lookups.iter().map(|lookup| (lookup.table.index(), lookup.asked.len())).collect();
    assert_eq!(asked, [(0, 3), (0, 1), (0, 1), (0, 1), (1, 2)]);
}

#[test]
fn packets_use_the_tables_of_their_arrival() {
    let pipeline = pipeline();
    let (mut code, _) = compile(&pipeline, &[]).unwrap();
    let mut memory = Memory::new(&pipeline.program);
    let again = pipeline.program.variable_named("again").unwrap().index();
    let with_route = Arc::new(pipeline.program.initial_state());
    let mut without = (*with_route).clone();
    let entry = without.tables[0].matches().entries().next().unwrap().0;
    without.tables[0].delete(entry).unwrap();
    let without = Arc::new(without);

    let mut frames = vec![vec![0; code.frame_length()]; 4];
    for (number, tables) in [&with_route, &without, &with_route, &without].into_iter().enumerate() {
        let (inside, coming) = frames.split_at_mut(number);
        code.set_tables(tables, inside.iter().map(Vec::as_slice));
        code.clear(&mut coming[0]);
        code.execute(0..1, &mut coming[0], &mut memory);
    }
    // Each packet looks up as late as possible.
    for (number, frame) in frames.iter_mut().enumerate() {
        code.execute(1..2, frame, &mut memory);
        assert_eq!(frame[again] != 0, number % 2 == 0, "packet {number}");
    }
    // Versions that no packet can see any more are dropped.
    let count = Arc::strong_count(&with_route);
    code.set_tables(&without, frames[3..].iter().map(Vec::as_slice));
    assert_eq!((count, Arc::strong_count(&with_route)), (3, 1));
}
