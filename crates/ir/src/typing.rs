//! The rules of types, once: the parser asks them with places at hand, [`crate::verify`] without.

use runtime::Bits;
use runtime::checksum::Algorithm;
use runtime::hash::HashFunction;
use runtime::tables::{KeyField, MatchKind};

use crate::{BinaryOperator, Constant, Digest, HeaderId, Program, Register, Type, UnaryOperator};

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

/// What is wrong with the width of a type: 1 to 65,535 bits, of which a type cannot say more.
pub(crate) fn width(ty: Type) -> Result<(), String> {
    if ty.width() == 0 { Err(format!("{ty} has no bits")) } else { Ok(()) }
}

/// What is wrong with a constant.
pub(crate) fn constant(constant: Constant) -> Result<Type, String> {
    width(constant.ty)?;
    if constant.ty.width() > 64 {
        return Err(format!("{} is too wide for a constant of 64 bits", constant.ty));
    }
    if fits(constant.ty, constant.value) {
        Ok(constant.ty)
    } else {
        Err(format!("the value {:#x} has bits above the width of {}", constant.value, constant.ty))
    }
}

/// What is wrong with a constant of more than 64 bits.
pub(crate) fn wide(ty: Type, value: &Bits) -> Result<Type, String> {
    if ty.width() <= 64 {
        return Err(format!("{ty} is not wider than 64 bits"));
    }
    if is_canonical(value, ty.width()) { Ok(ty) } else { Err(format!("the value {value:#x} is no value of {ty}")) }
}

/// True if a value is spelled as values of its width are.
pub(crate) fn is_canonical(value: &Bits, width: u32) -> bool {
    Bits::from_limbs(value.limbs(), width) == *value
}

/// True if no bit is set above a type's width.
pub(crate) fn fits(ty: Type, value: u64) -> bool {
    runtime::arithmetic::truncate(value, ty.width()) == value
}

/// What is wrong with something that must be a number.
pub(crate) fn number(what: &str, ty: Type) -> Result<(), String> {
    if ty == Type::Bool { Err(format!("{what} is a number, not a bool")) } else { Ok(()) }
}

/// The type of some bits of a number, or what is wrong with them.
pub(crate) fn slice(ty: Type, high: u16, low: u16) -> Result<Type, String> {
    number("what bits are taken of", ty)?;
    if high < low {
        Err(format!("bits {high} to {low}: the highest comes first"))
    } else if u32::from(high) >= ty.width() {
        Err(format!("there is no bit {high} in {ty}"))
    } else {
        // The greatest width leaves no room for a bit 65,535.
        Ok(Type::Bits(high - low + 1))
    }
}

/// The type of two numbers one behind the other, or what is wrong with them.
pub(crate) fn concatenation(high: Type, low: Type) -> Result<Type, String> {
    if high == Type::Bool || low == Type::Bool {
        return Err(format!("`++` takes two numbers, not {high} and {low}"));
    }
    match high.width() + low.width() {
        width if width > Bits::MAXIMUM_WIDTH => {
            Err(format!("{width} bits one behind the other, and the most is {}", Bits::MAXIMUM_WIDTH))
        }
        _ => Ok(concatenated(high, low)),
    }
}

/// The type of two numbers one behind the other.
pub(crate) fn concatenated(high: Type, low: Type) -> Type {
    // A width that no type has is refused by `verify`.
    let width = (high.width() + low.width()).min(u32::from(u16::MAX)) as u16;
    if high.is_signed() { Type::Int(width) } else { Type::Bits(width) }
}

/// What is wrong with the type of a checksum's result.
pub(crate) fn checksum(result: Type) -> Result<Type, String> {
    width(result)?;
    if matches!(result, Type::Bits(_)) { Ok(result) } else { Err(format!("a checksum is a bit<N>, not {result}")) }
}

/// What is wrong with an algorithm: one whose parameters the control plane may change begins with those of its name.
pub(crate) fn algorithm(algorithm: &Algorithm) -> Result<(), String> {
    match Algorithm::from_name(algorithm.name()) {
        Some(named) if named == *algorithm => Ok(()),
        _ => Err(format!("`{}` has other parameters than at the start", algorithm.name())),
    }
}

/// What is wrong with a variable that takes what a statement gives.
pub(crate) fn takes(what: &str, given: Type, variable: Type) -> Result<(), String> {
    if given == variable { Ok(()) } else { Err(format!("{what} is {given}, and the variable {variable}")) }
}

/// What an application of a table gives.
pub(crate) const HIT: &str = "whether an entry matched";
/// What an application of a table gives.
pub(crate) const ACTION: &str = "which action is found";
/// What a meter gives.
pub(crate) const COLOR: &str = "what takes a colour";

/// What is wrong with a variable that takes a random number.
pub(crate) fn random(ty: Type) -> Result<(), String> {
    if matches!(ty, Type::Bits(_)) { Ok(()) } else { Err(format!("a random number is a bit<N>, not {ty}")) }
}

/// What is wrong with an error, as a number.
pub(crate) fn error(ty: Type) -> Result<(), String> {
    number("an error", ty)?;
    if ty.width() <= 32 { Ok(()) } else { Err(format!("an error is a number of at most 32 bits, not {ty}")) }
}

/// What is wrong with the place of a field list.
pub(crate) fn keep(program: &Program, keep: Option<usize>) -> Result<(), String> {
    let lists = program.field_lists.len();
    match keep {
        Some(place) if place >= lists => Err(format!("field list {place} of {lists}, counted from 0")),
        _ => Ok(()),
    }
}

/// What is wrong with the length that an extraction is given.
pub(crate) fn extraction(program: &Program, header: HeaderId, has_length: bool) -> Result<(), String> {
    let header = &program.headers[header.index()];
    let variable = header.fields.iter().filter(|field| field.length.is_some()).count();
    match (variable, has_length) {
        (0, true) => {
            Err(format!("the header `{}` has no variable-length field, so that no length is given", header.name))
        }
        (0, false) | (1, true) => Ok(()),
        (1, false) => Err(format!("the header `{}` has a variable-length field, whose length is given", header.name)),
        _ => Err(format!("the header `{}` has several variable-length fields, and cannot be extracted", header.name)),
    }
}

/// What is wrong with the number of values that a digest is given.
pub(crate) fn digest(digest: &Digest, count: usize) -> Result<(), String> {
    let fields = digest.fields.len();
    if count == fields { Ok(()) } else { Err(format!("`{}` takes {fields} values, not {count}", digest.name)) }
}

/// What is wrong with using a counter, or a meter, by an index: those of the entries of a table have none.
pub(crate) fn indexed(what: &str, name: &str, size: Option<u32>) -> Result<(), String> {
    match size {
        Some(_) => Ok(()),
        None => Err(format!("the {what} `{name}` belongs to the entries of a table, and has no index")),
    }
}

/// What is wrong with giving a counter, or a meter, to a table: those of its entries have no size.
pub(crate) fn direct(what: &str, name: &str, size: Option<u32>) -> Result<(), String> {
    match size {
        None => Ok(()),
        Some(size) => Err(format!("the {what} `{name}` has {size} places, and does not belong to entries of a table")),
    }
}

/// What is wrong with a key of a table.
pub(crate) fn key(kind: MatchKind, ty: Type) -> Result<(), String> {
    match kind {
        MatchKind::Exact | MatchKind::Optional => Ok(()),
        MatchKind::Lpm | MatchKind::Ternary | MatchKind::Range => number(&format!("a key of kind `{kind}`"), ty),
    }
}

/// What is wrong with the number of the words that a look-up gives.
pub(crate) fn keys(words: usize, given: usize) -> Result<(), String> {
    if words == given { Ok(()) } else { Err(format!("the table takes {words} words of keys, not {given}")) }
}

/// What is wrong with a word of a look-up.
pub(crate) fn word(ty: Type) -> Result<(), String> {
    if ty.width() <= 64 { Ok(()) } else { Err(format!("a word has at most 64 bits, and {ty} has more")) }
}

/// What is wrong with comparing a key of a selection with a value, or with a mask or a range, which are of numbers.
pub(crate) fn compared(key: Type, value: Type, of_numbers: bool) -> Result<(), String> {
    if key != value {
        return Err(format!("a key of type {key} is compared with {value}"));
    }
    if of_numbers { number("what has a mask or a range", key) } else { Ok(()) }
}

/// What is wrong with a key that a value of the members of a value set is compared with.
pub(crate) fn member(set: &str, field: KeyField, key: Type) -> Result<(), String> {
    if key.width() == field.width {
        Ok(())
    } else {
        Err(format!("a value of `{set}` is {} bits wide, and the key is {key}", field.width))
    }
}

/// What is wrong with an action or data that do not belong together.
pub(crate) fn data(action: &str, parameters: usize, given: usize) -> Result<(), String> {
    if parameters == given { Ok(()) } else { Err(format!("`{action}` takes {parameters} values, not {given}")) }
}

/// True for a name that the text of a program can hold: letters, digits, `_`, `.` and `$`, no digit first, and behind
/// these a place in brackets, `[0]` or `[]`, as often as need be: `hdr.vlan[0].id`.
pub fn is_name(text: &str) -> bool {
    let first_is_digit = text.as_bytes().first().is_some_and(u8::is_ascii_digit);
    !text.is_empty() && !first_is_digit && name_length(text) == text.len()
}

/// How much of a text is a name; whether a digit comes first is for the caller.
pub(crate) fn name_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut length = 0;
    loop {
        match bytes.get(length) {
            Some(&byte) if is_name_byte(byte) => length += 1,
            Some(b'[') if length > 0 => {
                let digits = bytes[length + 1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
                if bytes.get(length + 1 + digits) != Some(&b']') {
                    return length;
                }
                length += digits + 2;
            }
            _ => return length,
        }
    }
}

/// True for what a name is made of.
pub(crate) const fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$')
}
