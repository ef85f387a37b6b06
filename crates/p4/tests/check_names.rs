//! Names and annotations (sections 6.9, 17 and 20).

mod common;
mod findings;

use findings::{accepts, findings, hints, refuses};

#[test]
fn suggests_similar_names() {
    let text = "enum Colour { red, green } struct Headers { bit<8> length; } match_kind { exact } error { Short }
extern Counter { Counter(); void count(); } action NoAction() { }
control C(inout Headers headers) { Counter() packets; table t { key = { headers.length: exakt; } actions = { NoActoin; } }
 apply { headers.lenght = 1; hedaers.length = 2; Colour c = Colour.gren; error e = error.short; packets.cuont(); } }
parser P() { state start { transition nxt; } state next { transition accept; } }";
    let near = ["exact", "NoAction", "length", "headers", "green", "Short", "count", "next"];
    let expected: Vec<String> = near.iter().map(|name| format!("did you mean `{name}`?")).collect();
    let found = hints(text);
    assert_eq!(found[..expected.len()], expected, "{:#?}", findings(text));
    // What is not near is not suggested.
    assert_eq!(hints("const bit<8> c = zzzzzz;"), ["a name is declared before it is used"]);
}

#[test]
fn suggests_similar_types() {
    let errors = common::errors("struct Headers { } struct Other { Heeders x; }");
    assert!(
        errors.contains("the type `Heeders` is not declared") && errors.contains("did you mean `Headers`?"),
        "{errors}"
    );
}

#[test]
fn refuses_names_that_hide_parameters() {
    accepts("control C(in bit<8> x) { bit<8> x = 1; apply { } }");
    refuses(
        "control C(in bit<8> x) { apply {\nbit<8> x = 1; } } action a(bit<8> y) {\n{ bit<8> y; } }",
        &["2: `x` hides the parameter of this name", "3: `y` hides the parameter of this name"],
    );
}

#[test]
fn main_is_a_package() {
    refuses("extern main { }", &["1: `main` is not a package"]);
    accepts("void main() { }");
}

#[test]
fn checks_the_form_of_annotations() {
    accepts(
        "match_kind { exact } const string part = \"b\"; struct S { @match(exact) bit<8> x; }
@name(\"a\" ++ part) @note(1) @note(2 2) @own[1, \"x\", true] @keys[a = 1, b = 2] control C() { apply { } }
@p4runtime_translation(\"x\", bit<32>) type bit<8> T; header H { bit<8> n; @length(n * 8) varbit<16> v; }",
    );
    for (note, message) in [
        ("@name(4)", "`@name` takes a string"),
        ("@name", "`@name` says nothing"),
        ("@deprecated(\"a\" | \"b\")", "`@deprecated` takes a string"),
        ("@pkginfo", "`@pkginfo` says nothing"),
        ("@twice[] @twice[]", "`@twice` is given twice"),
        ("@twice(1) @twice[]", "`@twice` is given twice"),
        ("@keys[a = 1, a = 2]", "`a` is given twice"),
        ("@own[{ 1, 2 }]", "an annotation does not hold `tuple<int, int>`"),
        ("@own[1 < nobody]", "`nobody` is not declared"),
        ("@match(1 + 1)", "`@match` takes a match kind"),
        ("@p4runtime_translation(\"x\", bool)", "`@p4runtime_translation` takes a URI and a type"),
    ] {
        refuses(&format!("{note} const bit<8> c = 1;"), &[&format!("1: {message}")]);
    }
    refuses("header H {\n@length(n) varbit<16> v;\nbit<8> n; }", &["2: there is no field `n` before this one"]);
}
