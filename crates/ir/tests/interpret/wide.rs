//! Values of more than 64 bits, and checksums over many values.

use ir::{
    BinaryOperator, Checksum, ChecksumPart, Expression, Initial, Register, RegisterId, Statement, Type, VariableId,
};
use runtime::Bits;
use runtime::checksum::Algorithm;

use crate::support::*;

const ADDRESS: Type = Type::Bits(128);

fn address(high: u64, low: u64) -> Expression {
    Expression::Wide(ADDRESS, Bits::from_limbs(&[low, high], 128))
}

/// Evaluates an expression over one variable.
fn value(ty: Type, given: Bits, expression: impl FnOnce(Expression) -> Expression) -> Bits {
    let mut program = empty();
    let a = local(&mut program, "a", ADDRESS);
    let out = local(&mut program, "out", ty);
    let main = function(&mut program, vec![assign(out, expression(variable(a)))]);
    let mut running = Running::new(program);
    let mut packet = running.packet(&[]);
    packet.values[a.index()] = given;
    running.run(ir::Block::Function(main), &mut packet);
    packet.values[out.index()].clone()
}

#[test]
fn operators_use_all_bits() {
    let ones = Bits::ones(128);
    let binary = |operator, given: &Bits, other: Expression| {
        value(ADDRESS, given.clone(), |a| Expression::binary(operator, a, other))
    };
    assert_eq!(binary(BinaryOperator::Add, &ones, address(0, 1)), Bits::zero(128));
    assert_eq!(binary(BinaryOperator::AddSaturating, &ones, address(0, 1)), ones);
    assert_eq!(binary(BinaryOperator::ShiftRight, &ones, constant(8, 64)), Bits::from_limbs(&[u64::MAX], 128));
    let slice = |high, low| move |a| Expression::Slice { value: Box::new(a), high, low };
    let given = Bits::from_limbs(&[0x1111_2222_3333_4444, 0x5555_6666_7777_8888], 128);
    assert_eq!(value(Type::Bits(16), given.clone(), slice(71, 56)), bits(0x8811, 16));
    let turned =
        |a: Expression| Expression::Concatenate(Box::new(slice(63, 0)(a.clone())), Box::new(slice(127, 64)(a)));
    let expected = Bits::from_limbs(&[0x5555_6666_7777_8888, 0x1111_2222_3333_4444], 128);
    assert_eq!(value(ADDRESS, given, turned), expected);
    let extended =
        value(ADDRESS, bits(0, 128), |_| Expression::Cast(ADDRESS, Box::new(Expression::number(Type::Int(8), -1))));
    assert_eq!(extended, ones);
}

#[test]
fn registers_hold_wide_values_at_every_index() {
    let mut program = empty();
    let [index, out] = [Type::Bits(8), ADDRESS].map(|ty| local(&mut program, &format!("v{}", ty.width()), ty));
    let cells = Register { name: "cells".into(), ty: ADDRESS, length: Some(3), initial: Initial::Fill(7) };
    program.registers.push(cells);
    let cell = RegisterId(0);
    let write =
        Statement::Write { register: cell, index: Some(variable(index)), value: address(1, 2), predicate: None };
    let read = |index: VariableId| assign(out, Expression::read(cell, Some(variable(index))));
    let writer = function(&mut program, vec![write]);
    let reader = function(&mut program, vec![read(index)]);
    let mut running = Running::new(program);
    running.call(writer, &[(index, 1)]);
    let found = [0, 1, 2].map(|at| running.call(reader, &[(index, at)]).1.values[out.index()].clone());
    assert_eq!(found, [bits(7, 128), Bits::from_limbs(&[2, 1], 128), bits(7, 128)]);
    let (_, packet) = running.call(reader, &[(index, 4)]);
    assert_eq!(packet.values[out.index()], Bits::from_limbs(&[2, 1], 128), "an index wraps around");
}

fn checksum(algorithm: &str, data: Vec<ChecksumPart>, with_payload: bool, width: u16) -> Expression {
    let algorithm = Algorithm::from_name(algorithm).unwrap();
    Expression::Checksum(Box::new(Checksum { algorithm, data, with_payload, result: Type::Bits(width) }))
}

fn part(value: Expression) -> ChecksumPart {
    ChecksumPart { value, length: None }
}

/// The example of RFC 1071, section 3: the sum of these words is 0xddf2.
#[test]
fn internet_checksum_covers_fields_and_payload() {
    let mut program = empty();
    let h = header(&mut program, "h", &[("a", 4), ("b", 12), ("c", 16)]);
    let out = local(&mut program, "out", Type::Bits(16));
    let data = vec![
        part(variable(field(&program, h, 0))),
        part(variable(field(&program, h, 1))),
        part(variable(field(&program, h, 2))),
    ];
    let sum = |with_payload| assign(out, checksum("csum16", data.clone(), with_payload, 16));
    parser(&mut program, vec![(vec![extract(h), sum(true)], ACCEPT)]);
    let (_, packet) = Running::new(program.clone()).parse(&[0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7]);
    assert_eq!(packet.low(out), !0xddf2 & 0xffff);
    program.parsers[0].states[0].body[1] = sum(false);
    let (_, packet) = Running::new(program).parse(&[0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7]);
    assert_eq!(packet.low(out), !0xf204 & 0xffff);
}

/// CRC-32 of the text `123456789`, which catalogues of CRCs give as a check value; a length selects the lowest bits of
/// a field.
#[test]
fn checksums_cover_fields_and_parts_of_fields() {
    let text = |digits: &[u8]| {
        digits.iter().fold(Bits::zero(72), |n, &digit| n.shift_left(&bits(8, 8), 72).or(&bits(digit.into(), 72)))
    };
    let wide = |digits| Expression::Wide(Type::Bits(72), text(digits));
    let run = |data, width| value(Type::Bits(width), bits(0, 128), |_| checksum("crc32", data, false, width));
    assert_eq!(run(vec![part(wide(b"123456789"))], 32), bits(0xcbf4_3926, 32));
    assert_eq!(run(vec![part(wide(b"123456789"))], 16), bits(0x3926, 16));
    let cut = ChecksumPart { value: wide(b"...123456"), length: Some(constant(8, 48)) };
    assert_eq!(run(vec![cut, part(constant(24, 0x37_3839))], 32), bits(0xcbf4_3926, 32));
}
