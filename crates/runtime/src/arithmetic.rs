//! Arithmetic of fixed width, defined for every operand.
//!
//! Values are raw bits in the low `width` bits of a `u64`, the rest zero; `width` is 1 to 64. Results wrap.
//! The definitions that C leaves open:
//!
//! - `x / 0` is 0 and `x % 0` is `x`, so that `x == (x / d) * d + x % d` holds for every `d`;
//! - the least value divided by -1 is itself, with remainder 0 (both wrap);
//! - division rounds toward zero and a remainder has the sign of the dividend, as in C;
//! - a shift count is the raw bits of its operand read as unsigned: a count of at least the width shifts
//!   everything out, which leaves 0, or the sign in every bit for a right shift of a signed value.

/// The mask of a width's bits.
#[inline]
pub const fn mask(width: u32) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}

/// Raw bits as a signed number.
#[inline]
pub const fn sign_extend(value: u64, width: u32) -> i64 {
    let unused = 64 - width;
    ((value << unused) as i64) >> unused
}

/// A number cut to a width.
#[inline]
pub const fn truncate(value: u64, width: u32) -> u64 {
    value & mask(width)
}

/// Quotient, as defined above.
#[inline]
pub const fn divide(a: u64, b: u64, width: u32, signed: bool) -> u64 {
    if b == 0 {
        0
    } else if signed {
        truncate(sign_extend(a, width).wrapping_div(sign_extend(b, width)) as u64, width)
    } else {
        a / b
    }
}

/// Remainder, as defined above.
#[inline]
pub const fn remainder(a: u64, b: u64, width: u32, signed: bool) -> u64 {
    if b == 0 {
        a
    } else if signed {
        truncate(sign_extend(a, width).wrapping_rem(sign_extend(b, width)) as u64, width)
    } else {
        a % b
    }
}

/// Left shift, as defined above.
#[inline]
pub const fn shift_left(a: u64, count: u64, width: u32) -> u64 {
    if count >= width as u64 { 0 } else { truncate(a << count, width) }
}

/// Right shift, as defined above.
#[inline]
pub const fn shift_right(a: u64, count: u64, width: u32, signed: bool) -> u64 {
    if signed {
        let count = if count >= width as u64 { width - 1 } else { count as u32 };
        truncate((sign_extend(a, width) >> count) as u64, width)
    } else if count >= width as u64 {
        0
    } else {
        a >> count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotient_and_remainder_fit_together_for_every_operand() {
        let values = [0u32, 1, 2, 7, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0xffff_fff9];
        for a in values.map(u64::from) {
            for b in values.map(u64::from) {
                for signed in [false, true] {
                    let (q, r) = (divide(a, b, 32, signed), remainder(a, b, 32, signed));
                    assert_eq!(truncate(q.wrapping_mul(b).wrapping_add(r), 32), a, "{a:#x} {b:#x} {signed}");
                }
            }
        }
        assert_eq!(divide(0x8000_0000, 0xffff_ffff, 32, true), 0x8000_0000);
    }

    #[test]
    fn shifts_past_the_width_shift_everything_out() {
        assert_eq!(shift_left(1, 31, 32), 0x8000_0000);
        assert_eq!(shift_left(1, 32, 32), 0);
        assert_eq!(shift_left(1, 0xffff_ffff, 32), 0);
        assert_eq!(shift_right(0x8000_0000, 40, 32, true), 0xffff_ffff);
        assert_eq!(shift_right(0x8000_0000, 40, 32, false), 0);
        assert_eq!(shift_right(0x8000_0000, 4, 32, true), 0xf800_0000);
    }
}
