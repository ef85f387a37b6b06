//! Values in packets and in text.

use num_bigint::BigInt;
use proptest::prelude::*;
use runtime::bits::ParseBitsError;
use runtime::{Bits, read_bits, write_bits};

use crate::operand::{bits, unsigned, value};

/// Reads a bit by definition.
fn bit_of(bytes: &[u8], place: usize) -> bool {
    bytes.get(place / 8).is_some_and(|byte| byte >> (7 - place % 8) & 1 == 1)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn bits_are_read_from_the_most_significant_on(
        bytes in proptest::collection::vec(any::<u8>(), 0..40),
        offset in 0..350usize,
        width in 0..200u32,
    ) {
        let read = read_bits(&bytes, offset, width);
        let expected = (0..width as usize)
            .fold(BigInt::from(0), |number, at| (number << 1) + u8::from(bit_of(&bytes, offset + at)));
        prop_assert_eq!(read, bits(&expected, width));
    }

    #[test]
    fn written_bits_read_back_and_others_stay(
        bytes in proptest::collection::vec(any::<u8>(), 0..40),
        offset in 0..350usize,
        (width, value) in (0..200u32).prop_flat_map(|width| (Just(width), value(width))),
    ) {
        let mut written = bytes.clone();
        write_bits(&mut written, offset, width, &value);
        for place in 0..bytes.len() * 8 {
            let inside = (offset..offset + width as usize).contains(&place);
            let expected = if inside {
                value.bit((offset + width as usize - 1 - place) as u32)
            } else {
                bit_of(&bytes, place)
            };
            prop_assert_eq!(bit_of(&written, place), expected, "bit {}", place);
        }
    }

    #[test]
    fn values_parse_from_their_own_text(
        (width, value) in (0..300u32).prop_flat_map(|width| (Just(width), value(width))),
    ) {
        prop_assert_eq!(value.to_string(), unsigned(&value).to_string());
        prop_assert_eq!(format!("{value:x}"), format!("{:x}", unsigned(&value)));
        prop_assert_eq!(Bits::parse(&value.to_string(), width), Ok(value.clone()));
        prop_assert_eq!(Bits::parse(&format!("{value:#x}"), width), Ok(value.clone()));
        prop_assert_eq!(Bits::parse(&format!("0b{:b}", unsigned(&value)), width), Ok(value));
    }

    #[test]
    fn parsing_never_panics(text in "(0x|0b|)?[0-9a-f_é]{0,30}", width in 0..100u32) {
        if let Ok(value) = Bits::parse(&text, width) {
            prop_assert!(value.fits(width));
        }
    }
}

#[test]
fn extreme_offsets_read_zeros_and_write_nothing() {
    let mut bytes = [0xFF; 4];
    assert_eq!(read_bits(&bytes, usize::MAX, 200), Bits::zero(200));
    write_bits(&mut bytes, usize::MAX, 200, &Bits::zero(200));
    write_bits(&mut bytes, usize::MAX, 64, &Bits::zero(64));
    assert_eq!(bytes, [0xFF; 4]);
}

#[test]
fn parse_errors_name_the_reason() {
    use ParseBitsError::{Digit, Empty, TooWide};
    assert_eq!(Bits::parse("0x_ff", 8), Err(Digit('_')));
    assert_eq!(Bits::parse("1_000", 10), Ok(Bits::Narrow(1000)));
    assert_eq!(Bits::parse("00000000000000000000001", 1), Ok(Bits::Narrow(1)), "leading zeros need no bits");
    assert_eq!(Bits::parse("", 8), Err(Empty));
    assert_eq!(Bits::parse("0x", 8), Err(Empty));
    assert_eq!(Bits::parse("-1", 8), Err(Digit('-')));
    assert_eq!(Bits::parse("0b12", 8), Err(Digit('2')));
    assert_eq!(Bits::parse("256", 8), Err(TooWide { width: 8 }));
    assert_eq!(Bits::parse(&"9".repeat(1_000_000), 65_535), Err(TooWide { width: 65_535 }));
    assert_eq!(TooWide { width: 8 }.to_string(), "the number does not fit 8 bits");
}
