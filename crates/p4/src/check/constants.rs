//! Evaluation of known numbers: the range of a type, and bounds on their size.

use num_bigint::{BigInt, Sign};

use super::Typed;
use crate::types::{Type, TypeForm, Types, Value};

/// The most bits of a known number: `1 << 1000000000` would exhaust memory.
pub(super) const MOST_BITS: u64 = 1 << 16;
/// The largest width of a type, which exceeds any packet.
pub(super) const MOST_WIDTH: u32 = 1 << 16;

/// Reduces a number to the range of a type: to its low bits, of which the highest is the sign in `int<N>`.
pub(super) fn fit(types: &Types, number: BigInt, of: Type) -> BigInt {
    match *types.kind(types.unwrapped(of)) {
        TypeForm::Bit(width) => low_bits(number, width),
        TypeForm::Int(width) if width > 0 => {
            let low = low_bits(number, width);
            if low.bit(u64::from(width) - 1) { low - (BigInt::from(1) << width) } else { low }
        }
        _ => number,
    }
}

/// Makes the known value of a type. A number that is too large to keep has no value here.
pub(super) fn number(types: &Types, number: BigInt, of: Type) -> Typed {
    if number.bits() > MOST_BITS {
        return Typed { known: true, ..Typed::new(of) };
    }
    let fitting = fit(types, number, of);
    Typed::known(of, Value::Integer(fitting))
}

pub(super) fn saturated(types: &Types, number: BigInt, of: Type) -> BigInt {
    let power = |bits: u32| BigInt::from(1) << bits;
    match *types.kind(of) {
        TypeForm::Bit(width) => number.clamp(BigInt::ZERO, power(width) - 1),
        TypeForm::Int(width) if width > 0 => number.clamp(-power(width - 1), power(width - 1) - 1),
        _ => number,
    }
}

fn low_bits(number: BigInt, width: u32) -> BigInt {
    let fits = number.sign() != Sign::Minus && number.bits() <= u64::from(width);
    if fits { number } else { number & ((BigInt::from(1) << width) - 1) }
}
