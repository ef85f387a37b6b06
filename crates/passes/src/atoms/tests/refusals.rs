//! Codelets that are nearly what a template computes are refused, and say why.

use super::{Example, least_of};
use crate::atoms::{Premise, Template, Unmappable};

/// `state OPERATOR CONSTANT ? state + ADDED : KEPT` with one operand `x`.
fn chosen(condition: &str, then: &str, otherwise: &str) -> String {
    format!(
        "field x: int<32>
        field y: int<32>
        local s: int<32>
        local c: bool
        local a: int<32>
        local b: int<32>
        local n: int<32>
        register r: int<32> = 0
        packet {{
          s = @r
          c = {condition}
          a = {then}
          b = {otherwise}
          n = c ? a : b
          @r = n
        }}"
    )
}

fn refusal(text: &str, template: Template) -> Unmappable {
    Example::new(text, &["r"]).map(template, Premise::None).expect_err("refused")
}

#[test]
fn at_least_and_above_are_told_apart() {
    let (above, at_least) = (chosen("s > x", "s + 1i32", "0i32 + x"), chosen("s >= x", "s + 1i32", "0i32 + x"));
    let [above, at_least] = [above, at_least].map(|text| {
        let mapping = Example::new(&text, &["r"]).map(Template::IfElseReadAddWrite, Premise::None);
        mapping.expect("both are").configuration.to_string()
    });
    assert!(above.starts_with("if state_1 > pkt_1 {\n  state_1 = state_1 + 1\n"), "{above}");
    // At least is not below, and the sides change places.
    assert!(at_least.starts_with("if state_1 < pkt_1 {\n  state_1 = 0 + pkt_1\n"), "{at_least}");
    // Where one side must be kept there is no way around, and `pred_raw` has no `>=` with an operand.
    let (above, at_least) = (chosen("s > x", "s + 1i32", "s + 0i32"), chosen("s >= x", "s + 1i32", "s + 0i32"));
    assert_eq!(least_of(&above, &["r"]), Some("pred_raw"));
    assert_eq!(least_of(&at_least, &["r"]), Some("if_else_raw"));
}

#[test]
fn a_constant_that_is_off_by_one_is_another_configuration() {
    for constant in [28, 29, 30] {
        let text = chosen(&format!("s == {constant}i32"), "0i32 + 0i32", "s + 1i32");
        let mapping = Example::new(&text, &["r"]).map(Template::IfElseReadAddWrite, Premise::None).expect("sampling");
        let expected = format!("= {constant} {{");
        assert!(mapping.configuration.to_string().contains(&expected), "{}", mapping.configuration);
    }
}

#[test]
fn a_third_way_for_one_single_state_is_seen() {
    // Differs from sampling at one value out of 2^32.
    let text = "
        local s: int<32>
        local c: bool
        local d: bool
        local a: int<32>
        local b: int<32>
        local n: int<32>
        register r: int<32> = 0
        packet {
          s = @r
          c = s == 29i32
          d = s == 123456789i32
          a = s + 1i32
          b = d ? 7i32 : a
          n = c ? 0i32 : b
          @r = n
        }";
    assert_eq!(least_of(text, &["r"]), Some("nested_ifs"));
    let refused = refusal(text, Template::Subtract);
    let Unmappable::NoConfiguration { template: Template::Subtract, examined } = refused else { panic!("{refused}") };
    assert_eq!(
        refusal(text, Template::Subtract).to_string(),
        format!("no configuration of `sub` computes it ({examined} candidates examined)")
    );
}

#[test]
fn guard_bits_and_wrapping_are_told_apart() {
    // The program's own difference wraps: the exact one would be another function.
    let wrapped = "
        field x: int<32>
        local s: int<32>
        local d: int<32>
        local c: bool
        local n: int<32>
        register r: int<32> = 0
        packet {
          s = @r
          d = s - x
          c = d > 0i32
          n = c ? x : s
          @r = n
        }";
    let exact = wrapped.replace("c = d > 0i32", "c = s > x");
    let configurations = [wrapped.to_owned(), exact].map(|text| {
        Example::new(&text, &["r"]).map(Template::NestedIfs, Premise::None).expect("both").configuration.to_string()
    });
    assert!(!configurations[0].contains("exactly"), "{}", configurations[0]);
    assert!(configurations[1].contains("exactly"), "{}", configurations[1]);
    assert_eq!(Example::new(wrapped, &["r"]).least_names(), (Some("nested_ifs"), Some("pred_raw")));
}

#[test]
fn too_many_operands_are_named() {
    let text = "
        field x: int<32>
        field y: int<32>
        field z: int<32>
        local s: int<32>
        local c: bool
        local a: int<32>
        local n: int<32>
        register r: int<32> = 0
        packet {
          s = @r
          c = s > x
          a = s + y
          n = c ? a : z
          @r = n
        }";
    let refused = refusal(text, Template::Subtract);
    assert_eq!(refused.to_string(), "needs 3 packet operands (x, y, z); `sub` has 2");
}

#[test]
fn an_input_that_makes_no_difference_is_no_operand() {
    let text = "
        field x: int<32>
        field y: int<32>
        local s: int<32>
        local c: bool
        local a: int<32>
        local n: int<32>
        register r: int<32> = 0
        packet {
          s = @r
          c = s != x
          a = c ? x : s
          n = a + y
          @r = n
        }";
    // It becomes x + y: a sum of two operands, which `sub` is the first to have.
    assert_eq!(least_of(text, &["r"]), Some("sub"));
}

#[test]
fn three_registers_fit_no_atom() {
    let text = "
        local a: int<32>
        local b: int<32>
        local c: int<32>
        register x: int<32> = 0
        register y: int<32> = 1
        register z: int<32> = 2
        packet {
          a = @x
          b = @y
          c = @z
          @x = b
          @y = c
          @z = a
        }";
    let example = Example::new(text, &["x", "y", "z"]);
    let refused = example.map(Template::Pair, Premise::None).expect_err("three");
    assert_eq!(refused.to_string(), "updates 3 registers together; no atom holds more than 2");
    let refused = example.map(Template::ReadAddWrite, Premise::None).expect_err("three");
    assert_eq!(refused.to_string(), "updates 3 registers together; `raw` holds 1");
}

#[test]
fn two_registers_that_change_places_fit_no_atom() {
    // An update adds its own state only.
    let text = "
        local a: int<32>
        local b: int<32>
        register x: int<32> = 0
        register y: int<32> = 1
        packet {
          a = @x
          b = @y
          @x = b
          @y = a
        }";
    let refused = Example::new(text, &["x", "y"]).map(Template::Pair, Premise::None).expect_err("a swap");
    assert!(matches!(refused, Unmappable::NoConfiguration { .. }), "{refused}");
}

#[test]
fn other_widths_and_reads_that_are_not_single_are_refused() {
    let bool = "
        local s: bool
        local n: bool
        register r: bool = false
        packet {
          s = @r
          n = !s
          @r = n
        }";
    let expected = "`r` is no number of at most 64 bits, or of another type than what is updated with it";
    assert_eq!(refusal(bool, Template::Pair).to_string(), expected);
    let twice = "
        local s: int<32>
        local t: int<32>
        local n: int<32>
        register r: int<32>[4] = fill 0
        packet {
          s = @r[0i32]
          t = @r[1i32]
          n = s + t
          @r[0i32] = n
        }";
    assert!(matches!(refusal(twice, Template::Pair), Unmappable::Malformed(_)));
}

#[test]
fn a_register_that_is_only_read_fits_every_atom() {
    let text = "
        field x: int<32>
        local s: int<32>
        register r: int<32>[4] = fill 0
        packet {
          s = @r[x]
        }";
    let mapping = Example::new(text, &["r"]).map(Template::ReadWrite, Premise::None).expect("nothing to compute");
    assert!(mapping.updates.is_empty());
}

#[test]
fn the_access_predicate_is_taken_for_granted() {
    // With p false the register is not accessed; where it is, the new value is the operand.
    let text = "
        field p: bool
        field c: bool
        field x: int<32>
        local w: bool
        local s: int<32>
        register r: int<32>[4] = fill 0
        packet {
          w = p & c
          s = @r[x] if p
          @r[x] = x if w
        }";
    let example = Example::new(text, &["r"]);
    let mapping = example.map(Template::PredicatedReadAddWrite, Premise::None).expect("p is granted");
    let names: Vec<_> = mapping.operands.iter().map(|&id| example.program.variable(id).name.as_str()).collect();
    assert_eq!(names.len(), 2);
    assert!(names.contains(&"x") && (names.contains(&"w") || names.contains(&"c")), "{names:?}");
    let always = text.replace("if w", "if p");
    assert_eq!(least_of(&always, &["r"]), Some("rw"));
    // A write whose predicate says less than the access implies the access: still granted, still needed.
    let sometimes = text.replace("w = p & c", "w = p | c");
    assert_eq!(least_of(&sometimes, &["r"]), Some("rw"), "p | c is true where p is");
}

/// Sixty choices in a row are 2^60 ways through the codelet, and come to nothing.
#[test]
fn a_codelet_with_very_many_ways_through_it_is_given_up_in_time() {
    let mut text = String::from("field x: int<32>\nlocal s: int<32>\nlocal v.0: int<32>\n");
    let mut code = String::from("s = @r\nv.0 = s + x\n");
    for (this, next) in (0..60).map(|number| (number, number + 1)) {
        text += &format!("local c.{this}: bool\nlocal a.{this}: int<32>\nlocal v.{next}: int<32>\n");
        code += &format!("c.{this} = v.{this} > {this}i32\na.{this} = v.{this} + {next}i32\n");
        code += &format!("v.{next} = c.{this} ? v.{this} : a.{this}\n");
    }
    code += "d = v.60 - v.60\ne = d + x\n@r = e\n";
    let text = format!("{text}local d: int<32>\nlocal e: int<32>\nregister r: int<32> = 0\npacket {{\n{code}}}");
    let refused = refusal(&text, Template::ReadWrite);
    assert!(matches!(refused, Unmappable::StepBound { .. }), "{refused}");
}

#[test]
fn no_atom_stops_at_the_ends_of_a_type_without_guard_bits() {
    let text = chosen("x == 0i32", "s |+| 1i32", "s |-| x").replace("int<32>", "bit<62>").replace("i32", "u62");
    let expected = "adds to its state and stops at the ends of its type; no atom does";
    assert_eq!(refusal(&text, Template::Pair).to_string(), expected);
}
