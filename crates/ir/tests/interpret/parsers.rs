//! Parser states, transitions and `select`.

use ir::interpret::{Ending, IDLE_STATES};
use ir::parser::{Case, Next, Set, StateId, Transition};
use ir::{Constant, ErrorId, Expression, Flow, ParserId, Statement, Type, ValueSet, ValueSetId};
use runtime::tables::{FieldMatch, KeyField, MatchKind};

use crate::support::*;

fn case(sets: Vec<Set>, state: u32) -> Case {
    Case { sets, next: Next::State(StateId(state)) }
}

/// Returns a parser that reads two bytes, selects by these cases, and returns the number of the state that was chosen.
fn chosen(ty: Type, count: u32, cases: Vec<Case>) -> impl FnMut(u8, u8) -> Result<u64, ErrorId> {
    let mut program = empty();
    let h = header(&mut program, "h", &[("a", 8), ("b", 8)]);
    let out = local(&mut program, "out", Type::Bits(8));
    program.value_sets.push(ValueSet {
        name: "set".into(),
        fields: [MatchKind::Exact, MatchKind::Ternary].map(|kind| KeyField { kind, width: 8 }).to_vec(),
        size: 4,
    });
    let key = |place| Expression::Cast(ty, Box::new(variable(field(&program, h, place))));
    let keys = vec![key(0), key(1)];
    let mut states = vec![(vec![extract(h)], Transition::Select { keys, cases })];
    states.extend((1..=count).map(|state| (vec![assign(out, constant(8, state.into()))], ACCEPT)));
    parser(&mut program, states);
    let mut running = Running::new(program);
    let member = |value, mask| {
        vec![
            FieldMatch::Exact(bits(value, 8)),
            if mask == 0 {
                FieldMatch::Any
            } else {
                FieldMatch::Mask { value: bits(value & mask, 8), mask: bits(mask, 8) }
            },
        ]
    };
    running.state.value_sets[0] = vec![member(7, 0), member(8, 0xf)];
    move |a, b| match running.parse(&[a, b]) {
        (Ending::Done, packet) => Ok(packet.low(out)),
        (Ending::Rejected(error), _) => Err(error),
        (ending, _) => panic!("{ending:?}"),
    }
}

fn number(ty: Type, value: i64) -> Expression {
    Expression::number(ty, value)
}

#[test]
fn the_first_matching_case_is_taken() {
    let ty = Type::Bits(8);
    let n = |value| number(ty, value);
    let mut run = chosen(
        ty,
        4,
        vec![
            case(vec![Set::Value(n(1)), Set::Any], 1),
            case(vec![Set::Mask(n(0x0f), n(0xf0)), Set::Value(n(5))], 2),
            case(vec![Set::Range(n(100), n(200)), Set::Range(n(3), n(3))], 3),
            case(vec![Set::ValueSet(ValueSetId(0))], 4),
            Case { sets: vec![Set::Value(n(255)), Set::Any], next: Next::Accept },
            Case { sets: vec![Set::Value(n(254)), Set::Any], next: Next::Reject },
        ],
    );
    assert_eq!(run(1, 5), Ok(1), "the second case would match too");
    // The bit of the value outside of its mask does not count.
    assert_eq!([run(0, 5), run(9, 5), run(0x10, 5)], [Ok(2), Ok(2), Err(ErrorId::NO_MATCH)]);
    assert_eq!([run(99, 3), run(100, 3), run(200, 3), run(201, 3)].map(|r| r.is_ok()), [false, true, true, false]);
    assert_eq!([run(7, 77), run(8, 0x38), run(8, 0x39)], [Ok(4), Ok(4), Err(ErrorId::NO_MATCH)]);
    assert_eq!(run(255, 0), Ok(0));
    assert_eq!(run(254, 0), Err(ErrorId::NO_ERROR));
}

#[test]
fn ranges_of_signed_types_are_ordered_by_sign() {
    let ty = Type::Int(8);
    let around_zero = Set::Range(number(ty, -2), number(ty, 1));
    let mut run = chosen(ty, 1, vec![case(vec![around_zero, Set::Any], 1)]);
    assert_eq!([254, 255, 0, 1].map(|a| run(a, 0)), [Ok(1); 4]);
    assert_eq!([253, 2, 128, 127].map(|a| run(a, 0)), [Err(ErrorId::NO_MATCH); 4]);
}

#[test]
fn a_called_parser_continues_and_rejects_for_its_caller() {
    let mut program = empty();
    let headers: Vec<_> = ["a", "b", "c"].map(|name| header(&mut program, name, &[("f", 8)])).to_vec();
    let seen = local(&mut program, "seen", Type::Bits(8));
    let after = vec![assign(seen, variable(field(&program, headers[1], 0)))];
    let call = Statement::Flow(Flow::Parse { parser: ParserId(1), after });
    parser(&mut program, vec![(vec![extract(headers[0]), call, extract(headers[2])], ACCEPT)]);
    let keys = vec![variable(field(&program, headers[1], 0))];
    let cases = vec![Case { sets: vec![Set::Value(constant(8, 2))], next: Next::Accept }];
    parser(&mut program, vec![(vec![extract(headers[1])], Transition::Select { keys, cases })]);
    let last = field(&program, headers[2], 0);
    let mut running = Running::new(program);
    let (ending, packet) = running.parse(&[1, 2, 3]);
    assert_eq!((ending, packet.low(seen), packet.low(last)), (Ending::Done, 2, 3));
    let (ending, packet) = running.parse(&[1, 9, 3]);
    assert_eq!(ending, Ending::Rejected(ErrorId::NO_MATCH));
    assert_eq!((packet.low(seen), packet.position), (9, 16), "results are copied out, and nothing else runs");
}

#[test]
fn a_parser_that_makes_no_progress_times_out() {
    let mut program = empty();
    let turns = local(&mut program, "turns", Type::Bits(32));
    let again = Transition::To(Next::State(StateId(0)));
    parser(&mut program, vec![(vec![assign(turns, add(variable(turns), constant(32, 1)))], again)]);
    let (ending, packet) = Running::new(program).parse(&[1, 2, 3]);
    assert_eq!(ending, Ending::Rejected(ErrorId::PARSER_TIMEOUT));
    assert_eq!(packet.low(turns), u64::from(IDLE_STATES));
}

#[test]
fn a_parser_that_advances_ends_with_the_packet() {
    let mut program = empty();
    let h = header(&mut program, "h", &[("f", 8)]);
    parser(&mut program, vec![(vec![extract(h)], Transition::To(Next::State(StateId(0))))]);
    let (ending, packet) = Running::new(program).parse(&[7; 3 * IDLE_STATES as usize]);
    assert_eq!(ending, Ending::Rejected(ErrorId::PACKET_TOO_SHORT));
    assert_eq!(packet.position, 8 * 3 * IDLE_STATES as usize);
}

#[test]
fn keys_and_cases_are_evaluated_at_run_time() {
    let mut program = empty();
    let h = header(&mut program, "h", &[("a", 8), ("b", 8)]);
    let keys =
        vec![add(variable(field(&program, h, 0)), Expression::Constant(Constant { ty: Type::Bits(8), value: 1 }))];
    let cases = vec![Case { sets: vec![Set::Value(variable(field(&program, h, 1)))], next: Next::Accept }];
    parser(&mut program, vec![(vec![extract(h)], Transition::Select { keys, cases })]);
    let mut running = Running::new(program);
    assert_eq!(running.parse(&[255, 0]).0, Ending::Done);
    assert_eq!(running.parse(&[255, 1]).0, Ending::Rejected(ErrorId::NO_MATCH));
}
