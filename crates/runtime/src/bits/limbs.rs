//! Primitive operations on values as limbs of 64 bits, the least significant one first.

use std::cmp::Ordering;

use super::Bits;
use crate::arithmetic::{mask, truncate};

/// Builds a value of any width from its limbs, `limb(place)`. Bits above the width are discarded.
#[inline]
pub(super) fn build(width: u32, mut limb: impl FnMut(usize) -> u64) -> Bits {
    if width <= 64 { Bits::Narrow(truncate(limb(0), width)) } else { wide(width, limb) }
}

/// Builds a value of more than 64 bits; see [`build`].
pub(super) fn wide(width: u32, limb: impl FnMut(usize) -> u64) -> Bits {
    debug_assert!(width > 64);
    let mut limbs: Box<[u64]> = (0..width.div_ceil(64) as usize).map(limb).collect();
    if let (Some(top), used @ 1..) = (limbs.last_mut(), width % 64) {
        *top &= mask(used);
    }
    Bits::Wide(limbs)
}

/// Returns the limb at a position; zero above the last one.
#[inline]
pub(super) fn at(limbs: &[u64], place: usize) -> u64 {
    limbs.get(place).copied().unwrap_or(0)
}

/// Returns the 64 bits from a bit position upwards. Positions below 0 and above the last limb read as zero.
#[inline]
pub(super) fn window(limbs: &[u64], place: i64) -> u64 {
    if place < 0 {
        return if place > -64 { at(limbs, 0) << -place } else { 0 };
    }
    let (limb, shift) = ((place / 64) as usize, place % 64);
    let low = at(limbs, limb) >> shift;
    if shift == 0 { low } else { low | at(limbs, limb + 1) << (64 - shift) }
}

/// Compares two numbers of any sizes as unsigned ones.
pub(super) fn compare(a: &[u64], b: &[u64]) -> Ordering {
    let places = (0..a.len().max(b.len())).rev();
    places.map(|place| at(a, place).cmp(&at(b, place))).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}
