//! Headers and variables that are selected by an index at run time.

use ir::interpret::Ending;
use ir::parser::{Next, StateId, Transition};
use ir::{
    Array, ArrayId, ErrorId, Expression, HeaderId, HeaderReference, PacketStatement, Program, Stack, StackId,
    Statement, Type, VariableId,
};

use crate::support::*;

/// Makes a program with a stack of two one-byte headers, and an array of these bytes.
fn with_stack() -> (Program, VariableId) {
    let mut program = empty();
    let elements = ["s[0]", "s[1]"].map(|name| header(&mut program, name, &[("f", 8)])).to_vec();
    let fields = elements.iter().map(|&id| field(&program, id, 0)).collect();
    let next = local(&mut program, "s.$next", Type::Bits(32));
    program.stacks.push(Stack { name: "s".into(), elements, next });
    program.arrays.push(Array { name: "s.f".into(), elements: fields });
    (program, next)
}

fn place(index: Expression) -> HeaderReference {
    HeaderReference::Element(StackId(0), index)
}

fn element(index: Expression) -> Expression {
    Expression::Element { array: ArrayId(0), index: Box::new(index) }
}

#[test]
fn a_parser_fills_a_stack_until_it_is_full() {
    let (mut program, next) = with_stack();
    let extract = Statement::Packet(PacketStatement::Extract { header: place(variable(next)), length: None });
    let forward = assign(next, add(variable(next), constant(32, 1)));
    // The last header of the stack has its highest bit set.
    let last = element(Expression::binary(ir::BinaryOperator::Subtract, variable(next), constant(32, 1)));
    let bottom = Expression::Slice { value: Box::new(last), high: 7, low: 7 };
    let transition = Transition::Select {
        keys: vec![bottom],
        cases: [(0, Next::State(StateId(0))), (1, Next::Accept)]
            .map(|(value, next)| ir::parser::Case { sets: vec![ir::parser::Set::Value(constant(1, value))], next })
            .to_vec(),
    };
    parser(&mut program, vec![(vec![extract, forward], transition)]);
    let fields: Vec<_> = (0..2).map(|id| field(&program, HeaderId(id), 0)).collect();
    let valid: Vec<_> = program.headers.iter().map(|header| header.valid).collect();
    let mut running = Running::new(program);
    for (bytes, ending, count) in [
        (&[0x81, 7][..], Ending::Done, 1),
        (&[1, 0x82, 7], Ending::Done, 2),
        (&[1, 2, 0x83], Ending::Rejected(ErrorId::STACK_OUT_OF_BOUNDS), 2),
        (&[1], Ending::Rejected(ErrorId::PACKET_TOO_SHORT), 1),
        // The stack is full and the packet is at its end: the bounds of the stack are checked first.
        (&[1, 2], Ending::Rejected(ErrorId::STACK_OUT_OF_BOUNDS), 2),
    ] {
        let (ended, packet) = running.parse(bytes);
        assert_eq!((ended, packet.low(next), packet.position), (ending, count, 8 * count as usize), "{bytes:?}");
        for at in 0..2 {
            let there = (at as u64) < count;
            assert_eq!(packet.low(valid[at]), u64::from(there));
            assert_eq!(packet.low(fields[at]), if there { bytes[at].into() } else { 0 });
        }
    }
}

#[test]
fn array_elements_are_read_and_written_by_index() {
    let (mut program, _) = with_stack();
    let index = local(&mut program, "index", Type::Bits(80));
    let out = local(&mut program, "out", Type::Bits(8));
    let write = Statement::AssignElement { array: ArrayId(0), index: variable(index), value: constant(8, 9) };
    let main = function(&mut program, vec![assign(out, element(variable(index))), write]);
    let fields: Vec<_> = (0..2).map(|id| field(&program, HeaderId(id), 0)).collect();
    let mut running = Running::new(program);
    let mut run = |at: u64| {
        let (_, packet) = running.call(main, &[(index, at), (fields[0], 5), (fields[1], 6)]);
        [out, fields[0], fields[1]].map(|id| packet.low(id))
    };
    assert_eq!(run(0), [5, 9, 6]);
    assert_eq!(run(1), [6, 5, 9]);
    // Out of range, a read is undefined, which is zero here, and a write does nothing.
    assert_eq!(run(2), [0, 5, 6]);
    assert_eq!(run(u64::MAX), [0, 5, 6]);
}

#[test]
fn an_index_above_64_bits_is_not_truncated() {
    let (mut program, _) = with_stack();
    let out = local(&mut program, "out", Type::Bits(8));
    let two_to_the_64 = Expression::Wide(Type::Bits(65), runtime::Bits::from_limbs(&[0, 1], 65));
    let main = function(&mut program, vec![assign(out, element(two_to_the_64))]);
    let first = field(&program, HeaderId(0), 0);
    assert_eq!(Running::new(program).call(main, &[(first, 5)]).1.low(out), 0);
}

#[test]
fn stack_operations_out_of_range_do_nothing() {
    let (mut program, _) = with_stack();
    let index = local(&mut program, "index", Type::Bits(8));
    let body = vec![
        Statement::Packet(PacketStatement::SetValid { header: place(variable(index)), valid: true }),
        Statement::AssignElement { array: ArrayId(0), index: variable(index), value: constant(8, 9) },
        Statement::Packet(PacketStatement::Emit { header: place(variable(index)) }),
    ];
    let main = function(&mut program, body);
    let mut running = Running::new(program.clone());
    for (at, valid, bytes) in [(0, [1, 0], &[9][..]), (1, [0, 1], &[9]), (2, [0, 0], &[])] {
        let (ending, packet) = running.call(main, &[(index, at)]);
        assert_eq!(ending, Ending::Done);
        assert_eq!([0, 1].map(|id: usize| packet.low(program.headers[id].valid)), valid);
        assert_eq!(packet.leaving(), bytes);
    }
}
