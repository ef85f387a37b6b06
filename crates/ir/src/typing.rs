//! The type rules, stated once for two callers: the parser, which adds source locations, and [`crate::verify`], which
//! has none.
//!
//! Each function returns the type of a construct, or a message that says what is wrong with it.

use runtime::Bits;
use runtime::checksum::Algorithm;
use runtime::hash::HashFunction;
use runtime::tables::{KeyField, MatchKind};

use crate::{BinaryOperator, Constant, Digest, HeaderId, Program, Register, Type, UnaryOperator};

/// The type of a unary operator's result.
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

/// The type of a binary operator's result.
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

/// The type of `condition ? if_true : if_false`.
pub(crate) fn sides(if_true: Type, if_false: Type) -> Result<Type, String> {
    if if_true == if_false {
        Ok(if_true)
    } else {
        Err(format!("both sides of a choice must have the same type, not {if_true} and {if_false}"))
    }
}

/// Requires a condition or predicate to be a bool.
pub(crate) fn condition(what: &str, ty: Type) -> Result<(), String> {
    if ty == Type::Bool { Ok(()) } else { Err(format!("{what} must be a bool, not {ty}")) }
}

/// Requires the index into an array to be a number.
pub(crate) fn index(ty: Type) -> Result<(), String> {
    if ty == Type::Bool { Err("an index must be a number, not a bool".to_owned()) } else { Ok(()) }
}

/// Requires the value of an assignment, a write or an export to have the type of its target.
pub(crate) fn assigned(target: &str, expected: Type, found: Type) -> Result<(), String> {
    if expected == found { Ok(()) } else { Err(format!("{target} takes {expected}, not {found}")) }
}

/// Requires an index for an access to a register array, and none for an access to a scalar.
pub(crate) fn indexing(register: &Register, indexed: bool) -> Result<(), String> {
    match (register.length, indexed) {
        (Some(length), false) => Err(format!("`@{}` is an array of {length} and needs an index", register.name)),
        (None, true) => Err(format!("`@{}` is a scalar and has no index", register.name)),
        _ => Ok(()),
    }
}

/// Checks the number of a hash's arguments.
pub(crate) fn arity(function: HashFunction, count: usize) -> Result<(), String> {
    let arity = function.arity();
    if count == arity { Ok(()) } else { Err(format!("`{}` takes {arity} values, not {count}", function.name())) }
}

/// Requires a type to have at least one bit. The maximum of 65,535 bits is inherent in [`Type`].
pub(crate) fn width(ty: Type) -> Result<(), String> {
    if ty.width() == 0 { Err(format!("{ty} has no bits")) } else { Ok(()) }
}

/// The type of a constant of at most 64 bits.
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

/// The type of a constant of more than 64 bits.
pub(crate) fn wide(ty: Type, value: &Bits) -> Result<Type, String> {
    if ty.width() <= 64 {
        return Err(format!("{ty} is not wider than 64 bits"));
    }
    if is_canonical(value, ty.width()) { Ok(ty) } else { Err(format!("the value {value:#x} does not fit in {ty}")) }
}

/// Returns true if a value has the canonical representation for its width.
pub(crate) fn is_canonical(value: &Bits, width: u32) -> bool {
    Bits::from_limbs(value.limbs(), width) == *value
}

/// Returns true if no bit is set above a type's width.
pub(crate) fn fits(ty: Type, value: u64) -> bool {
    runtime::arithmetic::truncate(value, ty.width()) == value
}

/// Requires an operand to be a number.
pub(crate) fn number(what: &str, ty: Type) -> Result<(), String> {
    if ty == Type::Bool { Err(format!("{what} must be a number, not a bool")) } else { Ok(()) }
}

/// The type of a bit slice of a number.
pub(crate) fn slice(ty: Type, high: u16, low: u16) -> Result<Type, String> {
    number("the operand of a slice", ty)?;
    if high < low {
        Err(format!("the slice [{high}:{low}] must name the higher bit first"))
    } else if u32::from(high) >= ty.width() {
        Err(format!("bit {high} is outside of {ty}"))
    } else {
        // This cannot overflow: the greatest width is 65,535, so `high` is at most 65,534.
        Ok(Type::Bits(high - low + 1))
    }
}

/// The type of a bit field of local memory.
pub(crate) fn field(program: &Program, width: u16) -> Result<Type, String> {
    if program.threads.is_none() {
        return Err("only programs of threads have local memory".to_owned());
    }
    match width {
        1..=64 => Ok(Type::Bits(width)),
        _ => Err(format!("a field of local memory has 1 to 64 bits, not {width}")),
    }
}

/// The type of a concatenation.
pub(crate) fn concatenation(high: Type, low: Type) -> Result<Type, String> {
    if high == Type::Bool || low == Type::Bool {
        return Err(format!("`++` takes two numbers, not {high} and {low}"));
    }
    match high.width() + low.width() {
        width if width > Bits::MAXIMUM_WIDTH => {
            Err(format!("a concatenation has {width} bits, more than the maximum of {}", Bits::MAXIMUM_WIDTH))
        }
        _ => Ok(concatenated(high, low)),
    }
}

/// The type of a concatenation whose operands are known to be numbers.
pub(crate) fn concatenated(high: Type, low: Type) -> Type {
    // A width above the maximum is refused by `verify`.
    let width = (high.width() + low.width()).min(u32::from(u16::MAX)) as u16;
    if high.is_signed() { Type::Int(width) } else { Type::Bits(width) }
}

/// Checks the type of a checksum's result.
pub(crate) fn checksum(result: Type) -> Result<Type, String> {
    width(result)?;
    if matches!(result, Type::Bits(_)) {
        Ok(result)
    } else {
        Err(format!("the result of a checksum must be a bit<N>, not {result}"))
    }
}

/// Requires a checksum algorithm to have the parameters that its name implies. Only the control plane may change them,
/// at run time.
pub(crate) fn algorithm(algorithm: &Algorithm) -> Result<(), String> {
    match Algorithm::from_name(&algorithm.name()) {
        Some(named) if named == *algorithm => Ok(()),
        _ => Err(format!("`{}` has other parameters than its name implies", algorithm.name())),
    }
}

/// Requires a variable to have the type of the result that a statement stores in it.
pub(crate) fn takes(what: &str, given: Type, variable: Type) -> Result<(), String> {
    if given == variable {
        Ok(())
    } else {
        Err(format!("{what} is of type {given}, but the variable is of type {variable}"))
    }
}

/// The subject of messages about the hit result of a table application.
pub(crate) const HIT: &str = "the hit of a table";
/// The subject of messages about the action result of a table application.
pub(crate) const ACTION: &str = "the action number of a table";
/// The subject of messages about the slot result of a table application.
pub(crate) const ENTRY: &str = "the slot of a table's entry";
/// The subject of messages about the colour that a packet has before a meter measures it.
pub(crate) const ARRIVING: &str = "the colour of a packet";
/// The subject of messages about the value that a filter or a random early detector takes.
pub(crate) const TAKEN: &str = "the value of a filter";
/// The subject of messages about the result of a filter.
pub(crate) const FILTERED: &str = "the variable for the output of a filter";
/// The subject of messages about the result of a random early detector.
pub(crate) const DROPS: &str = "whether a packet is dropped";
/// The subject of messages about the result of a meter.
pub(crate) const COLOR: &str = "the variable for a colour";

/// Checks the type of a variable that receives a random number.
pub(crate) fn random(ty: Type) -> Result<(), String> {
    if matches!(ty, Type::Bits(_)) {
        Ok(())
    } else {
        Err(format!("the variable for a random number must be a bit<N>, not {ty}"))
    }
}

/// Checks the type of a parser error given as a number.
pub(crate) fn error(ty: Type) -> Result<(), String> {
    number("an error", ty)?;
    if ty.width() <= 32 { Ok(()) } else { Err(format!("an error must be a number of at most 32 bits, not {ty}")) }
}

/// Requires the index of a field list to be in range.
pub(crate) fn keep(program: &Program, keep: Option<usize>) -> Result<(), String> {
    let lists = program.field_lists.len();
    match keep {
        Some(place) if place >= lists => {
            Err(format!("there is no field list {place}: the program has {lists}, counted from 0"))
        }
        _ => Ok(()),
    }
}

/// Requires a length for the extraction of a header with a variable-length field, and none for other headers.
pub(crate) fn extraction(program: &Program, header: HeaderId, has_length: bool) -> Result<(), String> {
    let header = &program.headers[header.index()];
    let variable = header.fields.iter().filter(|field| field.length.is_some()).count();
    match (variable, has_length) {
        (0, true) => {
            Err(format!("the header `{}` has no variable-length field, so the extraction takes no length", header.name))
        }
        (0, false) | (1, true) => Ok(()),
        (1, false) => {
            Err(format!("the header `{}` has a variable-length field, so the extraction needs its length", header.name))
        }
        _ => Err(format!("the header `{}` has several variable-length fields and cannot be extracted", header.name)),
    }
}

/// Checks the number of values of a digest.
pub(crate) fn digest(digest: &Digest, count: usize) -> Result<(), String> {
    let fields = digest.fields.len();
    if count == fields { Ok(()) } else { Err(format!("`{}` takes {fields} values, not {count}", digest.name)) }
}

/// Checks the type of the number of bytes by which a meter adjusts the length of packets.
pub(crate) fn adjustment(ty: Type) -> Result<(), String> {
    match ty {
        Type::Int(1..=64) => Ok(()),
        _ => Err(format!("the bytes that a meter adds are an int<N> of at most 64 bits, not {ty}")),
    }
}

/// Requires a counter or meter that is attached to a table to be direct.
pub(crate) fn direct(what: &str, name: &str, size: Option<u32>) -> Result<(), String> {
    match size {
        None => Ok(()),
        Some(size) => Err(format!("the {what} `{name}` is an array of {size}; a table needs a direct one")),
    }
}

/// Checks the type of a table key against its match kind.
pub(crate) fn key(kind: MatchKind, ty: Type) -> Result<(), String> {
    match kind {
        MatchKind::Exact | MatchKind::Optional => Ok(()),
        MatchKind::Lpm | MatchKind::Ternary | MatchKind::Range => number(&format!("a key of kind `{kind}`"), ty),
    }
}

/// Checks the number of key words of a look-up.
pub(crate) fn keys(words: usize, given: usize) -> Result<(), String> {
    if words == given { Ok(()) } else { Err(format!("the table takes {words} key words, not {given}")) }
}

/// Requires a word of a look-up to have at most 64 bits.
pub(crate) fn word(ty: Type) -> Result<(), String> {
    if ty.width() <= 64 { Ok(()) } else { Err(format!("a key word has at most 64 bits, but {ty} is wider")) }
}

/// Checks the types of a `select` key and of the value that it is compared with. Masks and ranges need numbers.
pub(crate) fn compared(key: Type, value: Type, of_numbers: bool) -> Result<(), String> {
    if key != value {
        return Err(format!("a key of type {key} is compared with {value}"));
    }
    if of_numbers { number("a key that is compared with a mask or a range", key) } else { Ok(()) }
}

/// Checks the width of a `select` key against a field of a value set.
pub(crate) fn member(set: &str, field: KeyField, key: Type) -> Result<(), String> {
    if key.width() == field.width {
        Ok(())
    } else {
        Err(format!("a field of `{set}` is {} bits wide, but the key is of type {key}", field.width))
    }
}

/// Checks the number of values that an entry passes to an action.
pub(crate) fn data(action: &str, parameters: usize, given: usize) -> Result<(), String> {
    if parameters == given { Ok(()) } else { Err(format!("`{action}` takes {parameters} values, not {given}")) }
}

/// Returns true for a name that the text of a program can hold: letters, digits, `_`, `.` and `$`, not starting with a
/// digit, followed by any number of bracketed indices `[0]` or `[]`, as in `hdr.vlan[0].id`.
pub fn is_name(text: &str) -> bool {
    let first_is_digit = text.as_bytes().first().is_some_and(u8::is_ascii_digit);
    !text.is_empty() && !first_is_digit && name_length(text) == text.len()
}

/// The length of the name at the start of a text. It may begin with a digit; the caller checks that.
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

/// Returns true for a byte that may occur in a name outside of brackets.
pub(crate) const fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$')
}
