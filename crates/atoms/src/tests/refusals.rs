//! Codelets that a template nearly computes are refused, with the reason.

use super::{Example, least_of};
use crate::{Premise, Template, Unmappable};

/// Returns a program that updates the register `r` by `condition ? then : otherwise`, where `s` is its old value, and
/// `x` and `y` are fields.
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
fn distinguishes_greater_from_greater_or_equal() {
    let (above, at_least) = (chosen("s > x", "s + 1i32", "0i32 + x"), chosen("s >= x", "s + 1i32", "0i32 + x"));
    let [above, at_least] = [above, at_least].map(|text| {
        let mapping = Example::new(&text, &["r"]).map(Template::IfElseReadAddWrite, Premise::None);
        mapping.expect("both map").configuration.to_string()
    });
    assert!(above.starts_with("if state_1 > pkt_1 {\n  state_1 = state_1 + 1\n"), "{above}");
    // `>=` is the negation of `<`, so the sides are exchanged.
    assert!(at_least.starts_with("if state_1 < pkt_1 {\n  state_1 = 0 + pkt_1\n"), "{at_least}");
    // If one side must keep the state, the sides cannot be exchanged, and `pred_raw` has no `>=` with an operand.
    let (above, at_least) = (chosen("s > x", "s + 1i32", "s + 0i32"), chosen("s >= x", "s + 1i32", "s + 0i32"));
    assert_eq!(least_of(&above, &["r"]), Some("pred_raw"));
    assert_eq!(least_of(&at_least, &["r"]), Some("if_else_raw"));
}

#[test]
fn finds_the_exact_constant_of_a_comparison() {
    for constant in [28, 29, 30] {
        let text = chosen(&format!("s == {constant}i32"), "0i32 + 0i32", "s + 1i32");
        let mapping = Example::new(&text, &["r"]).map(Template::IfElseReadAddWrite, Premise::None).expect("sampling");
        let expected = format!("= {constant} {{");
        assert!(mapping.configuration.to_string().contains(&expected), "{}", mapping.configuration);
    }
}

#[test]
fn detects_a_difference_at_a_single_value() {
    // This differs from the sampling program at one value out of 2^32.
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
fn distinguishes_guard_bits_from_wrapping() {
    // The program's own difference wraps, so the exact difference would be a different function.
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
fn names_the_operands_if_there_are_too_many() {
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
fn absorbs_a_choice_that_makes_no_difference() {
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
    // The new value is always x + y, a sum of two operands, which `sub` is the first to compute.
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
fn swapping_two_registers_fits_no_atom() {
    // An update can only add to its own state.
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
fn refuses_bools_and_two_reads_of_a_register() {
    let bool = "
        local s: bool
        local n: bool
        register r: bool = false
        packet {
          s = @r
          n = !s
          @r = n
        }";
    let expected = "`r` is not a number of at most 64 bits, or differs in type from a register updated with it";
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
fn the_access_predicate_is_assumed_to_hold() {
    // If p is false the register is not accessed. If it is true, the new value is the operand where c holds.
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
    let mapping = example.map(Template::PredicatedReadAddWrite, Premise::None).expect("p is assumed");
    let names: Vec<_> = mapping.operands.iter().map(|&id| example.program.variable(id).name.as_str()).collect();
    assert_eq!(names.len(), 2);
    assert!(names.contains(&"x") && (names.contains(&"w") || names.contains(&"c")), "{names:?}");
    let always = text.replace("if w", "if p");
    assert_eq!(least_of(&always, &["r"]), Some("rw"));
    // The write's predicate is implied by that of the access, which is assumed to hold.
    let sometimes = text.replace("w = p & c", "w = p | c");
    assert_eq!(least_of(&sometimes, &["r"]), Some("rw"), "p | c is true where p is");
}

/// Sixty choices in a row make 2^60 paths through the codelet, which cancel out in the end.
#[test]
fn gives_up_on_a_codelet_with_too_many_paths() {
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
fn refuses_saturation_without_guard_bits() {
    let text = chosen("x == 0i32", "s |+| 1i32", "s |-| x").replace("int<32>", "bit<62>").replace("i32", "u62");
    let expected = "adds to its state with saturation; no atom does for types of more than 61 bits";
    assert_eq!(refusal(&text, Template::Pair).to_string(), expected);
}
