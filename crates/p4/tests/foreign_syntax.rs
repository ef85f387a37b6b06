//! Syntax of other languages, and truncated programs: each is reported as one error.

mod common;

use common::{errors, short_errors};

/// One error, with this hint.
fn told(text: &str, expected: &str, hint: &str) {
    assert_eq!(short_errors(text), [expected], "{text}");
    let shown = errors(text);
    assert!(shown.contains(&format!("help: {hint}\n")), "{shown}");
}

fn body(statements: &str) -> String {
    format!("control C(inout bit<8> x, in bool b) {{ apply {{\n{statements}\n}} }}")
}

#[test]
fn knows_words_of_c_and_python() {
    told(&body("if (b) { } elif (b) { x = 1; } else { }"), "2: there is no `elif` in P4", "write `else if`");
    told(
        &body("while (b) { x = 1; }"),
        "2: there is no `while` in P4",
        "a loop is written `for (first; condition; step) { ... }`",
    );
    told(&body("if (x = 3) { x = 1; }"), "2: nothing is assigned in a condition", "`==` compares");
    told(&body("b = (x = 3) || b;"), "2: expected `)` after the value, found `=`", "`==` compares");
    told(&body("x++;"), "2: there is no `++` in P4", "`+= 1` counts");
    told(&body("x--;"), "2: there is no `--` in P4", "`-= 1` counts");
    told(
        &body("x = 1.5;"),
        "2: there are no fractions in P4",
        "numbers are whole, as those of the hardware; scale them: 15 tenths",
    );
    told("header H { uint16_t x; }", "1: the type `uint16_t` is not declared", "here it is `bit<16>`");
    told("header H { bt<16> x; }", "1: the type `bt` is not declared", "did you mean `bit`?");
    // A function may have any name.
    assert_eq!(short_errors(&format!("void elif(in bool b) {{ }} {}", body("elif(b);"))), [""; 0]);
}

#[test]
fn knows_other_names_of_table_properties() {
    let table = |own: &str| format!("control C() {{ table t {{\n{own} {{ x: exact; }} }} apply {{ }} }}");
    told(&table("keys ="), "2: a table has no property `keys`", "did you mean `key`?");
    told(
        &table("reads"),
        "2: a table has no property `reads`",
        "that is P4_14; here it is `key = { value: match_kind; }`",
    );
    assert_eq!(short_errors(&table("key")), ["2: expected `=` after the name of the property, found `{`"]);
}

/// What P4_16 cannot have says that a program is P4_14, even where no declaration has a word of its own.
#[test]
fn knows_every_declaration_of_p4_14() {
    let told = |text: &str, what: &str| {
        assert_eq!(short_errors(text), [format!("1: {what} is P4_14, and this reads P4_16")], "{text}");
    };
    told("parser start { return ingress; }", "a `parser` without parameters");
    told(
        "parser start { extract(h); return select(h.x) { 0: a; default: ingress; } }",
        "a `parser` without parameters",
    );
    told("control ingress { }", "a `control` without parameters");
    told("control ingress { apply(t); }", "a `control` without parameters");
    told("control ingress { if (valid(h)) { apply(t); } }", "a `control` without parameters");
    told("table t { reads { h.x : exact; } actions { a; } }", "a `table` outside of a control");
    told("table t { actions { a; } }", "a `table` outside of a control");
    told("header ethernet_t ethernet;", "an instance of a header");
    told("header vlan_t vlan[2];", "an instance of a header");
    told("metadata m_t m;", "an instance of metadata");
    told("action a(port) { modify_field(m.x, port); }", "a parameter without a type");
    told("action a(port, vlan) { }", "a parameter without a type");
    told("register r { width : 8; instance_count : 4; }", "a `register` with properties");
    told("counter c { type : packets; direct : t; }", "a `counter` with properties");
    told("blackbox_type b { attribute x { type : bit<8>; } }", "`blackbox_type`");
    // What is only a mistake in P4_16 stays one.
    assert_eq!(short_errors("control C { action a() { } apply { } }"), ["1: expected `(` after the name, found `{`"]);
    assert_eq!(short_errors("parser P { state start { } }"), ["1: expected `(` after the name, found `{`"]);
}

#[test]
fn a_program_in_p4_14_is_one_error() {
    told(
        "header_type h {\n fields { a : 8; }\n}\nheader h g;\nparser start { return ingress; }",
        "1: `header_type` is P4_14, and this reads P4_16",
        "the public compiler translates it: `p4test --std p4-14 old.p4 --pp new.p4`",
    );
}

#[test]
fn points_at_types_that_are_declared_later() {
    let shown = errors("header H { later_t x; }\ntypedef bit<8> later_t;");
    assert!(shown.contains("------- declared here, later"), "{shown}");
    assert!(errors("struct S { H x; }\nheader H { }").contains("- declared here, later"));
    told(
        "control C(in standard_metadata_t m);",
        "1: the type `standard_metadata_t` is not declared",
        "`#include <v1model.p4>` declares it",
    );
}

#[test]
fn one_mistake_is_one_error() {
    for (text, expected) in [
        (body("f(x.isValid(,\n { x,\n x }, 3);\n x = 1;"), "expected a value, found `,`"),
        (body("x = x \u{2013} 1;\n x = 1;"), "the character '–' means nothing here"),
        (body("x = x \u{b7} 1;\n x = 1;"), "the character '·' means nothing here"),
        (body("x\u{a0}= 1;"), "the character '\\u{a0}' means nothing here"),
        ("const string s = \"foo;\nconst bit<8> c = 1;".to_owned(), "this string never ends"),
        (
            "control C() { apply { if (true) { }\n}\ncontrol D() { apply { } }\nD() main;".to_owned(),
            "the keyword `control` cannot stand among the declarations of a control",
        ),
    ] {
        let shown = errors(&text);
        assert!(shown.starts_with(&format!("error: {expected}\n")), "{shown}");
        assert_eq!(shown.matches("error: ").count(), 1, "{shown}");
    }
}

/// What was not read has consequences that are no errors of their own.
#[test]
fn an_incomplete_program_says_so() {
    use std::collections::BTreeMap;
    for (text, hint) in [
        (
            "#include <psa.p4>",
            "PSA is not supported; programs for v1model are: `#include <v1model.p4>`; programs for tna are: `#include <tna.p4>`; programs for t2na are: `#include <t2na.p4>`",
        ),
        ("#include <v1mode.p4>", "did you mean `<v1model.p4>`?"),
        ("struct S { /* a", "end it with `*/`"),
    ] {
        let mut sources = diagnostics::Sources::new();
        let main = sources.add("test.p4", text);
        let files: BTreeMap<String, String> = BTreeMap::new();
        let read = p4::preprocess(&mut sources, main, &files, &p4::Options::default());
        assert!(!read.complete, "{text}");
        let hints: Vec<_> = read.diagnostics.iter().map(|finding| finding.hint.as_deref()).collect();
        assert_eq!(hints, [Some(hint)]);
    }
}
