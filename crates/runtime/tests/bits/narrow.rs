//! Values of at most 64 bits behave as `arithmetic` defines.

use proptest::prelude::*;
use runtime::{Bits, arithmetic};

use crate::operand::narrow_pair;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn operations_equal_those_of_arithmetic((width, a, b) in narrow_pair(), signed: bool, any_count: u64) {
        let (x, y) = (Bits::Narrow(a), Bits::Narrow(b));
        let is = |value: Bits, expected: u64| {
            prop_assert_eq!(value, Bits::Narrow(expected));
            Ok(())
        };
        let cut = |value: u64| arithmetic::truncate(value, width);
        is(x.add(&y, width), cut(a.wrapping_add(b)))?;
        is(x.subtract(&y, width), cut(a.wrapping_sub(b)))?;
        is(x.multiply(&y, width), cut(a.wrapping_mul(b)))?;
        is(x.negate(width), cut(a.wrapping_neg()))?;
        is(x.complement(width), cut(!a))?;
        is(x.and(&y), a & b)?;
        is(x.or(&y), a | b)?;
        is(x.xor(&y), a ^ b)?;
        is(Bits::ones(width), arithmetic::mask(width))?;
        let shared = x.common_prefix(&y, width);
        prop_assert_eq!(shared, width - (64 - (a ^ b).leading_zeros()));
        for length in 0..=width {
            prop_assert_eq!(x.shares_prefix(&y, length, width), length <= shared);
        }
        prop_assert_eq!(x.length(), 64 - a.leading_zeros());
        prop_assert_eq!(x.count_ones(), a.count_ones());
        // A signed value has at least one bit (P4_16, section 7.4), which `arithmetic` assumes.
        let signed = signed && width > 0;
        is(x.divide(&y, width, signed), arithmetic::divide(a, b, width, signed))?;
        is(x.remainder(&y, width, signed), arithmetic::remainder(a, b, width, signed))?;
        is(x.add_saturating(&y, width, signed), arithmetic::add_saturating(a, b, width, signed))?;
        is(x.subtract_saturating(&y, width, signed), arithmetic::subtract_saturating(a, b, width, signed))?;
        let less = if signed { arithmetic::sign_extend(a, width) < arithmetic::sign_extend(b, width) } else { a < b };
        prop_assert_eq!(x.less(&y, width, signed), less);
        for count in [any_count, any_count % 70] {
            is(x.shift_left(&Bits::Narrow(count), width), arithmetic::shift_left(a, count, width))?;
            is(x.shift_right(&Bits::Narrow(count), width, signed), arithmetic::shift_right(a, count, width, signed))?;
        }
    }
}

#[test]
fn values_of_no_bits_are_always_zero() {
    let (nothing, one) = (Bits::zero(0), Bits::from_u64(1, 8));
    assert_eq!(Bits::from_u64(7, 0), nothing);
    for signed in [false, true] {
        assert_eq!(nothing.divide(&nothing, 0, signed), nothing);
        assert_eq!(nothing.remainder(&nothing, 0, signed), nothing);
        assert_eq!(nothing.shift_right(&one, 0, signed), nothing);
        assert_eq!(nothing.add_saturating(&nothing, 0, signed), nothing);
        assert_eq!(nothing.resize(0, signed, 100), Bits::zero(100));
    }
    assert_eq!(nothing.shift_left(&one, 0), nothing);
    assert_eq!(nothing.complement(0), nothing);
    assert_eq!(Bits::concatenate(&nothing, 0, &one, 8), one);
    assert_eq!(Bits::concatenate(&one, 8, &nothing, 0), one);
}
