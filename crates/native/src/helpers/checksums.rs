//! Checksums and hashes, of bits that are put one behind the other.

use runtime::Bits;
use runtime::hash::HashFunction;

use crate::context::{Context, Words};

/// Begins a string of bits.
pub(super) extern "C" fn clear(context: &mut Context<'_, '_>) {
    context.memory.bit_string.clear();
}

/// Adds the lowest bits of a value of at most 64.
pub(super) extern "C" fn push(context: &mut Context<'_, '_>, value: u64, width: u64) {
    context.memory.bit_string.push(&Bits::Narrow(value), width as u32);
}

/// Adds the lowest bits of a wide value.
pub(super) extern "C" fn push_wide(context: &mut Context<'_, '_>, value: Words, width: u64) {
    // From the highest word down.
    for place in (0..width.div_ceil(64)).rev() {
        let word = value.read(place + 1)[place as usize];
        context.memory.bit_string.push(&Bits::Narrow(word), (width - place * 64).min(64) as u32);
    }
}

/// Adds what the parser left of the packet, at the next whole byte.
pub(super) extern "C" fn push_payload(context: &mut Context<'_, '_>) {
    // Whole bytes follow whole bytes, as in BMv2's calculations.
    let rest = (8 - context.memory.bit_string.len() % 8) % 8;
    context.memory.bit_string.push(&Bits::Narrow(0), rest as u32);
    // Taken out, for the payload is the context's too.
    let mut bits = std::mem::take(&mut context.memory.bit_string);
    bits.push_bytes(context.payload());
    bits.end_with_zeros(context.payload_zeros());
    context.memory.bit_string = bits;
}

/// A checksum of the bits, by the number of its algorithm.
pub(super) extern "C" fn checksum(context: &mut Context<'_, '_>, algorithm: u64) -> u64 {
    let (bits, random) = (&context.memory.bit_string, &mut *context.around.random);
    context.plan.algorithms[algorithm as usize].number_with_zeros(bits.bytes(), bits.zeros(), random)
}

/// The share of the lowest `width` bits of a wide value in the one's complement sum (RFC 1071) of a string of bits in
/// which they end at bit `end`, folded to 16 bits.
pub(super) extern "C" fn sum_wide(_: &mut Context<'_, '_>, value: Words, width: u64, end: u64) -> u64 {
    // 2^16 is 1 modulo 2^16 - 1, so that a word of 64 bits counts wherever it lies among words of 16.
    let mut sum = 0u64;
    for place in 0..width.div_ceil(64) {
        let used = (width - place * 64).min(64);
        let word = value.read(place + 1)[place as usize] & runtime::arithmetic::mask(used as u32);
        sum += (word & 0xFFFF_FFFF) + (word >> 32);
    }
    let shift = (16 - end % 16) % 16;
    fold(fold(sum) << shift)
}

/// The share of what the parser left of the packet, which follows so many bits in whole bytes, folded to 16 bits. Zeros
/// at its end have none.
pub(super) extern "C" fn sum_payload(context: &mut Context<'_, '_>, bits: u64) -> u64 {
    let sum = fold(u64::from(!wire::checksum::of(context.payload())));
    if bits.div_ceil(8) % 2 == 1 { u64::from((sum as u16).swap_bytes()) } else { sum }
}

/// A sum with its carries added until it has 16 bits; 0 only if it was.
fn fold(mut sum: u64) -> u64 {
    while sum >> 16 != 0 {
        sum = (sum & 0xFFFF) + (sum >> 16);
    }
    sum
}

/// A hash of words, by its place in [`HashFunction::ALL`].
pub(super) extern "C" fn hash(_: &mut Context<'_, '_>, function: u64, a: u64, b: u64, c: u64) -> u64 {
    let function = HashFunction::ALL[function as usize];
    function.of(&[a, b, c][..function.arity()])
}
