//! Operands for property tests: values at the limits of a width are as likely as others.

use num_bigint::{BigInt, BigUint};
use proptest::prelude::*;
use runtime::Bits;

/// A value of a width: near 0, near the maximum, near the sign bit, or anywhere.
pub fn value(width: u32) -> impl Strategy<Value = Bits> {
    let anything = proptest::collection::vec(any::<u64>(), width.div_ceil(64).max(1) as usize);
    (anything, 0..6u32, 0..3u64).prop_map(move |(limbs, edge, offset)| {
        let near =
            |bits: Bits| bits.subtract(&Bits::from_u64(1, width), width).add(&Bits::from_u64(offset, width), width);
        match edge {
            0 => near(Bits::zero(width)),
            1 => near(Bits::from_u64(1, width).shift_left(&Bits::Narrow(u64::from(width.max(1)) - 1), width)),
            2 => Bits::from_u64(limbs[0], width),
            _ => Bits::from_limbs(&limbs, width),
        }
    })
}

/// A width above 64, often next to a multiple of 64, and two values of it.
pub fn wide_pair() -> impl Strategy<Value = (u32, Bits, Bits)> {
    prop_oneof![65..300u32, prop::sample::select(vec![65, 127, 128, 129, 192, 2048])]
        .prop_flat_map(|width| (Just(width), value(width), value(width)))
}

/// A width of at most 64 and two values of it.
pub fn narrow_pair() -> impl Strategy<Value = (u32, u64, u64)> {
    (0..=64u32)
        .prop_flat_map(|width| (Just(width), value(width), value(width)))
        .prop_map(|(w, a, b)| (w, a.low(), b.low()))
}

/// Returns the unsigned number.
pub fn unsigned(bits: &Bits) -> BigInt {
    BigUint::new(bits.limbs().iter().flat_map(|&limb| [limb as u32, (limb >> 32) as u32]).collect()).into()
}

/// Returns the number, read as signed or unsigned.
pub fn number(bits: &Bits, width: u32, signed: bool) -> BigInt {
    let value = unsigned(bits);
    if signed && value.bit(u64::from(width) - 1) { value - (BigInt::from(1) << width) } else { value }
}

/// Returns the two's complement bits of a number, truncated to a width: the form that every result must have.
pub fn bits(number: &BigInt, width: u32) -> Bits {
    let modulus = BigInt::from(1) << width;
    let digits = (((number % &modulus) + &modulus) % &modulus).to_biguint().unwrap().to_u64_digits();
    let mut limbs = vec![0; width.div_ceil(64).max(1) as usize];
    limbs[..digits.len()].copy_from_slice(&digits);
    if width <= 64 { Bits::Narrow(limbs[0]) } else { Bits::Wide(limbs.into()) }
}
