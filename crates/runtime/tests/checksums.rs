//! The algorithms of v1model, compared with published check values, the crate `crc`, and sums computed by hand.

use basis::Random;
use crc::Crc;
use proptest::prelude::*;
use runtime::Bits;
use runtime::checksum::{Algorithm, BitString, CyclicCode, CyclicParameters};

fn number(name: &str, data: &[u8]) -> u64 {
    Algorithm::from_name(name).unwrap().number(data, &mut Random::new(1))
}

#[test]
fn algorithms_give_their_published_values() {
    // The check value of a CRC is its result for these nine bytes (catalogue of parametrised CRC algorithms, reveng).
    let check = b"123456789";
    assert_eq!(number("crc32", check), 0xCBF4_3926);
    assert_eq!(number("crc32_custom", check), 0xCBF4_3926);
    assert_eq!(number("crc16", check), 0xBB3D);
    assert_eq!(number("crc16_custom", check), 0xBB3D);
    // RFC 1071, section 3.
    assert_eq!(number("csum16", &[0x00, 0x01, 0xF2, 0x03, 0xF4, 0xF5, 0xF6, 0xF7]), 0x220D);
    assert_eq!(number("csum16", &[]), 0xFFFF);
    assert_eq!(number("xor16", &[0x12, 0x34, 0x56, 0x78, 0x9A]), 0x1234 ^ 0x5678 ^ 0x9A00);
    assert_eq!(number("identity", &[0x12, 0x34, 0x56]), 0x12_3456);
    assert_eq!(number("identity", &[1, 2, 3, 4, 5, 6, 7, 8, 9]), 0x0102_0304_0506_0708);
    for name in Algorithm::NAMES {
        assert_eq!(Algorithm::from_name(name).unwrap().name(), name);
    }
    assert_eq!(Algorithm::from_name("md5"), None);
}

#[test]
fn only_random_draws_random_numbers() {
    for name in Algorithm::NAMES {
        let algorithm = Algorithm::from_name(name).unwrap();
        let (mut random, mut same) = (Random::new(7), Random::new(7));
        let drawn = algorithm.number(&[1, 2, 3], &mut random);
        if name == "random" {
            assert_eq!(drawn, same.bits());
        }
        assert_eq!(random.bits(), same.bits(), "{name}");
    }
}

#[test]
fn trailing_zeros_count_without_being_in_memory() {
    for name in Algorithm::NAMES {
        let algorithm = Algorithm::from_name(name).unwrap();
        for (length, zeros) in [(0, 0), (3, 1), (5, 6), (8, 4096), (9, 10_000)] {
            let data: Vec<u8> = (1..=length).collect();
            let whole = [&data[..], &vec![0; zeros]].concat();
            let found = algorithm.number_with_zeros(&data, zeros, &mut Random::new(1));
            assert_eq!(found, algorithm.number(&whole, &mut Random::new(1)), "{name}, {length} and {zeros}");
        }
    }
}

#[test]
fn results_are_resized_to_the_requested_width() {
    let mut random = Random::new(1);
    let mut output = |name: &str, width| Algorithm::from_name(name).unwrap().output(b"123456789", width, &mut random);
    assert_eq!(output("crc32", 12), Bits::Narrow(0x926));
    assert_eq!(output("crc16", 48), Bits::Narrow(0xBB3D));
    assert_eq!(output("crc32", 100), Bits::from_u64(0xCBF4_3926, 100));
}

#[test]
fn an_empty_range_gives_its_base_and_sums_wrap() {
    let mut random = Random::new(1);
    let mut within = |data: &[u8], base, max, width| {
        let (base, max) = (Bits::from_u64(base, width), Bits::from_u64(max, width));
        Algorithm::Identity.within(data, &base, &max, width, &mut random)
    };
    assert_eq!(within(&[200], 7, 0, 16), Bits::Narrow(7));
    assert_eq!(within(&[200], 7, 100, 16), Bits::Narrow(7));
    assert_eq!(within(&[250], 250, 255, 8), Bits::Narrow((250 + 250) % 256));
    // The hash has more bits than the result: the modulo is computed first.
    assert_eq!(within(&[1, 0, 1], 0, 10, 8), Bits::Narrow(0x01_0001 % 10));
    assert_eq!(within(&[9, 9], 5, 1000, 100), Bits::from_u64(5 + 0x0909 % 1000, 100));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn custom_crcs_equal_those_of_the_crate_crc(
        data in proptest::collection::vec(any::<u8>(), 0..50),
        width in prop_oneof![Just(8u32), Just(11), Just(16), Just(32), Just(53), Just(64)],
        polynomial: u64,
        initial: u64,
        final_xor: u64,
        reflected_input: bool,
        reflected_output: bool,
    ) {
        let cut = |value: u64| value & (u64::MAX >> (64 - width));
        let (polynomial, initial, final_xor) = (cut(polynomial), cut(initial), cut(final_xor));
        let parameters = CyclicParameters { width, polynomial, initial, final_xor, reflected_input, reflected_output };
        prop_assert_eq!(CyclicParameters::from_name(&parameters.name()), Some(parameters));
        // The crate needs an algorithm with a static lifetime; a test may leak the few that it makes.
        let algorithm = Box::leak(Box::new(crc::Algorithm {
            width: width as u8,
            poly: polynomial,
            init: initial,
            refin: reflected_input,
            refout: reflected_output,
            xorout: final_xor,
            check: 0,
            residue: 0,
        }));
        let expected = Crc::<u64>::new(algorithm).checksum(&data);
        prop_assert_eq!(CyclicCode::new(parameters).checksum(&data, 0), expected);
    }

    #[test]
    fn a_bit_string_concatenates_its_parts(
        parts in proptest::collection::vec((0..130u32, any::<[u64; 3]>()), 0..8),
        payload in proptest::collection::vec(any::<u8>(), 0..10),
    ) {
        let mut string = BitString::new();
        string.push(&Bits::Narrow(0x7F), 7);
        string.clear();
        let (mut whole, mut length) = (Bits::zero(0), 0);
        let payload_parts = payload.iter().map(|&byte| (8, [u64::from(byte), 0, 0]));
        for (width, limbs) in parts.iter().copied() {
            string.push(&Bits::from_limbs(&limbs, width), width);
        }
        string.push_bytes(&payload);
        for (width, limbs) in parts.iter().copied().chain(payload_parts) {
            whole = Bits::concatenate(&whole, length, &Bits::from_limbs(&limbs, width), width);
            length += width;
        }
        prop_assert_eq!(string.len(), length as usize);
        prop_assert_eq!(string.bytes().len(), string.len().div_ceil(8));
        prop_assert_eq!(runtime::read_bits(string.bytes(), 0, length), whole);
        let unused = string.bytes().len() * 8 - string.len();
        prop_assert_eq!(runtime::read_bits(string.bytes(), string.len(), unused as u32), Bits::zero(unused as u32));
    }
}
