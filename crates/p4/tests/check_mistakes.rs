//! Frequent mistakes, which the checker reports with a hint.

mod findings;

use findings::{hints, refuses};

/// What is found, and the hint beside it.
fn told(text: &str, expected: &str, hint: &str) {
    refuses(text, &[expected]);
    assert_eq!(hints(text), [hint], "{text}");
}

#[test]
fn methods_are_not_fields() {
    told(
        "header H { bit<8> a; } control C(in H h) { apply { if (h.isValid) { } } }",
        "1: `isValid` is a method of header `H`",
        "a call is written with parentheses: `isValid()`",
    );
}

#[test]
fn refuses_recursion() {
    for text in [
        "action a() { a(); }",
        "bit<8> a(in bit<8> x) { return a(x); }",
        "control a() { a() inner; apply { inner.apply(); } }",
    ] {
        told(text, "1: `a` is used inside of itself", "P4 has no recursion");
    }
}

#[test]
fn points_at_declarations_later_or_elsewhere() {
    let before = "a name is declared before it is used";
    told("control C() { action a() { b(); }\naction b() { } apply { } }", "1: `b` is not declared", before);
    told("const bit<8> a = b;\nconst bit<8> b = 1;", "1: `b` is not declared", before);
    told(
        "control C() { action b() { } apply { } }\ncontrol D() { apply { b(); } }",
        "2: `b` is not declared",
        "what is declared in a parser or a control is only known in it",
    );
}

#[test]
fn knows_names_of_headers_and_other_languages() {
    for (call, hint) in [
        ("mark_to_drop(x)", "`#include <v1model.p4>` declares it"),
        ("apply(x)", "a table is applied by `table.apply();`"),
        ("valid(x)", "`header.isValid()` tells whether a header is there"),
    ] {
        let text = format!("control C(in bit<8> x) {{ apply {{ {call}; }} }}");
        let name = call.trim_end_matches("(x)");
        told(&text, &format!("1: `{name}` is not declared"), hint);
    }
}

#[test]
fn shows_parameters_if_the_number_of_arguments_is_wrong() {
    let extern_and = |call: &str| {
        format!(
            "extern E {{ E(bit<32> size); void f(out bit<8> x, in bool b); }} control C(inout bit<8> x) {{ {call} }}"
        )
    };
    told(
        &extern_and("E(1) e; apply { e.f(x); }"),
        "1: `f` takes 2 arguments, 1 is given",
        "its parameters are (out bit<8> x, in bool b)",
    );
    told(&extern_and("E() e; apply { }"), "1: `E` takes 1 argument, 0 are given", "its parameters are (bit<32> size)");
}

#[test]
fn suggests_logical_operators_for_conditions() {
    let condition = |text: &str| format!("control C(in bit<8> a, in bit<8> b) {{ apply {{ if ({text}) {{ }} }} }}");
    let bits = "1: values of type `bool` and `int` cannot be compared";
    told(&condition("a != 1 | b != 1"), bits, "`|` binds tighter than `!=`; `||` joins conditions");
    told(&condition("a == b == 1"), bits, "comparisons are joined by `&&`: `a == b && b == c`");
    told(&condition("(a == 1) | (b == 1)"), "1: `|` is not defined for `bool` and `bool`", "`||` joins conditions");
}

#[test]
fn only_headers_are_emitted() {
    let emit = |what: &str| {
        format!(
            "extern packet_out {{ void emit<T>(in T data); }} header H {{ bit<8> a; }} struct S {{ H h; H[2] s; }}
control C(packet_out p, in S s) {{ apply {{ p.emit({what}); }} }}"
        )
    };
    for right in ["s", "s.h", "s.s", "s.s[0]"] {
        refuses(&emit(right), &[]);
    }
    told(
        &emit("s.h.a"),
        "2: only headers are emitted, this is `bit<8>`",
        "emit the whole header that it is a field of",
    );
}

#[test]
fn refuses_empty_stacks_for_switches() {
    let stack = "header H { bit<8> a; } struct S {\nH[0] s; }";
    refuses(stack, &[]);
    refuses(&format!("package V1Switch(); {stack}"), &["2: the size of a stack must be at least 1, this is 0"]);
}

#[test]
fn suggests_hit_for_the_result_of_apply() {
    told(
        "action NoAction() { } control C() { table t { actions = { NoAction; } } apply { if (t.apply()) { } } }",
        "1: the condition must be of type `bool`, this is of type `t.apply()`",
        "`.hit` behind it tells whether an entry matched",
    );
}
