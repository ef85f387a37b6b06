//! Fixed-width arithmetic that is defined for every operand.
//!
//! Values are raw bits in the low `width` bits of a `u64`, with all other bits zero; `width` is 1 to 64, and functions
//! may panic for other widths. Results wrap around. The following definitions settle what C leaves undefined:
//!
//! - `x / 0` is 0 and `x % 0` is `x`, so that `x == (x / d) * d + x % d` holds for every `d`.
//! - The least value divided by -1 is itself, with remainder 0, because both wrap around.
//! - Division rounds towards zero and a remainder has the sign of the dividend, as in C.
//! - A shift count is the raw bits of its operand, read as an unsigned number. A count of at least the width shifts out
//!   all bits, which leaves 0, or copies of the sign bit for a right shift of a signed value.
//! - Saturating sums and differences that are out of range become the nearest value of the type (P4_16 specification
//!   1.2.5, sections 8.6 and 8.7).

/// Returns a mask of the lowest `width` bits.
#[inline]
pub const fn mask(width: u32) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}

/// Interprets raw bits as a signed number.
#[inline]
pub const fn sign_extend(value: u64, width: u32) -> i64 {
    let unused = 64 - width;
    ((value << unused) as i64) >> unused
}

/// Truncates a number to a width.
#[inline]
pub const fn truncate(value: u64, width: u32) -> u64 {
    value & mask(width)
}

/// Divides two numbers, as defined above.
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

/// Returns the remainder of a division, as defined above.
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

/// Shifts to the left, as defined above.
#[inline]
pub const fn shift_left(a: u64, count: u64, width: u32) -> u64 {
    if count >= width as u64 { 0 } else { truncate(a << count, width) }
}

/// Shifts to the right, as defined above.
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

/// Adds two numbers and saturates the sum.
#[inline]
pub const fn add_saturating(a: u64, b: u64, width: u32, signed: bool) -> u64 {
    if signed {
        saturate(sign_extend(a, width) as i128 + sign_extend(b, width) as i128, width)
    } else {
        match a.checked_add(b) {
            Some(sum) if sum <= mask(width) => sum,
            _ => mask(width),
        }
    }
}

/// Subtracts two numbers and saturates the difference.
#[inline]
pub const fn subtract_saturating(a: u64, b: u64, width: u32, signed: bool) -> u64 {
    if signed {
        saturate(sign_extend(a, width) as i128 - sign_extend(b, width) as i128, width)
    } else {
        a.saturating_sub(b)
    }
}

/// The signed value of a width that is nearest to a number.
const fn saturate(number: i128, width: u32) -> u64 {
    let greatest = mask(width - 1) as i128;
    if number > greatest {
        greatest as u64
    } else if number < -greatest - 1 {
        truncate((-greatest - 1) as u64, width)
    } else {
        truncate(number as u64, width)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotient_and_remainder_are_consistent() {
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

    #[test]
    fn saturating_results_are_the_nearest_value_of_the_type() {
        for width in 1..=6 {
            let (least, greatest) = (-(1i64 << (width - 1)), (1i64 << (width - 1)) - 1);
            for a in 0..1 << width {
                for b in 0..1 << width {
                    let clamp = |number: i64| truncate(number.clamp(least, greatest) as u64, width);
                    let (x, y) = (sign_extend(a, width), sign_extend(b, width));
                    assert_eq!(add_saturating(a, b, width, true), clamp(x + y), "{a} {b} {width}");
                    assert_eq!(subtract_saturating(a, b, width, true), clamp(x - y), "{a} {b} {width}");
                    assert_eq!(add_saturating(a, b, width, false), (a + b).min(mask(width)), "{a} {b} {width}");
                    assert_eq!(subtract_saturating(a, b, width, false), a.saturating_sub(b), "{a} {b} {width}");
                }
            }
        }
        let (least, greatest) = (1 << 63, u64::MAX >> 1);
        assert_eq!(add_saturating(u64::MAX, 1, 64, false), u64::MAX);
        assert_eq!(add_saturating(greatest, 1, 64, true), greatest);
        assert_eq!(subtract_saturating(least, 1, 64, true), least);
        assert_eq!(subtract_saturating(0, least, 64, true), greatest);
    }
}
