//! What constraints mean: which entries they admit.

mod common;

use common::*;
use runtime::Bits;
use runtime::tables::FieldMatch;

/// Asserts that the open entry with these matches satisfies all of `holds` and none of `fails`.
fn assert_meaning(parts: &[(&str, FieldMatch)], holds: &[&str], fails: &[&str]) {
    let key = key(parts);
    for constraint in holds {
        assert_eq!(check(&restricted(constraint), &key, 10), Ok(()), "{constraint}");
    }
    for constraint in fails {
        assert!(check(&restricted(constraint), &key, 10).is_err(), "{constraint}");
    }
}

#[test]
fn a_key_that_is_left_out_has_an_empty_mask_no_prefix_or_all_values() {
    // P4Runtime specification 1.4, section 9.1.1: fields that may be left out.
    let holds = [
        "ether.type::mask == 0 && ether.type::value == 0",
        "is_ip::mask == 0 && is_ip::value == 0",
        "dst::prefix_length == 0 && dst::value == 0",
        "l4::low == 0 && l4::high == 0xffff",
        "dst6::mask == 0 && dst6::value == 0",
        "src6::prefix_length == 0",
    ];
    let fails = ["ether.type == 0", "is_ip == 0", "dst == 0", "l4 == 0", "dst6 == 0"];
    assert_meaning(&[], &holds, &fails);
}

#[test]
fn a_key_equals_the_match_of_one_value() {
    let parts = [
        ("port", exact(7, 9)),
        ("ether.type", masked(0x806, 0xffff, 16)),
        ("dst", prefix(0x0a00_0001, 32, 32)),
        ("l4", range(80, 80, 16)),
        ("is_ip", exact(1, 1)),
    ];
    let holds = [
        "port == 7",
        "ether.type == 0x806",
        "0x806 == ether.type",
        "dst == ipv4('10.0.0.1')",
        "l4 == 80",
        "is_ip == 1",
    ];
    let fails = ["port != 7", "ether.type == 0x807", "dst == ipv4('10.0.0.2')", "l4 != 80", "is_ip == 0", "81 == l4"];
    assert_meaning(&parts, &holds, &fails);
    // The value alone is not enough: the match must be that of this value and of no other.
    let wider =
        [("ether.type", masked(0x806, 0xfffe, 16)), ("dst", prefix(0x0a00_0000, 31, 32)), ("l4", range(80, 81, 16))];
    let holds = ["ether.type::value == 0x806", "ether.type != 0x806", "dst != 0x0a000000", "l4 != 80", "l4::low == 80"];
    assert_meaning(&wider, &holds, &["ether.type == 0x806", "dst == 0x0a000000", "l4 == 80", "l4 == 81"]);
}

#[test]
fn numbers_are_cut_to_the_width_of_the_other_side() {
    let parts = [
        ("port", exact(511, 9)),
        ("ether.type", masked(1, 0xffff, 16)),
        ("dst6", FieldMatch::Mask { value: Bits::ones(128), mask: Bits::ones(128) }),
    ];
    let holds = [
        "port == -1",
        "port == 1023",
        "ether.type::mask == -1",
        "dst6::mask == -1",
        "dst6 == -1",
        "dst6::value >= 0xff000000000000000000000000000000",
        "ether.type::value == 0x100000000000000000001",
        "-1 == port",
    ];
    assert_meaning(&parts, &holds, &["port == -2", "dst6 == -2", "dst6::value < -1"]);
}

#[test]
fn integers_have_no_width() {
    // ::priority is 10.
    let holds = [
        "::priority == 10",
        "::priority > -1",
        "-::priority < 0",
        "--::priority == 10",
        "::priority < 0xffffffffffffffffffffffffffffffff",
        "::priority > -0xffffffffffffffffffffffffffffffff",
        "dst::prefix_length < 33",
        "-dst::prefix_length == -24",
        "dst::prefix_length > ::priority",
        "-1 < 0",
        "0x1ffffffffffffffff > 0xffffffffffffffff",
        "-0x1ffffffffffffffff < -0xffffffffffffffff",
        "-0 == 0",
    ];
    assert_meaning(&[("dst", prefix(0x0a00_0000, 24, 32))], &holds, &["-1 > 0", "::priority == -10", "1 != 1"]);
}

#[test]
fn an_integer_of_the_entry_is_cut_too() {
    // -10 in 16 bits and in 128 bits.
    let all = Bits::ones(128).subtract(&Bits::from_u64(9, 128), 128);
    let parts = [
        ("ether.type", masked(0xfff6, 0xffff, 16)),
        ("wide", FieldMatch::Exact(all)),
        ("port", exact(24, 9)),
        ("dst", prefix(0x0a00_0000, 24, 32)),
    ];
    let holds = [
        "ether.type == -::priority",
        "wide == -::priority",
        "-::priority == wide::value",
        "port == dst::prefix_length",
    ];
    assert_meaning(&parts, &holds, &["wide == ::priority", "port::value < dst::prefix_length"]);
}

#[test]
fn wide_values_are_ordered_by_all_their_bits() {
    let high = Bits::from_limbs(&[0, 1], 128);
    let parts = [("wide", FieldMatch::Exact(high))];
    let holds =
        ["wide > 0xffffffffffffffff", "wide == 0x10000000000000000", "wide >= 18446744073709551616", "wide <= -1"];
    assert_meaning(&parts, &holds, &["wide < 0xffffffffffffffff", "wide == 0", "wide < 0x10000000000000000"]);
}

#[test]
fn keys_of_one_kind_and_width_are_compared_by_all_their_fields() {
    let one = FieldMatch::Mask { value: Bits::from_u64(5, 128), mask: Bits::from_u64(7, 128) };
    assert_meaning(
        &[("dst6", one)],
        &["dst6 == dst6", "dst6::value == 5"],
        &["dst6 != dst6", "dst6::value == dst6::mask"],
    );
}

#[test]
fn operators_bind_as_the_specification_says() {
    let holds = [
        // `;` is the loosest, then `->`, `||`, `&&`, comparisons, `!`.
        "false && false || true",
        "true || true && false",
        "false -> false; true",
        "true -> false || true",
        "!false && true",
        "!(true && false)",
        "!true == false",
        "(true -> false) == false",
        "(1 == 2) == false",
        "(true; true;) && true;",
        "!!true",
        "/* one */ true // two\n; true",
        "(false -> true) -> true",
        "false != (1 == 1)",
    ];
    let fails = [
        "false; true",
        "true; false;",
        "true -> false",
        "true || false -> false",
        "(false || true) && false",
        "!false == false",
    ];
    assert_meaning(&[], &holds, &fails);
}

#[test]
fn addresses_are_numbers() {
    let parts = [("wide", FieldMatch::Exact(Bits::from_limbs(&[1, 0xff02 << 48], 128)))];
    let holds =
        ["wide == ipv6('ff02::1')", "wide > ipv6('::')", "mac('00:00:00:00:01:00') == 256", "ipv4('0.0.1.0') == 0x100"];
    assert_meaning(&parts, &holds, &["wide == ipv6('ff02::2')"]);
}

#[test]
fn each_argument_is_checked_by_its_width() {
    let constraints = restricted_action("group != 0; group == -1 -> mac == mac('02:00:00:00:00:00')");
    assert_eq!(check_action(&constraints, 1, 0), Ok(()));
    assert_eq!(check_action(&constraints, 0xffff, 0x0200_0000_0000), Ok(()));
    assert!(check_action(&constraints, 0xffff, 0).is_err());
    assert!(check_action(&constraints, 0, 1).is_err());
}

#[test]
fn without_a_constraint_everything_is_admitted() {
    let constraints = constraints::Constraints::of(&program(&["@id(1)"], &[])).expect("nothing is wrong");
    assert!(constraints.is_empty());
    assert_eq!(check(&constraints, &open_key(), 0), Ok(()));
    assert_eq!(check_action(&constraints, 0, 0), Ok(()));
}
