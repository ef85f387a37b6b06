//! Whatever is printed parses back to an equal value.

use ir::{Expression, Program, Statement, Type, UnaryOperator, VariableId, parse, print, verify};
use proptest::prelude::*;

use crate::generate::{self, Choices, choices};
use crate::generate_parts;
use crate::generate_pipeline;

/// The text of `docs/ir.md`: every construct of flat programs once, as the printer writes it.
const EVERYTHING: &str = "\
program flowlet

field sport: int<32>
field dport: int<32>
field id: int<32>
field `if`: bit<8>
local t1: bool
local t2: int<32>
local wide: int<64>
register last_time: int<32>[8000] = fill 0
register reg1: int<32>[4] = [2, -4, 8, 16]
register count: int<32> = 7
register seen: bool[16] = fill false

packet {
  id = hash2(sport, dport) % 8000i32
  if (sport - @last_time[id]) > 5i32 {
    @reg1[id] = dport
  } else if t1 {
    t2 = -5i32
  } else {
    t2 = -(5i32)
    `if` = ~`if`
  }
  @count = @count + 1i32
  t2 = @last_time[id] if t1
  t2 = (@last_time[id] if (t1 & @seen[id])) + 1i32
  @last_time[id] = (@count if t1)
  @last_time[id] = sport if (!t1)
  t2 = t1 ? sport : (dport << 3u8)
  wide = int<64>(t1)
}
export id = t2
";

#[test]
fn every_construct_prints_as_it_was_read() {
    let program = parse::program("everything.ir", EVERYTHING).unwrap();
    assert_eq!(program.to_string(), EVERYTHING);
    assert_eq!(verify::program(&program), Ok(()));
}

/// A program from P4 with every construct once, as the printer writes it.
const ROUTER: &str = include_str!("router.ir");

#[test]
fn every_p4_construct_prints_as_it_was_read() {
    let program = parse::program("router.ir", ROUTER).unwrap();
    assert_eq!(program.to_string(), ROUTER);
    assert_eq!(verify::program(&program), Ok(()));
}

#[test]
fn comments_and_redundant_parentheses_are_ignored() {
    let sparse = "// a comment\n\nprogram p // and another\nfield a: int<32>\n\n\npacket {\n\n  a = ((a) + (1i32)) // third\n}\n";
    let program = parse::program("p", sparse).unwrap();
    assert_eq!(program.to_string(), "program p\n\nfield a: int<32>\n\npacket {\n  a = a + 1i32\n}\n");
    let windows = sparse.replace('\n', "\r\n");
    assert_eq!(parse::program("p", &windows).unwrap(), program);
}

#[test]
fn the_negation_of_a_constant_is_not_a_negative_constant() {
    let source = "program p\nfield a: int<32>\npacket {\n  a = -(5i32)\n  a = -5i32\n  a = - 5i32\n}\n";
    let program = parse::program("p", source).unwrap();
    let five = Expression::number(Type::INT32, 5);
    let negated = Expression::unary(UnaryOperator::Negate, five);
    let negative = Expression::number(Type::INT32, -5);
    let variable = VariableId(0);
    let expected = [negated, negative.clone(), negative].map(|value| Statement::Assign { variable, value });
    assert_eq!(program.packet, expected);
}

#[test]
fn extreme_constants_of_every_width_read_back() {
    for ty in [Type::Int(64), Type::Bits(64), Type::Int(1), Type::Bits(1), Type::INT32, Type::Bits(7)] {
        for value in [0, 1, u64::MAX, 1 << (ty.width() - 1), (1 << (ty.width() - 1)) - 1] {
            let value = runtime::arithmetic::truncate(value, ty.width());
            let constant = ir::Constant { ty, value };
            let source = format!("program p\nfield a: {ty}\npacket {{\n  a = {constant}\n}}\n");
            let program = parse::program("p", &source).unwrap();
            assert_eq!(
                program.packet,
                [Statement::Assign { variable: VariableId(0), value: Expression::Constant(constant) }]
            );
        }
    }
}

#[test]
fn statements_of_an_invalid_program_can_be_printed() {
    let statement = Statement::Assign { variable: VariableId(7), value: Expression::Variable(VariableId(9)) };
    let text = print::statement(&Program::default(), &statement).to_string();
    assert_eq!(text, "<variable 7> = <variable 9>");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn programs_are_well_typed_and_read_back(choices in choices()) {
        let program = generate::program(&mut Choices::new(choices));
        prop_assert_eq!(verify::program(&program), Ok(()));
        let text = program.to_string();
        let read = parse::program("generated.ir", &text);
        prop_assert!(read.is_ok(), "{}\n{}", text, read.unwrap_err());
        prop_assert_eq!(read.unwrap(), program, "{}", text);
    }

    #[test]
    fn programs_with_everything_are_verified_and_read_back(choices in choices()) {
        let program = generate_parts::program(&mut Choices::new(choices));
        let text = program.to_string();
        prop_assert_eq!(verify::program(&program), Ok(()), "{}", text);
        let read = parse::program("generated.ir", &text);
        prop_assert!(read.is_ok(), "{}\n{}", text, read.unwrap_err());
        let read = read.unwrap();
        prop_assert_eq!(read.to_string(), &text[..]);
        prop_assert_eq!(read, program, "{}", text);
    }

    #[test]
    fn pipelines_read_back(choices in choices()) {
        let pipeline = generate_pipeline::pipeline(&mut Choices::new(choices));
        let text = pipeline.to_string();
        let read = parse::pipeline("generated.ir", &text);
        prop_assert!(read.is_ok(), "{}\n{}", text, read.unwrap_err());
        prop_assert_eq!(read.unwrap(), pipeline, "{}", text);
    }
}
