//! The checker accepts correct programs, and reports every error of others at its place.

use p4::ast::{DeclarationKind, Program};
use p4::types::{Sort, Value};

mod common;
mod findings;

use findings::{accepts, findings, refuses};

/// The value of the last constant of a program.
fn last_constant(text: &str) -> String {
    let program: Program = common::parse(text);
    let (checked, found) = p4::check(&program);
    assert!(!found.has_errors(), "{found:?}");
    let DeclarationKind::Constant(own) = &program.declarations.last().unwrap().kind else { panic!("no constant") };
    let meaning = checked.types.definitions.get(checked.nodes.definition(&own.name).unwrap());
    match &meaning.sort {
        Sort::Constant(of, Some(value)) => match &**value {
            Value::Integer(number) => format!("{number}: {}", checked.types.show(*of)),
            other => format!("{other:?}: {}", checked.types.show(*of)),
        },
        other => panic!("{other:?}"),
    }
}

#[test]
fn constants_have_the_values_of_the_specification() {
    for (expression, value) in [
        ("const bit<8> c = 255 + 2;", "1: bit<8>"),
        ("const bit<8> c = 8w255 |+| 2;", "255: bit<8>"),
        ("const int<8> c = -8s128 |-| 1;", "-128: int<8>"),
        ("const int c = 1 << 100 >> 98;", "4: int"),
        ("const int<8> c = -8s1 >> 200;", "-1: int<8>"),
        ("const bit<12> c = 4w0xa ++ 8w0xbc;", "2748: bit<12>"),
        ("const bit<4> c = 8w0xa5[7:4];", "10: bit<4>"),
        ("const int<4> c = (int<4>)4w15;", "-1: int<4>"),
        ("enum bit<8> E { a = 1, b = a + 2 } const bit<8> c = E.b;", "3: bit<8>"),
        ("struct S { bit<8> x; bit<8> y; } const S s = { y = 7, x = 9 }; const bit<8> c = s.y;", "7: bit<8>"),
        ("header H { bit<4> a; varbit<20> b; } struct S { H h; } const int c = S.maxSizeInBytes();", "3: int"),
    ] {
        assert_eq!(last_constant(expression), value, "{expression}");
    }
}

/// The second half of each line is wrong: shifts and `++` take no implicit cast, and only `int` gets a width.
#[test]
fn only_numbers_without_a_width_are_coerced() {
    accepts("bit<8> f(in bit<8> a, in bit<3> b) { return (a << b) + 1; }");
    refuses(
        "bit<8> f(in bit<8> a, in bit<16> b) {\n  bit<8> c = a + b;\n  c = a ++ 1;\n  c = b;\n  return a << 8s1 << -1;\n}",
        &[
            "2: `+` is not defined for `bit<8>` and `bit<16>`",
            "3: `++` needs two values with widths",
            "4: the value must be of type `bit<8>`, this is of type `bit<16>`",
            "5: a shift is not by a negative number",
        ],
    );
}

#[test]
fn reports_several_errors_and_none_twice() {
    refuses(
        "header H { bit<8> a; int b; }\ncontrol C(in H h) {\n  apply {\n    h.a = 1;\n    h.c = nobody;\n    if (h.a) { }\n  }\n}",
        &[
            "1: a header cannot have a field of type `int`",
            "4: this cannot be assigned to",
            "5: header `H` has no member `c`",
            "5: `nobody` is not declared",
            "6: the condition must be of type `bool`, this is of type `bit<8>`",
        ],
    );
}

const TABLE: &str = "match_kind { exact, ternary }
action drop(in bit<8> from, bit<9> to) { }
control C(in bit<8> x) { table t { key = { x: exact; } actions = { drop(x); } ENTRY } apply { t.apply(); } }";

#[test]
fn tables_accept_listed_actions_and_matching_keys() {
    accepts(&TABLE.replace("ENTRY", "const entries = { 1: drop(x, 2); 2: drop(3); }"));
    refuses(
        &TABLE
            .replace("ENTRY", "entries = { (1, 2): drop(x, 2);\n 2 .. 3: drop(1);\n 3: other();\n 4: drop(x, 1, 1); }"),
        &[
            "3: 1 value is compared, here are sets for 2",
            "4: a key that is matched `exact` takes no range",
            "5: `other` is not declared",
            "6: `drop` takes 2 arguments, 3 are given",
        ],
    );
}

#[test]
fn infers_type_parameters_and_keeps_directions() {
    let text = "extern void swap<T>(inout T a, inout T b); extern T first<T, U>(in T a, in U b);
control C(inout bit<8> x, in bit<8> y) { apply { bit<8> z = first(x, 8w5); swap(x, z);\n swap(x, y);\n z = first(true, x);
 z = first(x, 1); } }";
    refuses(
        text,
        &[
            "3: this cannot be assigned to",
            "4: the value must be of type `bit<8>`, this is of type `bool`",
            "5: the width of the argument for `b` is not known",
        ],
    );
}

#[test]
fn checks_the_states_of_parsers() {
    refuses(
        "parser P(in bit<8> x) { state begin {\n transition select(x) { 1: nowhere;\n true: accept; } } }",
        &[
            "1: parser `P` has no state `start`",
            "2: there is no state `nowhere` in parser `P`",
            "3: what is compared must be of type `bit<8>`, this is of type `bool`",
        ],
    );
}

/// Types and values that double with each declaration, and declarations that lie inside one another without end.
#[test]
fn hostile_programs_are_checked_quickly() {
    let mut doubling =
        "typedef tuple<bit<8>, bool> T0; struct S0 { bit<8> a; bool b; } const T0 c0 = { 1, true }; const S0 d0 = ...;\n".to_owned();
    for level in 1..150 {
        let below = level - 1;
        doubling += &format!(
            "typedef tuple<T{below}, T{below}> T{level}; struct S{level} {{ S{below} a; S{below} b; }} \
             const T{level} c{level} = {{ c{below}, c{below} }}; const S{level} d{level} = {{ a = d{below}, ... }};\n"
        );
    }
    doubling += "extern void f<A, B>(in tuple<A, B> x); control C() { apply { f(c149); S149 s = d149; s = c149; s = { c148, c148 }; } }
        const int size = S149.maxSizeInBits(); const bool same = c149 == c149;";
    let found = findings(&doubling);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].contains("must be of type `S149`, this is of type `tuple<"), "{found:?}");

    let mut deep = "struct S0 { bit<8> a; }\n".to_owned();
    for level in 1..5000 {
        deep += &format!("struct S{level} {{ S{} a; }} typedef tuple<S{level}> T{level};\n", level - 1);
    }
    assert!(findings(&deep)[0].contains("types lie inside one another here"));

    let huge = "const int a = 1 << 60000; const int b = a * a; const int c = b * b; const bit<8> d = (bit<8>)c;";
    refuses(huge, &["1: numbers have at most 65536 bits"]);
    refuses("const int a = 1 << 1000000000;", &["1: numbers have at most 65536 bits"]);
}
