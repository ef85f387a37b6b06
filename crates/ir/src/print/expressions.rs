//! The printer of expressions.

use std::fmt::{self, Display, Formatter};

use runtime::Bits;

use super::names::{array, comma, register, table, variable};
use crate::threads::MemoryField;
use crate::{Checksum, Constant, Expression, Lookup, LookupResult, Program, RegisterId, Type, UnaryOperator};

impl Display for Constant {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.ty {
            Type::Bool => write!(f, "{}", self.value != 0),
            Type::Bits(width) => write!(f, "{}u{width}", number(self.ty, self.value)),
            Type::Int(width) => write!(f, "{}i{width}", number(self.ty, self.value)),
        }
    }
}

/// The number that raw bits stand for. If the type is invalid or too wide for a constant, the raw bits themselves.
pub(super) fn number(ty: Type, value: u64) -> i128 {
    if (1..=64).contains(&ty.width()) { ty.number(value) } else { value.into() }
}

/// Writes a constant of more than 64 bits in hexadecimal, because nobody reads that many decimal digits.
fn write_wide(f: &mut Formatter<'_>, ty: Type, value: &Bits) -> fmt::Result {
    let width = ty.width();
    let suffix = if ty.is_signed() { 'i' } else { 'u' };
    if ty.is_signed() && width > 0 && value.is_negative(width) {
        write!(f, "-{:#x}{suffix}{width}", value.negate(width))
    } else {
        write!(f, "{value:#x}{suffix}{width}")
    }
}

/// Writes a register and the index in it.
pub(super) fn write_place(
    f: &mut Formatter<'_>,
    program: &Program,
    id: RegisterId,
    index: Option<&Expression>,
) -> fmt::Result {
    register(program, id).fmt(f)?;
    match index {
        Some(index) => write_index(f, program, index),
        None => Ok(()),
    }
}

pub(super) fn write_index(f: &mut Formatter<'_>, program: &Program, index: &Expression) -> fmt::Result {
    f.write_str("[")?;
    write_plain(f, program, index)?;
    f.write_str("]")
}

/// Writes an expression where a predicated read needs no parentheses: alone on the right-hand side of an assignment.
pub(super) fn write_predicated(f: &mut Formatter<'_>, program: &Program, expression: &Expression) -> fmt::Result {
    if let Expression::Read { register, index, predicate: Some(predicate) } = expression {
        write_place(f, program, *register, index.as_deref())?;
        f.write_str(" if ")?;
        write_operand(f, program, predicate)
    } else {
        write_plain(f, program, expression)
    }
}

/// Writes an expression where one operator needs no parentheses, because the context delimits the expression.
pub(super) fn write_plain(f: &mut Formatter<'_>, program: &Program, expression: &Expression) -> fmt::Result {
    match expression {
        Expression::Unary(operator, operand) => write_unary(f, program, *operator, operand),
        Expression::Binary(operator, left, right) => write_infix(f, program, operator.symbol(), left, right),
        Expression::Concatenate(high, low) => write_infix(f, program, "++", high, low),
        Expression::Select(condition, if_true, if_false) => {
            write_operand(f, program, condition)?;
            f.write_str(" ? ")?;
            write_operand(f, program, if_true)?;
            f.write_str(" : ")?;
            write_operand(f, program, if_false)
        }
        _ => write_operand(f, program, expression),
    }
}

fn write_unary(f: &mut Formatter<'_>, program: &Program, operator: UnaryOperator, operand: &Expression) -> fmt::Result {
    f.write_str(operator.symbol())?;
    if begins_with_constant(operand) {
        // `-5i32` is a constant; the negation of a constant is `-(5i32)`.
        f.write_str("(")?;
        write_operand(f, program, operand)?;
        f.write_str(")")
    } else {
        write_operand(f, program, operand)
    }
}

fn write_infix(
    f: &mut Formatter<'_>,
    program: &Program,
    symbol: &str,
    left: &Expression,
    right: &Expression,
) -> fmt::Result {
    write_operand(f, program, left)?;
    write!(f, " {symbol} ")?;
    write_operand(f, program, right)
}

fn begins_with_constant(expression: &Expression) -> bool {
    let first = if let Expression::Slice { value, .. } = expression { value } else { expression };
    matches!(first, Expression::Constant(_) | Expression::Wide(..))
}

/// Writes an operand: everything but a single word has parentheses.
pub(crate) fn write_operand(f: &mut Formatter<'_>, program: &Program, expression: &Expression) -> fmt::Result {
    match expression {
        Expression::Constant(constant) => constant.fmt(f),
        Expression::Wide(ty, value) => write_wide(f, *ty, value),
        Expression::Variable(id) => variable(program, *id).fmt(f),
        Expression::Read { register, index, predicate: None } => write_place(f, program, *register, index.as_deref()),
        Expression::Element { array: id, index } => {
            array(program, *id).fmt(f)?;
            write_index(f, program, index)
        }
        Expression::Slice { value, high, low } if matches!(**value, Expression::Slice { .. }) => {
            f.write_str("(")?;
            write_operand(f, program, value)?;
            write!(f, ")[{high}:{low}]")
        }
        Expression::Slice { value, high, low } => {
            write_operand(f, program, value)?;
            write!(f, "[{high}:{low}]")
        }
        Expression::Undefined(ty) => write!(f, "undefined<{ty}>"),
        Expression::Hash(function, arguments) => {
            write!(f, "{}(", function.name())?;
            write_list(f, program, arguments)?;
            f.write_str(")")
        }
        Expression::Checksum(checksum) => write_checksum(f, program, checksum),
        Expression::Lookup(lookup) => write_lookup(f, program, lookup),
        Expression::Memory(field) => write_field(f, program, field),
        Expression::Cast(ty, operand) => {
            write!(f, "{ty}(")?;
            write_plain(f, program, operand)?;
            f.write_str(")")
        }
        Expression::Read { predicate: Some(_), .. }
        | Expression::Unary(..)
        | Expression::Binary(..)
        | Expression::Concatenate(..)
        | Expression::Select(..) => {
            f.write_str("(")?;
            write_predicated(f, program, expression)?;
            f.write_str(")")
        }
    }
}

/// Writes expressions separated by commas.
pub(super) fn write_list(f: &mut Formatter<'_>, program: &Program, expressions: &[Expression]) -> fmt::Result {
    for (place, expression) in expressions.iter().enumerate() {
        f.write_str(comma(place))?;
        write_plain(f, program, expression)?;
    }
    Ok(())
}

fn write_checksum(f: &mut Formatter<'_>, program: &Program, checksum: &Checksum) -> fmt::Result {
    let name = if checksum.with_payload { "checksum_with_payload" } else { "checksum" };
    write!(f, "{name}({}, {}", checksum.algorithm.name(), checksum.result)?;
    for part in &checksum.data {
        f.write_str(", ")?;
        write_plain(f, program, &part.value)?;
        if let Some(length) = &part.length {
            f.write_str(": ")?;
            write_plain(f, program, length)?;
        }
    }
    f.write_str(")")
}

/// Writes a bit field of local memory.
pub(super) fn write_field(f: &mut Formatter<'_>, program: &Program, field: &MemoryField) -> fmt::Result {
    f.write_str("memory(")?;
    write_plain(f, program, &field.address)?;
    write!(f, ", {}, {})", field.offset, field.width)
}

fn write_lookup(f: &mut Formatter<'_>, program: &Program, lookup: &Lookup) -> fmt::Result {
    write!(f, "lookup({}, ", table(program, lookup.table))?;
    match lookup.result {
        LookupResult::Hit => f.write_str("hit")?,
        LookupResult::Runs(action) => write!(f, "runs {action}")?,
        LookupResult::Data { action, parameter, low, ty } => write!(f, "data {action} {parameter} {low} {ty}")?,
    }
    for key in &lookup.keys {
        f.write_str(", ")?;
        write_plain(f, program, key)?;
    }
    f.write_str(")")
}
