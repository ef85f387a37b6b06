//! Values of more than 64 bits behave as the numbers that they stand for, truncated to their width.

use num_bigint::BigInt;
use proptest::prelude::*;
use runtime::Bits;

use crate::operand::{bits, number, unsigned, value, wide_pair};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn arithmetic_equals_that_of_big_integers((width, a, b) in wide_pair(), signed: bool) {
        let (x, y) = (number(&a, width, signed), number(&b, width, signed));
        prop_assert_eq!(a.add(&b, width), bits(&(&x + &y), width));
        prop_assert_eq!(a.subtract(&b, width), bits(&(&x - &y), width));
        prop_assert_eq!(a.multiply(&b, width), bits(&(&x * &y), width));
        prop_assert_eq!(a.negate(width), bits(&-&x, width));
        prop_assert_eq!(a.less(&b, width, signed), x < y);
        prop_assert_eq!(a.compare(&b, width, signed), x.cmp(&y));
        // `BigInt` rounds towards zero too.
        let zero = BigInt::from(0);
        let (quotient, remainder) = if y == zero { (zero, x.clone()) } else { (&x / &y, &x % &y) };
        prop_assert_eq!(a.divide(&b, width, signed), bits(&quotient, width));
        prop_assert_eq!(a.remainder(&b, width, signed), bits(&remainder, width));
        let size: BigInt = BigInt::from(1) << (width - u32::from(signed));
        let least = if signed { -&size } else { BigInt::from(0) };
        let greatest: BigInt = size - 1;
        let nearest = |number: BigInt| bits(&number.clamp(least.clone(), greatest.clone()), width);
        prop_assert_eq!(a.add_saturating(&b, width, signed), nearest(&x + &y));
        prop_assert_eq!(a.subtract_saturating(&b, width, signed), nearest(&x - &y));
    }

    #[test]
    fn logic_equals_that_of_big_integers((width, a, b) in wide_pair()) {
        let (x, y) = (unsigned(&a), unsigned(&b));
        prop_assert_eq!(a.and(&b), bits(&(&x & &y), width));
        prop_assert_eq!(a.or(&b), bits(&(&x | &y), width));
        prop_assert_eq!(a.xor(&b), bits(&(&x ^ &y), width));
        prop_assert_eq!(a.complement(width), bits(&!&x, width));
        prop_assert_eq!(u64::from(a.length()), x.bits());
        prop_assert_eq!(a.common_prefix(&b, width), width - (x ^ y).bits() as u32);
        prop_assert_eq!(a.common_prefix(&a, width), width);
        let shared = a.common_prefix(&b, width);
        prop_assert!(a.shares_prefix(&b, shared, width));
        prop_assert!(a == b || !a.shares_prefix(&b, shared + 1, width));
        prop_assert_eq!(Bits::ones(width), bits(&BigInt::from(-1), width));
    }

    #[test]
    fn shifts_equal_those_of_big_integers((width, a, count) in wide_pair(), small in 0..400u32, signed: bool) {
        let x = number(&a, width, signed);
        let small_count = Bits::from_u64(u64::from(small), width);
        prop_assert_eq!(a.shift_left(&small_count, width), bits(&(&x << small), width));
        prop_assert_eq!(a.shift_right(&small_count, width, signed), bits(&(&x >> small), width));
        // A count of the full width is nearly always far greater than the width.
        let count_number = unsigned(&count);
        let whole = if count_number < BigInt::from(width) { count.low() as u32 } else { width };
        prop_assert_eq!(a.shift_left(&count, width), bits(&(&x << whole), width));
        prop_assert_eq!(a.shift_right(&count, width, signed), bits(&(&x >> whole), width));
    }

    #[test]
    fn slices_and_concatenations_equal_those_of_big_integers(
        (width, a, high, low, part) in (1..300u32)
            .prop_flat_map(|width| (Just(width), value(width), 0..width))
            .prop_flat_map(|(width, a, high)| (Just(width), Just(a), Just(high), 0..=high))
            .prop_flat_map(|(w, a, high, low)| (Just(w), Just(a), Just(high), Just(low), value(high - low + 1))),
    ) {
        let x = unsigned(&a);
        let size = high - low + 1;
        prop_assert_eq!(a.slice(high, low), bits(&(&x >> low), size));
        let changed = a.with_slice(high, low, &part, width);
        prop_assert_eq!(changed.slice(high, low), part.clone());
        let covered = ((BigInt::from(1) << size) - 1) << low;
        prop_assert_eq!(unsigned(&changed), (x.clone() - (&x & &covered)) + (unsigned(&part) << low));
        let both = bits(&((x << size) + unsigned(&part)), width + size);
        prop_assert_eq!(Bits::concatenate(&a, width, &part, size), both);
    }

    #[test]
    fn resizing_keeps_the_number_or_its_low_bits(
        (from, a) in (1..300u32).prop_flat_map(|width| (Just(width), value(width))),
        to in 0..300u32,
        signed: bool,
    ) {
        prop_assert_eq!(a.resize(from, signed, to), bits(&number(&a, from, signed), to));
        prop_assert_eq!(a.fits(to), unsigned(&a) < BigInt::from(1) << to);
    }
}

#[test]
fn the_order_distinguishes_widths() {
    let (narrow, wide) = (Bits::from_u64(5, 64), Bits::from_u64(5, 65));
    assert_ne!(narrow, wide);
    assert!(narrow < wide && wide < Bits::from_u64(6, 64), "the number first, then the width");
}
