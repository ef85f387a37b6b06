//! Calls, exits and loops.

use ir::interpret::{CALL_DEPTH, Ending};
use ir::{BinaryOperator, Expression, Flow, FunctionId, Program, Statement, Type, VariableId};

use crate::support::*;

fn call(function: FunctionId, after: Vec<Statement>) -> Statement {
    Statement::Flow(Flow::Call { function, after })
}

/// Appends a digit to the number in a variable.
fn digit(trace: VariableId, digit: u64) -> Statement {
    let shifted = Expression::binary(BinaryOperator::Multiply, variable(trace), constant(64, 10));
    assign(trace, add(shifted, constant(64, digit)))
}

fn with_trace() -> (Program, VariableId) {
    let mut program = empty();
    let trace = local(&mut program, "trace", Type::Bits(64));
    (program, trace)
}

fn if_equal(left: VariableId, right: Expression, then: Vec<Statement>) -> Statement {
    Statement::If { condition: equal(variable(left), right), then, otherwise: vec![] }
}

#[test]
fn return_ends_one_function_and_exit_ends_all() {
    for (last, expected) in [(None, 12345), (Some(Flow::Return), 1345), (Some(Flow::Exit), 134)] {
        let (mut program, trace) = with_trace();
        let inner_body =
            [digit(trace, 1)].into_iter().chain(last.clone().map(Statement::Flow)).chain([digit(trace, 2)]);
        let inner = function(&mut program, inner_body.collect());
        let middle = function(&mut program, vec![call(inner, vec![digit(trace, 3)])]);
        let outer = function(&mut program, vec![call(middle, vec![digit(trace, 4)]), digit(trace, 5)]);
        let (ending, packet) = Running::new(program).call(outer, &[]);
        assert_eq!((ending, packet.low(trace)), (Ending::Done, expected), "{last:?}");
    }
}

#[test]
fn exit_ends_an_enclosing_loop() {
    let (mut program, trace) = with_trace();
    let forever =
        Flow::Loop { condition: Expression::bool(true), body: vec![Statement::Flow(Flow::Exit)], step: vec![] };
    let inner = function(&mut program, vec![Statement::Flow(forever), digit(trace, 1)]);
    let outer = function(&mut program, vec![call(inner, vec![digit(trace, 2)]), digit(trace, 3)]);
    let (ending, packet) = Running::new(program).call(outer, &[]);
    assert_eq!((ending, packet.low(trace)), (Ending::Done, 2));
}

#[test]
fn loops_break_and_continue() {
    let (mut program, trace) = with_trace();
    let i = local(&mut program, "i", Type::Bits(8));
    let plus = |by| assign(i, add(variable(i), constant(8, by)));
    let count = Flow::Loop {
        condition: Expression::binary(BinaryOperator::Less, variable(i), constant(8, 9)),
        body: vec![
            // A `continue` still runs the step; a `break` does not.
            if_equal(i, constant(8, 2), vec![Statement::Flow(Flow::Continue)]),
            if_equal(i, constant(8, 5), vec![Statement::Flow(Flow::Break)]),
            assign(
                trace,
                add(
                    Expression::binary(BinaryOperator::Multiply, variable(trace), constant(64, 10)),
                    Expression::Cast(Type::Bits(64), Box::new(variable(i))),
                ),
            ),
        ],
        step: vec![plus(1)],
    };
    let main = function(&mut program, vec![Statement::Flow(count)]);
    let mut running = Running::new(program);
    let (_, packet) = running.call(main, &[(i, 1)]);
    assert_eq!((packet.low(trace), packet.low(i)), (134, 5));
    let (_, packet) = running.call(main, &[(i, 6)]);
    assert_eq!((packet.low(trace), packet.low(i)), (678, 9));
    let (_, packet) = running.call(main, &[(i, 9)]);
    assert_eq!(packet.low(trace), 0, "the condition is evaluated before the first iteration");
}

#[test]
fn break_ends_the_innermost_loop() {
    let (mut program, trace) = with_trace();
    let i = local(&mut program, "i", Type::Bits(8));
    let forever = |body| Statement::Flow(Flow::Loop { condition: Expression::bool(true), body, step: vec![] });
    let body = vec![
        forever(vec![Statement::Flow(Flow::Break)]),
        digit(trace, 1),
        assign(i, add(variable(i), constant(8, 1))),
        if_equal(i, constant(8, 3), vec![Statement::Flow(Flow::Return)]),
    ];
    let main = function(&mut program, vec![forever(body), digit(trace, 2)]);
    assert_eq!(Running::new(program).call(main, &[]).1.low(trace), 111);
}

#[test]
fn endless_programs_are_stopped_and_reported() {
    let (mut program, trace) = with_trace();
    let forever = Flow::Loop { condition: Expression::bool(true), body: vec![], step: vec![] };
    let endless = function(&mut program, vec![Statement::Flow(forever)]);
    let outer = function(&mut program, vec![call(endless, vec![digit(trace, 1)])]);
    // Each function calls the next one twice: 2^40 calls without recursion.
    let mut doubling = function(&mut program, vec![]);
    for _ in 0..40 {
        doubling = function(&mut program, vec![call(doubling, vec![]), call(doubling, vec![])]);
    }
    let mut deep = function(&mut program, vec![]);
    for _ in 0..CALL_DEPTH {
        deep = function(&mut program, vec![call(deep, vec![])]);
    }
    let mut running = Running::new(program);
    let (ending, packet) = running.call(outer, &[]);
    assert_eq!((ending, packet.low(trace)), (Ending::Unfinished, 0));
    assert_eq!(running.call(doubling, &[]).0, Ending::Unfinished);
    assert_eq!(running.call(deep, &[]).0, Ending::Unfinished);
    assert_eq!(running.call(FunctionId(deep.0 - 1), &[]).0, Ending::Done, "one level less is allowed");
}
