//! Known numbers: what a type makes of one, and how large one may become.

use num_bigint::{BigInt, Sign};

use super::Typed;
use crate::types::{Kind, Type, Types, Value};

/// Numbers with more bits are not kept: `1 << 1000000000` would take memory without end.
pub(super) const MOST_BITS: u64 = 1 << 16;
/// Wider types than any packet.
pub(super) const MOST_WIDTH: u32 = 1 << 16;

/// A number as a type holds it: the low bits, and of `int<N>` the highest as the sign.
pub(super) fn fit(types: &Types, number: BigInt, of: Type) -> BigInt {
    match *types.kind(types.unwrapped(of)) {
        Kind::Bit(width) => low_bits(number, width),
        Kind::Int(width) if width > 0 => {
            let low = low_bits(number, width);
            if low.bit(u64::from(width) - 1) { low - (BigInt::from(1) << width) } else { low }
        }
        _ => number,
    }
}

/// A known value of a type; a number that is too large to keep is known only when the program runs.
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
        Kind::Bit(width) => number.clamp(BigInt::ZERO, power(width) - 1),
        Kind::Int(width) if width > 0 => number.clamp(-power(width - 1), power(width - 1) - 1),
        _ => number,
    }
}

fn low_bits(number: BigInt, width: u32) -> BigInt {
    let fits = number.sign() != Sign::Minus && number.bits() <= u64::from(width);
    if fits { number } else { number & ((BigInt::from(1) << width) - 1) }
}
