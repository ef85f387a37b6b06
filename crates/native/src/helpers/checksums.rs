//! Checksums and hashes of bit strings that are assembled piece by piece.

use runtime::Bits;
use runtime::hash::HashFunction;
use wire::Tail;
use wire::checksum::Sum;

use crate::context::{Context, Words};

/// Starts an empty bit string.
pub(super) extern "C" fn clear(context: &mut Context<'_, '_>) {
    context.memory.bit_string.clear();
}

/// Appends the lowest `width` bits of a value of at most 64 bits.
pub(super) extern "C" fn push(context: &mut Context<'_, '_>, value: u64, width: u64) {
    context.memory.bit_string.push(&Bits::Narrow(value), width as u32);
}

/// Appends the lowest `width` bits of a wide value.
pub(super) extern "C" fn push_wide(context: &mut Context<'_, '_>, value: Words, width: u64) {
    // The most significant word comes first.
    for place in (0..width.div_ceil(64)).rev() {
        let word = value.read(place + 1)[place as usize];
        context.memory.bit_string.push(&Bits::Narrow(word), (width - place * 64).min(64) as u32);
    }
}

/// Appends the part of the packet that the parser did not consume, aligned to the next whole byte.
pub(super) extern "C" fn push_payload(context: &mut Context<'_, '_>) {
    // Like BMv2's calculations, this appends whole bytes to whole bytes.
    let rest = (8 - context.memory.bit_string.len() % 8) % 8;
    context.memory.bit_string.push(&Bits::Narrow(0), rest as u32);
    // The string is moved out of the context because the payload borrows the context.
    let mut bits = std::mem::take(&mut context.memory.bit_string);
    let (known, rest) = context.payload();
    bits.push_bytes(known);
    match rest {
        Tail::Bytes(bytes) => bits.push_bytes(&bytes),
        Tail::Length(zeros) => bits.end_with_zeros(zeros as usize),
    }
    context.memory.bit_string = bits;
}

/// Returns the checksum of the bit string under the algorithm with the given number.
pub(super) extern "C" fn checksum(context: &mut Context<'_, '_>, algorithm: u64) -> u64 {
    let (bits, random) = (&context.memory.bit_string, &mut *context.around.random);
    context.plan.algorithms[algorithm as usize].number_with_zeros(bits.bytes(), bits.zeros(), random)
}

/// Returns the contribution of the lowest `width` bits of a wide value to a one's complement sum (RFC 1071), folded to
/// 16 bits. The value ends at bit `end` of the string that is summed.
pub(super) extern "C" fn sum_wide(_: &mut Context<'_, '_>, value: Words, width: u64, end: u64) -> u64 {
    // 2^16 is congruent to 1 modulo 2^16 - 1, so 64-bit words can be summed like 16-bit words at any position.
    let mut sum = 0u64;
    for place in 0..width.div_ceil(64) {
        let used = (width - place * 64).min(64);
        let word = value.read(place + 1)[place as usize] & runtime::arithmetic::mask(used as u32);
        sum += (word & 0xFFFF_FFFF) + (word >> 32);
    }
    let shift = (16 - end % 16) % 16;
    fold(fold(sum) << shift)
}

/// Returns the contribution of the part of the packet that the parser did not consume, folded to 16 bits. It follows
/// `bits` bits, rounded up to whole bytes. Trailing zeros contribute nothing.
pub(super) extern "C" fn sum_payload(context: &mut Context<'_, '_>, bits: u64) -> u64 {
    let (known, rest) = context.payload();
    let mut sum = Sum::default();
    sum.add(known);
    match &rest {
        Tail::Bytes(bytes) if known.len() % 2 == 1 => sum.add_at_odd_place(bytes),
        Tail::Bytes(bytes) => sum.add(bytes),
        Tail::Length(_) => {}
    }
    let sum = u64::from(sum.folded());
    if bits.div_ceil(8) % 2 == 1 { u64::from((sum as u16).swap_bytes()) } else { sum }
}

/// Folds the carries of a sum into its lower 16 bits; the result is 0 only if the sum was.
fn fold(mut sum: u64) -> u64 {
    while sum >> 16 != 0 {
        sum = (sum & 0xFFFF) + (sum >> 16);
    }
    sum
}

/// Returns a hash of up to three words; `function` is the index in [`HashFunction::ALL`].
pub(super) extern "C" fn hash(_: &mut Context<'_, '_>, function: u64, a: u64, b: u64, c: u64) -> u64 {
    hash_of_words(function, a, b, c)
}

/// Returns the same for code that has no context.
pub(crate) extern "C" fn hash_of_words(function: u64, a: u64, b: u64, c: u64) -> u64 {
    let function = HashFunction::ALL[function as usize];
    function.of(&[a, b, c][..function.arity()])
}
