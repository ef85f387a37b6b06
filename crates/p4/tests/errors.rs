//! Syntax errors: messages, places and hints.

mod common;

use common::{errors, short_errors};

/// Holds the errors of a text, each as `line: message`, against what is expected.
fn refused(text: &str, expected: &[&str]) {
    assert_eq!(short_errors(text), expected, "{text}");
}

#[test]
fn an_error_shows_its_place_and_a_hint() {
    let expected = "\
error: the type `bit9` is not declared
 --> test.p4:2:5
  |
2 |     bit9 port;
  |     ^^^^
  |
  = help: a width stands between `<` and `>`: `bit<9>`

error: expected `;` after the field, found `bit`
 --> test.p4:3:13
  |
3 |     bit<8> x
  |             ^ `;` is missing here

";
    let text = errors("header h {\n    bit9 port;\n    bit<8> x\n    bit<8> y;\n}\n");
    assert_eq!(text, expected.replace("found `bit`", "found the keyword `bit`"));
}

#[test]
fn one_run_reports_the_errors_of_all_declarations() {
    let text = "header { bit<8> f; }
const bit<8> x = ;
control c() {
    action a( { }
    table t { key = { x exact; y: exact; } actions = { 3; a; } }
    apply { x = ; y = 1 +; f(; if x { } }
}
struct s { bit<8 f; bit<8> g; }
control d() { apply { x = 1 } }
const bit<8> y = 3 3;
";
    refused(
        text,
        &[
            "1: expected the name of the header, found `{`",
            "2: expected a value, found `;`",
            "4: expected a type, found `{`",
            "5: expected `:` after what is looked up, found `exact`",
            "5: expected the name of an action, found `3`",
            "6: expected a value, found `;`",
            "6: expected a value, found `;`",
            "6: expected a value, found `;`",
            "6: expected `(` after `if`, found `x`",
            "8: expected `>` after the width, found `f`",
            "9: expected `;` after the statement, found `}`",
            "10: expected `;` after the constant, found `3`",
        ],
    );
}

#[test]
fn a_missing_brace_is_one_error() {
    let missing = "control c() {\n    apply {\n        if (true) {\n    }\n}\nstruct s { bit x; }\ncontrol d(inout s p) { apply { p.x = 1; } }\n";
    refused(missing, &["6: the keyword `struct` cannot stand among the declarations of a control"]);
    refused("control c() {\n    apply {\n", &["3: the statements of a block never end: `}` is missing"]);
    refused("control c() { apply { } } }\nconst bit x = 1;", &["1: expected a declaration, found `}`"]);
    refused("@name(\"x\"\nconst bit x = 1;", &["1: the annotation never ends: `)` is missing"]);
}

#[test]
fn refuses_misplaced_declarations() {
    refused("bit<8> x = 1;", &["1: a variable cannot stand here"]);
    refused("table t { }", &["1: a table cannot stand at the top level"]);
    refused("control c() { bit f() { return 1; } apply { } }", &["1: a function cannot stand here"]);
    refused("control c() { apply { } bit x; }", &["1: nothing can follow `apply { ... }` in a control"]);
    refused("control c() { bit x; }", &["1: the control `c` has no `apply`"]);
    refused("parser p() { bit x; }", &["1: the parser `p` has no states"]);
    refused("control c() { table t { } apply { } }", &["1: the table `t` has no properties"]);
    refused(
        "parser p() { state start { transition accept; } bit x; }",
        &["1: a declaration cannot stand between or behind states"],
    );
    refused(
        "control c() { table t { const key = { } actions = { }; } apply { } }",
        &["1: `key` cannot be `const`", "1: `;` cannot stand behind `actions = { ... }`"],
    );
    refused(
        "extern e { f(); abstract e(); }",
        &["1: the method `f` returns nothing", "1: the method `e` returns nothing"],
    );
    refused("enum e { }", &["1: expected the members of the enumeration before `}`, found `}`"]);
    refused("enum bit<8> e { a }", &["1: expected `=` after the member of an enumeration with a type, found `}`"]);
    refused("error { a, }", &["1: expected the name of an error, found `}`"]);
    refused("struct s { void v; }", &["1: `void` is not the type of any value"]);
    refused("extern f<>(in bit x);", &["1: expected the name of the function, found `(`"]);
    refused("void f<>() { }", &["1: there are no type parameters between `<` and `>`"]);
}

fn statements(body: &str, expected: &[&str]) {
    refused(&format!("typedef bit<8> T; control c(inout T x, inout T y) {{ apply {{\n{body}\n}} }}"), expected);
}

#[test]
fn refuses_misplaced_and_useless_statements() {
    statements("x + 1;", &["2: `+` cannot stand here"]);
    statements("x;", &["2: expected `=` or a call, found `;`"]);
    statements("f()();", &["2: expected `;` after the statement, found `(`"]);
    statements("f().g();", &["2: expected `;` after the statement, found `.`"]);
    statements("3 = x;", &["2: expected a statement, found `3`"]);
    statements("x = T;", &["2: `T` is a type, not a value"]);
    statements("x = T > 3;", &["2: `T` is a type, not a value"]);
    statements("x = (U) y;", &["2: `U` is not a type"]);
    statements("U u;\nU v;", &["2: the type `U` is not declared"]);
    statements("y z;", &["2: `y` is not a type"]);
    statements("if (x == 1) bit<8> z;", &["2: a declaration cannot stand alone here"]);
    statements("else { }", &["2: `else` without an `if`"]);
    statements("@a x = 1;", &["2: an annotation cannot stand before this statement"]);
    statements("transition accept;", &["2: `transition` cannot stand here"]);
    statements("action a() { }", &["2: `action` cannot stand in a block"]);
    statements("x = f(_ + 1);", &["2: expected `)` after the arguments, found `+`"]);
    statements("x = _;", &["2: expected a value, found `_`"]);
    statements("switch (x) { {1}: { } }", &["2: expected a case and `:`, found `{`"]);
    statements("for (x in 3) { }", &["2: expected `=` or a call, found the keyword `in`"]);
    statements(
        "x = 1\ny = 2\nx = y;",
        &["2: expected `;` after the statement, found `y`", "3: expected `;` after the statement, found `x`"],
    );
}

#[test]
fn a_state_of_a_parser_cannot_hold_every_statement() {
    let state = |body: &str| format!("parser p() {{ state start {{\n{body}\ntransition accept; }} }}");
    for (text, word) in [
        ("switch (x) { }", "switch"),
        ("return;", "return"),
        ("exit;", "exit"),
        ("for (; true; ) { }", "for"),
        ("break;", "break"),
    ] {
        refused(&state(text), &[&format!("2: `{word}` cannot stand in a state of a parser")]);
    }
    refused(&state("transition reject;"), &["3: nothing can follow a transition"]);
    refused(
        &state("").replace("accept", "select(1) { (): x; }").replace("};", "}"),
        &["3: expected a value, found `)`"],
    );
}

#[test]
fn type_parameters_can_be_used_before_their_declaration() {
    refused("extern T f<T>(in T x); extern e { T g<T>(in list<T> x); }", &[]);
    refused("extern T f<U>(in U x);", &["1: the type `T` is not declared"]);
    refused("T f<T>(in T x) { return x; }\nT g(in bit x) { return x; }", &["2: the type `T` is not declared"]);
}
