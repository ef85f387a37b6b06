//! Undefined values: zero, or drawn at random.

use basis::Random;
use ir::interpret::Undefined;
use ir::{Expression, Program, Statement, Type, VariableId};

use crate::support::*;

/// Makes a program with a header, a variable for the result, and a function with the given statements.
fn program(then: impl FnOnce(&mut Program) -> Vec<Statement>) -> (Program, VariableId) {
    let mut program = empty();
    header(&mut program, "h", &[("f", 64)]);
    let out = local(&mut program, "out", Type::Bits(64));
    let body = then(&mut program);
    function(&mut program, body);
    (program, out)
}

fn run(program: &Program, seed: Option<u64>, out: VariableId) -> u64 {
    let mut running = Running::new(program.clone());
    running.undefined = seed.map_or(Undefined::Zero, |seed| Undefined::Drawn(Random::new(seed)));
    running.call(ir::FunctionId(0), &[]).1.low(out)
}

#[test]
fn an_undefined_value_is_zero_or_drawn_from_the_seed() {
    let (program, out) =
        program(|program| vec![assign(program.variable_named("out").unwrap(), Expression::Undefined(Type::Bits(64)))]);
    assert_eq!(run(&program, None, out), 0);
    assert_eq!(run(&program, Some(1), out), run(&program, Some(1), out));
    assert_ne!(run(&program, Some(1), out), run(&program, Some(2), out));
}

#[test]
fn a_header_that_becomes_valid_has_undefined_fields() {
    let h = ir::HeaderId(0);
    let (program, out) = program(|program| {
        let f = field(program, h, 0);
        let out = program.variable_named("out").unwrap();
        vec![assign(f, constant(64, 5)), set_valid(h, true), assign(out, variable(f))]
    });
    assert_eq!(run(&program, None, out), 0);
    assert_ne!(run(&program, Some(1), out), 5);
}

#[test]
fn a_header_that_stays_valid_keeps_its_fields() {
    let h = ir::HeaderId(0);
    let (program, out) = program(|program| {
        let f = field(program, h, 0);
        let out = program.variable_named("out").unwrap();
        vec![set_valid(h, true), assign(f, constant(64, 5)), set_valid(h, true), assign(out, variable(f))]
    });
    assert_eq!([None, Some(1)].map(|seed| run(&program, seed, out)), [5, 5]);
}

#[test]
fn a_field_of_an_invalid_header_is_drawn_at_each_read() {
    let h = ir::HeaderId(0);
    let (program, out) = program(|program| {
        let f = field(program, h, 0);
        let out = program.variable_named("out").unwrap();
        let difference = Expression::binary(ir::BinaryOperator::Subtract, variable(f), variable(f));
        vec![set_valid(h, true), set_valid(h, false), assign(f, constant(64, 5)), assign(out, difference)]
    });
    assert_eq!(run(&program, None, out), 0);
    assert_ne!(run(&program, Some(1), out), 0);
}

#[test]
fn unwritten_fields_of_valid_headers_read_the_same_each_time() {
    let h = ir::HeaderId(0);
    let (program, out) = program(|program| {
        let f = field(program, h, 0);
        let out = program.variable_named("out").unwrap();
        let same = equal(variable(f), variable(f));
        vec![set_valid(h, true), assign(out, Expression::Cast(Type::Bits(64), Box::new(same)))]
    });
    assert_eq!(run(&program, Some(1), out), 1);
}
