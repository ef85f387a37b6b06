//! Operands: bit fields of registers, of local memory, or of a constant.

use ir::threads::MemoryField;
use ir::{BinaryOperator, Expression, Program, Type, VariableId};

/// What an input of an ALU, or a part of a transaction's request, is taken from. Where its bits are put is free: "each ALU
/// operand and each Move ALU result can be a bit-field of arbitrary length (up to 32 bits) and an arbitrary bit offset"
/// (section 2.2). So a conversion, a shift by a constant, a multiplication by a power of two and a mask of low bits take no
/// operation.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Operand<'e> {
    Constant(u64),
    Register(VariableId),
    Memory(&'e MemoryField),
}

/// Returns the operand that an expression is, and the number of its bits that matter; `None` if the expression has to be
/// computed.
pub(crate) fn operand<'e>(program: &Program, expression: &'e Expression) -> Option<(Operand<'e>, u32)> {
    let width = program.type_of(expression).width();
    match expression {
        Expression::Constant(constant) => Some((Operand::Constant(constant.value), needed(constant.value))),
        Expression::Variable(variable) => Some((Operand::Register(*variable), width)),
        Expression::Memory(field) => Some((Operand::Memory(field), width)),
        Expression::Slice { value, .. } => {
            let (inner, _) = operand(program, value)?;
            Some((inner, width))
        }
        Expression::Cast(Type::Bool, _) => None,
        Expression::Cast(_, inner) => {
            let (inner, bits) = operand(program, inner)?;
            Some((inner, bits.min(width)))
        }
        _ => {
            let inner = positioned(program, expression)?;
            let (inner, bits) = operand(program, inner)?;
            let mask = mask(expression).unwrap_or(width);
            Some((inner, bits.min(width).min(mask)))
        }
    }
}

/// Returns what is put at another place by an expression that takes no operation: `x << 3`, `x >> 3`, `x * 8`, `x & 7`.
pub(crate) fn positioned<'e>(program: &Program, expression: &'e Expression) -> Option<&'e Expression> {
    let Expression::Binary(operator, left, right) = expression else { return None };
    let known = |expression: &Expression| match expression {
        Expression::Constant(constant) => Some(constant.value),
        _ => None,
    };
    let is_number = program.type_of(expression) != Type::Bool;
    match operator {
        BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight if known(right).is_some() => Some(left),
        BinaryOperator::Multiply if known(right).is_some_and(u64::is_power_of_two) => Some(left),
        BinaryOperator::Multiply if known(left).is_some_and(u64::is_power_of_two) => Some(right),
        BinaryOperator::And if is_number && known(right).is_some_and(is_low_mask) => Some(left),
        BinaryOperator::And if is_number && known(left).is_some_and(is_low_mask) => Some(right),
        _ => None,
    }
}

/// Returns the number of bits that a mask keeps, if the expression is a mask of low bits.
fn mask(expression: &Expression) -> Option<u32> {
    let Expression::Binary(BinaryOperator::And, left, right) = expression else { return None };
    [left, right].into_iter().find_map(|side| match &**side {
        Expression::Constant(constant) if is_low_mask(constant.value) => Some(constant.value.trailing_ones()),
        _ => None,
    })
}

const fn is_low_mask(value: u64) -> bool {
    value != 0 && value & value.wrapping_add(1) == 0
}

/// Returns the number of bits that a constant needs, at least one.
const fn needed(value: u64) -> u32 {
    let bits = 64 - value.leading_zeros();
    if bits == 0 { 1 } else { bits }
}
