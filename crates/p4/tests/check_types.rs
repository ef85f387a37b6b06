//! Types: conversions, and legal parts of types (sections 7 and 8).

mod findings;

use findings::{accepts, is_usable, refuses};

#[test]
fn lists_convert_to_structs_but_tuples_do_not() {
    let text = |value: &str| {
        format!(
            "struct S {{ bit<8> x; }} header H {{ bit<8> x; }}\ncontrol C(inout S s, inout H h) {{ apply {{ \
             tuple<bit<8>> t = {{ 1 }}; S[2] a;\n{value}; }} }}"
        )
    };
    accepts(&text("s = { 1 }; h = { 1 }; t = { 2 }; a = { { 1 }, ... }; s = (S){ x = 1 }"));
    refuses(&text("s = t"), &["3: the value must be of type `S`, this is of type `tuple<bit<8>>`"]);
    refuses(&text("h = t"), &["3: the value must be of type `H`, this is of type `tuple<bit<8>>`"]);
    refuses(
        &text("a = { t, ... }"),
        &["3: the value must be of type `S[2]`, this is of type `tuple<tuple<bit<8>>, ...>`"],
    );
    refuses(&text("bool b = { x = 8w1 } == { x = 8w1 }"), &["3: the types of these two are not known"]);
}

#[test]
fn only_original_values_are_cast_to_new_types() {
    let text = |from: &str| format!("type bit<8> T; T f(in {from} x) {{ return (T)x; }}");
    accepts(&text("bit<8>"));
    refuses(&text("bit<9>"), &["1: a value of type `bit<9>` cannot be cast to `T`"]);
    accepts("type bit<8> T; bit<8> f(in T x) { return (bit<8>)x; } const T c = (T)5;");
}

#[test]
fn refuses_type_arguments_with_illegal_fields() {
    accepts("header H<T> { T x; } header_union U<T> { T x; } header G { bit<8> y; } struct S { H<bit<8>> a; U<G> b; }");
    refuses(
        "header H<T> { T x; }\nheader_union U<T> { T x; }\nstruct S { H<error> a;\nU<bit<8>> b; }",
        &["3: a header cannot have a field of type `error`", "4: a header_union cannot have a field of type `bit<8>`"],
    );
    refuses(
        "header G { bit<8> y; } struct S { G g; }\nheader H { S s; }",
        &["2: a header cannot have a field of type struct `S`"],
    );
    refuses("struct S<T> { T x; }\nconst S<_> s = { x = 8w1 };", &["2: `S<_>` leaves a type open"]);
}

#[test]
fn three_dots_need_a_type_with_a_default() {
    accepts(
        "struct S { bit<8> x; bool y; error e; } const S s = ...; const S t = { 1, ... }; const S u = { y = true, ... };",
    );
    refuses(
        "extern E { E(list<bit<8>> x\n= ...); } control C() { apply { if (... && true) { } } }",
        &[
            "2: the default value must be of type `list<bit<8>>`, this is of type `...`",
            "2: `...` cannot be an operand of `&&`",
        ],
    );
}

#[test]
fn sizes_must_be_known_where_they_are_written() {
    refuses(
        "header H { } control C()(bit<32> n) { apply { H[4] a; H[n] b;\nH[a.size] c; } }",
        &["1: the size of a stack must be known where it is written"],
    );
}

#[test]
fn divisors_and_dividends_are_not_negative() {
    refuses(
        "action a(inout bit<8> x) { x = x / 2;\nx = x / -1;\nx = -5 % x; }",
        &["2: division is not defined for negative numbers", "3: the remainder is not defined for negative numbers"],
    );
}

#[test]
fn labels_have_the_type_of_the_switch() {
    let text = |label: &str| {
        format!("enum bit<4> E {{ a = 1 }} control C(in E e) {{ apply {{ switch (e) {{\n{label}: {{ }} }} }} }}")
    };
    accepts(&text("E.a"));
    refuses(&text("4w1"), &["2: the label must be of type `E`, this is of type `bit<4>`"]);
    refuses(&text("1"), &["2: the label must be of type `E`, this is of type `int`"]);
}

#[test]
fn keysets_must_be_known() {
    let parser = |value: &str, case: &str| {
        format!(
            "bit<8> f() {{ return 1; }} parser P(in bit<8> x) {{ state start {{\ntransition select({value}) {{\n\
             {case}: accept; default: reject; }} }} }}"
        )
    };
    accepts(&parser("x, 8w1", "(1 &&& 3, 2 .. 4)"));
    refuses(&parser("1", "true"), &["2: `select` does not compare a number without a width"]);
    refuses(&parser("x, ...", "(1, 1)"), &["2: `...` is not a value to compare"]);
    refuses(&parser("x", "f()"), &["3: a keyset cannot contain a call"]);
    refuses(
        &parser("x", "x &&& 3"),
        &["3: the bounds of a mask or a range must be known when the program is compiled"],
    );
    refuses(
        "parser P() { state start { transition a; }\nstate a { transition b; } state b { transition a; } }",
        &["1: parser `P` never ends"],
    );
    assert!(is_usable("parser P() { state start { transition a; } state a { } }"));
}

#[test]
fn extracts_at_most_one_field_of_variable_length() {
    refuses(
        "extern packet_in { void extract<T>(out T h); void extract<T>(out T h, in bit<32> n); }
header H { varbit<8> a; varbit<8> b; } parser P(packet_in p) { H h; state start {\np.extract(h, 8); transition accept; } }",
        &["3: more than one field of this header varies in length"],
    );
}
