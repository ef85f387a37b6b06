//! Both representations of values give the same result for every operator.

use ir::value::Value;
use ir::{BinaryOperator, Type, UnaryOperator};
use proptest::prelude::*;
use runtime::{Bits, arithmetic};

/// Numbers near the limits and near the middle of the range, where operators differ.
fn number() -> impl Strategy<Value = u64> {
    prop_oneof![
        any::<u64>(),
        0..4u64,
        (0..4u64).prop_map(|n| u64::MAX - n),
        (0..64u32, 0..3u64).prop_map(|(shift, n)| (1u64 << shift).wrapping_add(n).wrapping_sub(1)),
    ]
}

fn number_type() -> impl Strategy<Value = Type> {
    (1..=64u16, any::<bool>()).prop_map(|(width, signed)| if signed { Type::Int(width) } else { Type::Bits(width) })
}

fn same(word: u64, bits: &Bits, width: u32) {
    assert_eq!(*bits, Bits::from_u64(word, width));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn words_and_bits_agree(ty in number_type(), to in number_type(), a in number(), b in number()) {
        let width = ty.width();
        let (a, b) = (arithmetic::truncate(a, width), arithmetic::truncate(b, width));
        let (wide_a, wide_b) = (Bits::from_u64(a, width), Bits::from_u64(b, width));
        for operator in BinaryOperator::ALL {
            let result = if operator.is_comparison() { 1 } else { width };
            same(u64::binary(operator, ty, &a, &b), &Bits::binary(operator, ty, &wide_a, &wide_b), result);
        }
        for operator in [UnaryOperator::Complement, UnaryOperator::Negate] {
            same(u64::unary(operator, ty, &a), &Bits::unary(operator, ty, &wide_a), width);
        }
        for to in [to, Type::Bool] {
            same(a.cast(ty, to), &wide_a.cast(ty, to), to.width());
        }
        let (high, low) = (b as u32 % width, (b >> 32) as u32 % width);
        let (high, low) = (high.max(low), high.min(low));
        same(Value::slice(&a, high, low), &Value::slice(&wide_a, high, low), high - low + 1);
        if width + to.width() <= 64 {
            let b = arithmetic::truncate(b, to.width());
            let joined = <Bits as Value>::concatenate(&wide_a, width, &Bits::from_u64(b, to.width()), to.width());
            same(<u64 as Value>::concatenate(&a, width, &b, to.width()), &joined, width + to.width());
        }
        let length = b as usize % 1000 + 1;
        prop_assert_eq!(a.wrap(length), wide_a.wrap(length));
    }
}

#[test]
fn bools_are_one_bit_wide() {
    use BinaryOperator::{And, Equal, NotEqual, Or, Xor};
    for a in [0, 1] {
        let wide = Bits::from_u64(a, 1);
        same(u64::unary(UnaryOperator::Not, Type::Bool, &a), &Bits::unary(UnaryOperator::Not, Type::Bool, &wide), 1);
        same(a.cast(Type::Bool, Type::Bits(9)), &wide.cast(Type::Bool, Type::Bits(9)), 9);
        for (b, operator) in [0, 1].into_iter().flat_map(|b| [And, Or, Xor, Equal, NotEqual].map(|o| (b, o))) {
            let bits = Bits::binary(operator, Type::Bool, &wide, &Bits::from_u64(b, 1));
            same(u64::binary(operator, Type::Bool, &a, &b), &bits, 1);
        }
    }
}

#[test]
fn an_index_of_any_width_is_reduced_by_its_value() {
    // 2^64 + 5 modulo 10 is 16 + 5 modulo 10.
    assert_eq!(Bits::from_limbs(&[5, 1], 100).wrap(10), 1);
    assert_eq!(Bits::from_limbs(&[5, 0], 100).wrap(10), 5);
}
