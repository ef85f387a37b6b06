//! Warnings about legal code that its author may not have meant.

mod findings;

use findings::{accepts, findings, is_usable, refuses};

#[test]
fn warns_of_numbers_too_large_for_their_type() {
    refuses(
        "const bit<8> a = 256; const int<8> b = 127;\nconst int<8> c = 128;
bit<8> f(in bit<8> x) {\n return x + 300; }",
        &[
            "1: 256 does not fit `bit<8>`: it becomes 0",
            "2: 128 does not fit `int<8>`: it becomes -128",
            "4: 300 does not fit `bit<8>`: it becomes 44",
        ],
    );
    // A cast says that bits may be lost, and -1 is all ones.
    accepts("const bit<8> a = (bit<8>)256; const bit<8> b = -1; const bit<8> c = 255;");
}

#[test]
fn warns_of_new_types_without_a_cast() {
    let before = "type bit<10> v_t; type v_t w_t; type bool b_t; type bit<8> o_t; struct S { v_t v; bit<8> o; }";
    let warning = "a number becomes a `v_t` without a cast";
    let among = |text: &str| format!("{before}\n{text}");
    for text in [
        "const v_t a = 0;",
        "control C(inout S s) { apply { s.v = 0; } }",
        "control C(inout S s) { apply { s = { 0, 1 }; } }",
        "control C(inout S s) { apply { s = { v = 0, o = 1 }; } }",
        "control C(inout S s) { apply { if (s.v == 0) { s.o = 1; } } }",
        "control C(inout S s) { action a(v_t v) { s.v = v; } apply { a(0); } }",
        "v_t f() { return 0; }",
        "parser P(in v_t v) { state start { transition select(v) { 0: accept; } } }",
    ] {
        refuses(&among(text), &[&format!("2: {warning}")]);
    }
    refuses(&among("const w_t a = 0;"), &["2: a number becomes a `w_t` without a cast"]);
    refuses(&among("const v_t a = 1024;"), &["2: 1024 does not fit `bit<10>`: it becomes 0", &format!("2: {warning}")]);
    accepts(&among("const v_t a = (v_t)0; const v_t b = (v_t)10w1;"));
    // What has a width, and what is made of no number, is still another type.
    refuses(
        &among("const v_t a = 10w0;"),
        &["2: the value of the constant must be of type `v_t`, this is of type `bit<10>`"],
    );
    refuses(&among("const b_t a = 0;"), &["2: the value of the constant must be of type `b_t`, this is of type `int`"]);
    refuses(&among("const v_t a = (v_t)0;\nconst v_t b = a + 1;"), &["3: `+` is not defined for `v_t` and `int`"]);
}

const PARSER: &str = "parser P(in bit<8> x) { state start { transition select(x) { CASES } }
 state next { } }";

#[test]
fn warns_of_states_that_reject_and_late_cases() {
    let cases = |text: &str| PARSER.replace("CASES", text);
    refuses(
        &cases("0x1ff: next; default: accept;\n 5: next;"),
        &[
            "3: the state `next` has no transition: the packet is rejected",
            "2: this case is never taken",
            "1: 511 does not fit `bit<8>`: it becomes 255",
        ],
    );
    assert!(findings(&cases("9 .. 1: next;"))[1].ends_with("this range is empty: nothing matches it"));
}

#[test]
fn warns_of_misspelt_properties_of_tables() {
    let table = |property: &str| {
        format!(
            "action a() {{ }} control C() {{ table t {{ actions = {{ a; }}\n{property} = 5; }} apply {{ t.apply(); }} }}"
        )
    };
    accepts(&table("size"));
    refuses(&table("sizes"), &["2: `sizes` is not a known property of a table and has no effect"]);
    // Another architecture may know it.
    accepts(&table("psa_implementation"));
    accepts(&table("colour"));
    refuses(
        &format!("package V1Switch(); {}", table("colour")),
        &["2: `colour` is not a known property of a table and has no effect"],
    );
}

#[test]
fn warns_of_uninitialized_variables() {
    let body =
        |text: &str| format!("extern void make(out bit<8> x); bit<8> f(in bool b) {{ bit<8> v;\n{text}\n return v; }}");
    for written in [
        "v = 1;",
        "make(v);",
        "v[3:0] = 1;",
        "if (b) { v = 1; } else { return 2; }",
        "if (b) { v = 1; } else { make(v); }",
        "switch (b) { true: { v = 1; } default: { v = 2; } }",
    ] {
        accepts(&body(written));
    }
    let warning = "`v` may be read before anything is written to it";
    for (text, line) in [
        ("", 3),
        ("v = v + 1;", 2),
        ("v += 1;", 2),
        ("if (b) { v = 1; }", 3),
        ("switch (b) { true: { v = 1; } }", 3),
        ("for (bit<8> i = 0; i < 2; i += 1) { v = i; }", 3),
    ] {
        assert_eq!(findings(&body(text)), [format!("{line}: {warning}")], "{text}");
        assert!(is_usable(&body(text)));
    }
}

#[test]
fn warns_of_control_variables_that_are_never_written() {
    let control = |action: &str| {
        format!(
            "control C(out bit<8> x) {{ bit<8> v; action a() {{ {action} }} table t {{ actions = {{ a; }} }}
 apply {{ t.apply(); x = v; }} }}"
        )
    };
    accepts(&control("v = 1;"));
    refuses(&control(""), &["2: `v` is read, and nothing is ever written to it"]);
}

#[test]
fn headers_of_v1model_are_whole_bytes() {
    let header = "header H { bit<15> a; }";
    accepts(header);
    refuses(
        &format!("package V1Switch();\n{header}"),
        &["2: the header `H` has 15 bits, which is not a whole number of bytes"],
    );
}
