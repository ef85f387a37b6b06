//! Operations on values of more than 64 bits, stored as words.

use ir::{BinaryOperator, UnaryOperator};
use runtime::Bits;

use crate::context::{Context, Words};
use crate::layout::words_of;

/// The bitwise operators, by the numbers that compiled code uses.
pub(crate) const LOGIC: [BinaryOperator; 3] = [BinaryOperator::And, BinaryOperator::Or, BinaryOperator::Xor];

/// The unary operators, by the numbers that compiled code uses.
pub(crate) const UNARY: [UnaryOperator; 3] = [UnaryOperator::Not, UnaryOperator::Complement, UnaryOperator::Negate];

fn bits(words: Words, width: u64) -> Bits {
    Bits::from_limbs(words.read(words_of(width as u32).into()), width as u32)
}

fn put(out: Words, value: &Bits) {
    out.write(value.limbs().len() as u64).copy_from_slice(value.limbs());
}

/// Sets `count` words to 0.
pub(super) extern "C" fn clear(_: &mut Context<'_, '_>, out: Words, count: u64) {
    out.write(count).fill(0);
}

/// Applies an operator of [`LOGIC`] to `count` words.
pub(super) extern "C" fn logic(_: &mut Context<'_, '_>, operator: u64, out: Words, a: Words, b: Words, count: u64) {
    for ((out, a), b) in out.write(count).iter_mut().zip(a.read(count)).zip(b.read(count)) {
        *out = match LOGIC[operator as usize] {
            BinaryOperator::And => a & b,
            BinaryOperator::Or => a | b,
            _ => a ^ b,
        };
    }
}

/// Returns true if `count` words are equal.
pub(super) extern "C" fn equal(_: &mut Context<'_, '_>, a: Words, b: Words, count: u64) -> u64 {
    (a.read(count) == b.read(count)).into()
}

/// Copies `count` words of a value, starting at bit `low`, which may be negative. Bits outside the value are read as
/// zeros.
pub(super) extern "C" fn window(_: &mut Context<'_, '_>, out: Words, count: u64, value: Words, words: u64, low: i64) {
    let value = value.read(words);
    let at = |place: i64| usize::try_from(place).ok().and_then(|place| value.get(place)).copied().unwrap_or(0);
    let (first, shift) = (low.div_euclid(64), low.rem_euclid(64));
    for (place, out) in (first..).zip(out.write(count)) {
        *out = if shift == 0 { at(place) } else { at(place) >> shift | at(place + 1) << (64 - shift) };
    }
}

/// Sign-extends a value from `from` bits to `width` bits.
pub(super) extern "C" fn extend(_: &mut Context<'_, '_>, out: Words, width: u64, value: Words, from: u64) {
    put(out, &bits(value, from).resize(from as u32, true, width as u32));
}

/// Applies an operator of [`UNARY`].
pub(super) extern "C" fn unary(_: &mut Context<'_, '_>, operator: u64, out: Words, value: Words, width: u64) {
    let value = bits(value, width);
    let result = match UNARY[operator as usize] {
        UnaryOperator::Negate => value.negate(width as u32),
        _ => value.complement(width as u32),
    };
    put(out, &result);
}

/// Applies an arithmetic operator, given its index in [`BinaryOperator::ALL`].
pub(super) extern "C" fn binary(
    _: &mut Context<'_, '_>,
    operator: u64,
    out: Words,
    a: Words,
    b: Words,
    width: u64,
    signed: u64,
) {
    let (a, b, width, signed) = (bits(a, width), bits(b, width), width as u32, signed != 0);
    let result = match BinaryOperator::ALL[operator as usize] {
        BinaryOperator::Add => a.add(&b, width),
        BinaryOperator::Subtract => a.subtract(&b, width),
        BinaryOperator::Multiply => a.multiply(&b, width),
        BinaryOperator::Divide => a.divide(&b, width, signed),
        BinaryOperator::Remainder => a.remainder(&b, width, signed),
        BinaryOperator::AddSaturating => a.add_saturating(&b, width, signed),
        _ => a.subtract_saturating(&b, width, signed),
    };
    put(out, &result);
}

/// Shifts a value by `count` bits to the left if `is_left` is not 0, otherwise to the right.
pub(super) extern "C" fn shift(
    _: &mut Context<'_, '_>,
    is_left: u64,
    out: Words,
    value: Words,
    count: u64,
    width: u64,
    signed: u64,
) {
    let (value, count, width) = (bits(value, width), Bits::Narrow(count), width as u32);
    let result =
        if is_left != 0 { value.shift_left(&count, width) } else { value.shift_right(&count, width, signed != 0) };
    put(out, &result);
}

/// Returns true if `a` is less than `b`.
pub(super) extern "C" fn less(_: &mut Context<'_, '_>, a: Words, b: Words, width: u64, signed: u64) -> u64 {
    bits(a, width).less(&bits(b, width), width as u32, signed != 0).into()
}

/// Returns a value modulo the length of a register, which is not 0.
pub(super) extern "C" fn wrap(_: &mut Context<'_, '_>, value: Words, count: u64, length: u64) -> u64 {
    let step = |rest: u64, word: &u64| ((u128::from(rest) << 64 | u128::from(*word)) % u128::from(length)) as u64;
    value.read(count).iter().rev().fold(0, step)
}
