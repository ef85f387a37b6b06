//! Values in bytes in network order, at any bit position. The first bit of a byte is its most significant one, as P4_16
//! extracts and emits headers (specification 1.2.5, sections 13.8 and 16.1).

use super::{Bits, limbs};
use crate::arithmetic::mask;

/// Reads the `width` bits that start `bit_offset` bits after the start of `bytes`. Bits outside of `bytes` are zero.
#[inline]
pub fn read_bits(bytes: &[u8], bit_offset: usize, width: u32) -> Bits {
    if width <= 64 {
        return Bits::Narrow(read_narrow(bytes, bit_offset, width));
    }
    limbs::wide(width, |place| {
        // The last bits are the least significant limb.
        let rest = width - place as u32 * 64;
        read_narrow(bytes, bit_offset.saturating_add(rest.saturating_sub(64) as usize), rest.min(64))
    })
}

/// Reads at most 64 bits; see [`read_bits`].
#[inline]
pub fn read_narrow(bytes: &[u8], bit_offset: usize, width: u32) -> u64 {
    debug_assert!(width <= 64);
    let (first, skip) = (bit_offset / 8, bit_offset as u32 % 8);
    // Most fields end within eight bytes of their first one.
    if let Some(word) = bytes.get(first..).and_then(|rest| rest.first_chunk::<8>())
        && skip + width <= 64
    {
        return if width == 0 { 0 } else { u64::from_be_bytes(*word) << skip >> (64 - width) };
    }
    let last = skip + width;
    let taken = last.div_ceil(8);
    let gathered = (0..taken as usize).fold(0u128, |value, at| {
        value << 8 | u128::from(first.checked_add(at).and_then(|at| bytes.get(at)).copied().unwrap_or(0))
    });
    (gathered >> (taken * 8 - last)) as u64 & mask(width)
}

/// Writes a value of `width` bits to the place where [`read_bits`] reads it, leaving all other bits unchanged. Bits
/// that would lie outside of `bytes` are discarded.
#[inline]
pub fn write_bits(bytes: &mut [u8], bit_offset: usize, width: u32, value: &Bits) {
    if let (Bits::Narrow(value), 0..=64) = (value, width) {
        return write_narrow(bytes, bit_offset, width, *value);
    }
    for (place, &limb) in (0..width.div_ceil(64)).zip(value.limbs()) {
        let rest = width - place * 64;
        write_narrow(bytes, bit_offset.saturating_add(rest.saturating_sub(64) as usize), rest.min(64), limb);
    }
}

/// Writes at most 64 bits; see [`write_bits`].
#[inline]
pub fn write_narrow(bytes: &mut [u8], bit_offset: usize, width: u32, value: u64) {
    debug_assert!(width <= 64);
    let (first, skip) = (bit_offset / 8, bit_offset as u32 % 8);
    let last = skip + width;
    let taken = last.div_ceil(8);
    let below = taken * 8 - last;
    let covered = u128::from(mask(width)) << below;
    let moved = u128::from(value & mask(width)) << below;
    let Some(bytes) = bytes.get_mut(first..) else { return };
    for (at, byte) in (0..taken).zip(bytes) {
        let shift = (taken - 1 - at) * 8;
        *byte = *byte & !((covered >> shift) as u8) | (moved >> shift) as u8;
    }
}
