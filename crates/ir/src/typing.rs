//! The rules of types, once: the parser asks them with places at hand, [`crate::verify`] without.

use runtime::hash::HashFunction;

use crate::{BinaryOperator, Constant, Register, Type, UnaryOperator};

/// The type of an operator's result, or what is wrong with its operand.
pub(crate) fn unary(operator: UnaryOperator, operand: Type) -> Result<Type, String> {
    let symbol = operator.symbol();
    match (operator, operand) {
        (UnaryOperator::Not, Type::Bool) => Ok(Type::Bool),
        (UnaryOperator::Not, other) => Err(format!("`{symbol}` takes a bool, not {other}")),
        (UnaryOperator::Complement | UnaryOperator::Negate, Type::Bool) => {
            Err(format!("`{symbol}` takes a number, not a bool"))
        }
        (UnaryOperator::Complement | UnaryOperator::Negate, number) => Ok(number),
    }
}

/// The type of an operator's result, or what is wrong with its operands.
pub(crate) fn binary(operator: BinaryOperator, left: Type, right: Type) -> Result<Type, String> {
    use BinaryOperator::{And, Equal, NotEqual, Or, Xor};
    let symbol = operator.symbol();
    if operator.is_shift() {
        return match (left, right) {
            (Type::Bool, _) | (_, Type::Bool) => Err(format!("`{symbol}` takes two numbers, not {left} and {right}")),
            _ => Ok(left),
        };
    }
    if left != right {
        return Err(format!("`{symbol}` takes two values of one type, not {left} and {right}"));
    }
    if left == Type::Bool && !matches!(operator, And | Or | Xor | Equal | NotEqual) {
        return Err(format!("`{symbol}` takes two numbers, not two bools"));
    }
    Ok(if operator.is_comparison() { Type::Bool } else { left })
}

/// The type of a choice, or what is wrong with its sides.
pub(crate) fn sides(if_true: Type, if_false: Type) -> Result<Type, String> {
    if if_true == if_false {
        Ok(if_true)
    } else {
        Err(format!("both sides of a choice have one type, not {if_true} and {if_false}"))
    }
}

/// What is wrong with a condition or predicate.
pub(crate) fn condition(what: &str, ty: Type) -> Result<(), String> {
    if ty == Type::Bool { Ok(()) } else { Err(format!("{what} is a bool, not {ty}")) }
}

/// What is wrong with an index into an array.
pub(crate) fn index(ty: Type) -> Result<(), String> {
    if ty == Type::Bool { Err("an index is a number, not a bool".to_owned()) } else { Ok(()) }
}

/// What is wrong with the value of an assignment, a write or an export.
pub(crate) fn assigned(target: &str, expected: Type, found: Type) -> Result<(), String> {
    if expected == found { Ok(()) } else { Err(format!("{target} takes {expected}, not {found}")) }
}

/// What is wrong with how a register is accessed: arrays have an index, scalars none.
pub(crate) fn indexing(register: &Register, indexed: bool) -> Result<(), String> {
    match (register.length, indexed) {
        (Some(length), false) => Err(format!("`@{}` is an array of {length} and needs an index", register.name)),
        (None, true) => Err(format!("`@{}` is a scalar and has no index", register.name)),
        _ => Ok(()),
    }
}

/// What is wrong with the number of a hash's arguments.
pub(crate) fn arity(function: HashFunction, count: usize) -> Result<(), String> {
    let arity = function.arity();
    if count == arity { Ok(()) } else { Err(format!("`{}` takes {arity} values, not {count}", function.name())) }
}

/// What is wrong with the width of a type.
pub(crate) fn width(ty: Type) -> Result<(), String> {
    match ty {
        Type::Bits(0 | 65..) | Type::Int(0 | 65..) => Err(format!("{ty} is not 1 to 64 bits wide")),
        _ => Ok(()),
    }
}

/// What is wrong with a constant.
pub(crate) fn constant(constant: Constant) -> Result<Type, String> {
    width(constant.ty)?;
    if fits(constant.ty, constant.value) {
        Ok(constant.ty)
    } else {
        Err(format!("the value {:#x} has bits above the width of {}", constant.value, constant.ty))
    }
}

/// True if no bit is set above a type's width.
pub(crate) fn fits(ty: Type, value: u64) -> bool {
    runtime::arithmetic::truncate(value, ty.width()) == value
}

/// True for a name that the text of a program can hold: letters, digits, `_`, `.` and `$`, no digit first.
pub(crate) fn is_name(text: &str) -> bool {
    text.bytes().enumerate().all(|(place, byte)| is_name_byte(byte) && (place > 0 || !byte.is_ascii_digit()))
        && !text.is_empty()
}

/// True for what a name is made of.
pub(crate) const fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$')
}
