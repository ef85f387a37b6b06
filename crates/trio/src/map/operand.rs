//! What an expression takes from where, and how its bits are placed.

use ir::threads::MemoryField;
use ir::{BinaryOperator, Expression, Program, Type, VariableId};

use crate::word::Field;

/// What the bits of an expression come from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Core<'e> {
    Constant(u64),
    Register(VariableId),
    Memory(&'e MemoryField),
    /// They have to be computed.
    Computed(&'e Expression),
}

/// Returns what the bits of an expression come from, and which of them they are: conversions, slices, shifts by constants,
/// multiplications by powers of two and masks of low bits only place them.
pub(super) fn placed<'e>(program: &Program, expression: &'e Expression) -> (Core<'e>, Field) {
    let width = program.type_of(expression).width();
    if let Some(value) = constant(program, expression) {
        return (Core::Constant(value), Field::whole(width));
    }
    let of = |inner: &'e Expression| placed(program, inner);
    match expression {
        Expression::Variable(variable) => (Core::Register(*variable), Field::whole(width)),
        Expression::Memory(field) => (Core::Memory(field), Field::whole(width)),
        Expression::Slice { value, low, .. } => {
            let (core, field) = of(value);
            (core, field.slice((*low).into(), width))
        }
        Expression::Cast(to, inner) if *to != Type::Bool => {
            let ((core, field), from) = (of(inner), program.type_of(inner));
            (core, field.converted(from.is_signed(), from.width(), width))
        }
        Expression::Binary(operator, left, right) => shifted(program, expression, (*operator, left, right))
            .unwrap_or((Core::Computed(expression), Field::whole(width))),
        _ => (Core::Computed(expression), Field::whole(width)),
    }
}

fn shifted<'e>(
    program: &Program,
    expression: &'e Expression,
    (operator, left, right): (BinaryOperator, &'e Expression, &'e Expression),
) -> Option<(Core<'e>, Field)> {
    let ty = program.type_of(expression);
    let width = ty.width();
    let power = |value: &Expression| constant(program, value).filter(|value| value.is_power_of_two());
    let mask = |value: &Expression| constant(program, value).filter(|value| *value & value.wrapping_add(1) == 0);
    match operator {
        BinaryOperator::ShiftLeft => {
            let count = constant(program, right)?;
            let (core, field) = placed(program, left);
            Some((core, field.shifted(count, width)))
        }
        BinaryOperator::ShiftRight => {
            let count = constant(program, right)?;
            let (core, field) = placed(program, left);
            let most = if ty.is_signed() { width - 1 } else { width };
            let count = count.min(most.into()) as u32;
            Some((core, field.slice(count, width - count).converted(ty.is_signed(), width - count, width)))
        }
        BinaryOperator::Multiply => {
            let (inner, factor) = power(right).map(|value| (left, value)).or(power(left).map(|value| (right, value)))?;
            let (core, field) = placed(program, inner);
            Some((core, field.shifted(factor.trailing_zeros().into(), width)))
        }
        BinaryOperator::And if ty != Type::Bool => {
            let (inner, mask) = mask(right).map(|value| (left, value)).or(mask(left).map(|value| (right, value)))?;
            let (core, field) = placed(program, inner);
            Some((core, field.slice(0, mask.trailing_ones().min(width))))
        }
        _ => None,
    }
}

/// Returns the value of an expression that depends on nothing.
pub(super) fn constant(program: &Program, expression: &Expression) -> Option<u64> {
    match expression {
        Expression::Constant(constant) => Some(constant.value),
        Expression::Variable(_) | Expression::Memory(_) => None,
        Expression::Unary(_, inner) | Expression::Cast(_, inner) | Expression::Slice { value: inner, .. } => {
            constant(program, inner).and_then(|_| evaluated(program, expression))
        }
        Expression::Binary(_, left, right) => {
            constant(program, left).and(constant(program, right)).and_then(|_| evaluated(program, expression))
        }
        _ => None,
    }
}

fn evaluated(program: &Program, expression: &Expression) -> Option<u64> {
    let nothing: &[u64] = &[];
    Some(ir::evaluate::evaluate(program, expression, &mut { nothing }).value)
}
