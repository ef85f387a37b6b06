//! Counters, meters, random numbers, messages, and requests to the machine.

use basis::{Instant, Random};
use ir::interpret::{Ending, Observer, Request};
use ir::{
    Block, CloneKind, Counter, CounterId, CounterUnit, Digest, DigestId, Effect, Expression, FieldList, FunctionId,
    Meter, MeterId, Program, SharedStatement, Statement, Type, VariableId,
};
use runtime::{Bits, MeterRates, MeterUnit};

use crate::support::*;

/// Makes a program with an index variable, a result variable and one statement.
fn doing(
    ty: Type,
    make: impl FnOnce(&mut Program, Expression, VariableId) -> SharedStatement,
) -> (Running, VariableId, VariableId) {
    let mut program = empty();
    let index = local(&mut program, "index", Type::Bits(64));
    let out = local(&mut program, "out", ty);
    let statement = make(&mut program, variable(index), out);
    function(&mut program, vec![Statement::Shared(statement)]);
    (Running::new(program), index, out)
}

const MAIN: FunctionId = FunctionId(0);

#[test]
fn counters_ignore_indices_out_of_range() {
    let (mut running, index, _) = doing(Type::Bool, |program, index, _| {
        program.counters.push(Counter {
            name: "c".into(),
            size: Some(2),
            unit: CounterUnit::PacketsAndBytes,
            width: 64,
        });
        SharedStatement::Count { counter: CounterId(0), index, adjust: None }
    });
    for (at, length) in [(0, 60), (1, 100), (1, 1500), (2, 60), (u64::MAX, 60)] {
        running.length = length;
        assert_eq!(running.call(MAIN, &[(index, at)]).0, Ending::Done);
    }
    let counts = running.state.counters[0].counts().iter().map(|count| (count.packets, count.bytes));
    assert_eq!(counts.collect::<Vec<_>>(), [(1, 60), (2, 1600)]);
}

#[test]
fn a_meter_turns_red_and_green_again() {
    let (mut running, index, out) = doing(Type::Bits(8), |program, index, color| {
        program.meters.push(Meter { name: "m".into(), size: Some(2), unit: MeterUnit::Packets });
        SharedStatement::Measure { meter: MeterId(0), index, before: None, adjust: None, color }
    });
    // Of a burst, two packets are green, the third one is yellow and all others are red. The buckets refill by one and
    // two packets per second.
    let rates = MeterRates { committed_rate: 1, committed_burst: 2, peak_rate: 2, peak_burst: 3 };
    running.state.meters[0].set(1, Some(rates)).unwrap();
    let mut color = |at: u64, seconds: u64| {
        running.now = Instant::from_microseconds(seconds * 1_000_000);
        running.call(MAIN, &[(index, at), (out, 9)]).1.low(out)
    };
    assert_eq!([0; 5].map(|_| color(1, 0)), [0, 0, 1, 2, 2]);
    assert_eq!([0; 3].map(|_| color(1, 1)), [0, 1, 2]);
    assert_eq!([0; 3].map(|_| color(1, 100)), [0, 0, 1]);
    assert_eq!([0; 9].map(|_| color(0, 100)), [0; 9], "a meter without rates marks every packet green");
    assert_eq!([2, u64::MAX].map(|at| color(at, 100)), [0, 0], "an index out of range is green too");
}

#[test]
fn random_numbers_are_bounded_and_reproducible() {
    let between = |low: u64, high: u64| {
        doing(Type::Bits(8), |_, _, variable| SharedStatement::Random {
            variable,
            low: constant(8, low),
            high: constant(8, high),
        })
    };
    let draw = |low, high, seed| {
        let (mut running, _, out) = between(low, high);
        running.random = Random::new(seed);
        (0..200).map(|_| running.call(MAIN, &[]).1.low(out)).collect::<Vec<_>>()
    };
    let drawn = draw(10, 13, 5);
    assert_eq!(drawn, draw(10, 13, 5));
    assert_ne!(drawn, draw(10, 13, 6));
    assert!((10..=13).all(|number| drawn.contains(&number)) && drawn.iter().all(|number| (10..=13).contains(number)));
    assert_eq!(draw(7, 7, 1), [7; 200]);
    assert_eq!(draw(8, 7, 1), [0; 200], "the range is empty, so the value is undefined");
    assert!(draw(0, 255, 1).iter().any(|&number| number > 200));
}

#[test]
fn wide_random_numbers_are_bounded() {
    let ty = Type::Bits(100);
    let bound = |high| Expression::Wide(ty, Bits::from_limbs(&[5, high], 100));
    let (mut running, _, out) =
        doing(ty, |_, _, variable| SharedStatement::Random { variable, low: bound(1), high: bound(4) });
    let drawn: Vec<_> = (0..200).map(|_| running.call(MAIN, &[]).1.values[out.index()].clone()).collect();
    let [low, high] = [1, 4].map(|high| Bits::from_limbs(&[5, high], 100));
    assert!(drawn.iter().all(|number| low <= *number && *number <= high));
    assert!((1..4).all(|high| drawn.iter().any(|number| number.limbs()[1] == high)));
}

#[test]
fn requests_keep_their_order() {
    let mut program = empty();
    let session = local(&mut program, "session", Type::Bits(32));
    program
        .digests
        .push(Digest { name: "d".into(), fields: vec![("f".into(), Type::Bits(8)), ("g".into(), Type::Bool)] });
    program.field_lists = [0, 1].map(|number| FieldList { number, variables: vec![session] }).to_vec();
    let clone = |kind, keep| Effect::Clone { kind, session: variable(session), keep };
    let effects = vec![
        clone(CloneKind::IngressToEgress, None),
        Effect::Digest { digest: DigestId(0), values: vec![constant(8, 5), Expression::bool(true)] },
        Effect::Mirror {
            session: variable(session),
            data: vec![constant(4, 0xA), Expression::bool(true), constant(8, 0xFF)],
        },
        Effect::Resubmit { keep: Some(1), data: vec![] },
        Effect::Resubmit { keep: None, data: vec![Expression::Wide(Type::Bits(100), bits(0x1234, 100))] },
        Effect::Recirculate { keep: None },
        Effect::Truncate { length: constant(32, 64) },
        clone(CloneKind::EgressToEgress, Some(0)),
    ];
    let mut body: Vec<_> =
        effects.into_iter().map(|effect| Statement::Shared(SharedStatement::Effect(effect))).collect();
    body.insert(1, assign(session, constant(32, 8)));
    let main = function(&mut program, body);
    let mut running = Running::new(program.clone());
    let mut packet = running.packet(&[]);
    packet.set(&program, session, 7);
    let (ending, requests) = running.run(Block::Function(main), &mut packet);
    assert_eq!(ending, Ending::Done);
    assert_eq!(
        requests,
        [
            Request::Clone { kind: CloneKind::IngressToEgress, session: 7, keep: None },
            Request::Digest { digest: DigestId(0), values: vec![bits(5, 8), bits(1, 1)] },
            // 1010, 1, 1111 1111, and three zeros.
            Request::Mirror { session: 8, data: vec![0xAF, 0xF8] },
            Request::Resubmit { keep: Some(1), data: vec![] },
            Request::Resubmit { keep: None, data: [&[0; 10][..], &[0x01, 0x23, 0x40]].concat() },
            Request::Recirculate { keep: None },
            Request::Truncate { length: 64 },
            Request::Clone { kind: CloneKind::EgressToEgress, session: 8, keep: Some(0) },
        ]
    );
}

#[derive(Default)]
struct Log(Vec<String>);

impl Observer for Log {
    fn logged(&mut self, text: &str) {
        self.0.push(text.to_owned());
    }
}

fn logged(statement: SharedStatement) -> (Ending, Vec<String>) {
    let (mut running, ..) = doing(Type::Bool, |_, _, _| statement);
    let mut log = Log::default();
    let mut packet = running.packet(&[]);
    let (ending, _) = running.run_observed(Block::Function(MAIN), &mut packet, &mut log);
    (ending, log.0)
}

#[test]
fn log_messages_contain_their_values() {
    let values = vec![constant(8, 200), Expression::number(Type::Int(8), -3), Expression::bool(true)];
    let log = |text: &str| logged(SharedStatement::Log { text: text.into(), values: values.clone() }).1;
    assert_eq!(log("{} and {}, {}!"), ["200 and -3, true!"]);
    assert_eq!(log("{}{}{}{}"), ["200-3true{}"]);
    assert_eq!(log("nothing {"), ["nothing {"]);
}

#[test]
fn a_failed_assertion_ends_the_block() {
    let assert =
        |condition| logged(SharedStatement::Assert { condition: Expression::bool(condition), text: "a == b".into() });
    assert_eq!(assert(true), (Ending::Done, vec![]));
    assert_eq!(assert(false), (Ending::AssertionFailed, vec!["a == b".to_owned()]));
}
