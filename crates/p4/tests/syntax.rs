//! The parser on each part of the grammar: programs in `syntax/` and how they print, trees of short texts, and the
//! precedence of operators.

mod common;

use std::fs;
use std::path::Path;

use common::{parse, round_trip, shape};
use p4::ast::{DeclarationKind, ExpressionKind, StatementKind};

#[test]
fn programs_print_as_expected_and_read_back() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/syntax");
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "p4"));
    assert!(!paths.is_empty());
    for path in paths {
        let program = parse(&fs::read_to_string(&path).unwrap());
        round_trip(&program);
        let answer = path.with_extension("expected");
        if std::env::var_os("UPDATE").is_some() {
            fs::write(&answer, p4::print(&program)).unwrap();
        }
        let expected = fs::read_to_string(&answer).unwrap_or_default();
        assert_eq!(p4::print(&program), expected, "{}", path.display());
    }
}

/// The value of a constant, as a tree and as text. `T` is a type in it and other names are not.
fn value(text: &str) -> (String, String) {
    let program = parse(&format!("typedef bit<8> T; extern T f<A>(in A a); const bool x = {text};"));
    round_trip(&program);
    let DeclarationKind::Constant(constant) = &program.declarations[2].kind else { panic!("no constant: {text}") };
    (shape(&program), p4::print_expression(&constant.value))
}

fn same(one: &str, other: &str) {
    assert_eq!(value(one), value(other), "{one} is not {other}");
}

#[test]
fn operators_bind_as_the_specification_says() {
    // Each operator binds tighter than those of the rows before, and equal ones bind to the left.
    let rows: [&[&str]; 10] = [
        &["||"],
        &["&&"],
        &["==", "!="],
        &["<", ">", "<=", ">="],
        &["|"],
        &["^"],
        &["&"],
        &["<<", ">>"],
        &["++", "+", "-", "|+|", "|-|"],
        &["*", "/", "%"],
    ];
    for (looser, row) in rows.iter().enumerate() {
        for own in *row {
            for other in *row {
                same(&format!("a {own} b {other} c"), &format!("(a {own} b) {other} c"));
            }
            for tighter in rows[looser + 1..].iter().flat_map(|row| row.iter()) {
                same(&format!("a {own} b {tighter} c"), &format!("a {own} (b {tighter} c)"));
                same(&format!("a {tighter} b {own} c"), &format!("(a {tighter} b) {own} c"));
            }
            same(&format!("-a {own} !b"), &format!("(-a) {own} (!b)"));
            same(&format!("(T)a {own} b"), &format!("((T)a) {own} b"));
            same(&format!("a {own} b ? c : d {own} e"), &format!("(a {own} b) ? c : (d {own} e)"));
        }
    }
    same("a ? b : c ? d : e", "a ? b : (c ? d : e)");
    same("-a.b[1]", "-((a.b)[1])");
    same("(T)a.b(1)", "(T)((a.b)(1))");
    same("- ~ !a", "-(~(!a))");
    assert_ne!(value("a - (b - c)").0, value("a - b - c").0);
    assert_eq!(value("((a - ((b) - c)))").1, "a - (b - c)");
}

#[test]
fn type_arguments_begin_only_before_a_type() {
    assert_eq!(value("f<T>(x)").1, "f<T>(x)");
    assert!(value("f<T>(x)").0.contains("type_arguments: [Type"));
    assert_eq!(value("a < b > (x)").1, "a < b > x");
    assert_eq!(value("f<T>(x) < a").1, "f<T>(x) < a");
    assert_eq!(value("f<bit<8>>(x) >> 2").1, "f<bit<8>>(x) >> 2");
    assert_eq!(value("f<tuple<bit<8>, list<T>>>(x)").1, "f<tuple<bit<8>, list<T>>>(x)");
    assert_eq!(value("f < T.member").1, "f < T.member");
    assert_eq!(value("f<_>(x)").1, "f<_>(x)");
    assert_eq!(value("a < error.NoError").1, "a < error.NoError");
}

#[test]
fn two_angle_brackets_are_a_shift_only_if_they_touch() {
    assert_eq!(value("a >> b").1, "a >> b");
    assert!(common::errors("const bool x = a > > b;").contains("expected a value"));
    assert_eq!(value("(bit<(a >> 2)>)b").1, "(bit<(a >> 2)>)b");
}

#[test]
fn parentheses_enclose_types_values_and_keysets() {
    assert!(matches!(kind("(T)-a"), ExpressionKind::Cast(..)));
    assert!(matches!(kind("(a)-b"), ExpressionKind::Binary(..)));
    assert!(matches!(kind("(T.a)"), ExpressionKind::Member(..)));
    assert!(matches!(kind("(T(1).a)"), ExpressionKind::Member(..)));
    assert!(matches!(kind("(T<bit>(1).a)"), ExpressionKind::Member(..)));
    assert!(matches!(kind("(T<bit>)a"), ExpressionKind::Cast(..)));
    assert!(matches!(kind("(T[2])a"), ExpressionKind::Cast(..)));
    assert!(matches!(kind("(error)a"), ExpressionKind::Cast(..)));
    assert!(matches!(kind("(error.a)"), ExpressionKind::Member(..)));
    assert!(matches!(kind("(.T)a"), ExpressionKind::Cast(..)));
    assert!(matches!(kind("(.a)"), ExpressionKind::Name(..)));
}

fn kind(text: &str) -> ExpressionKind {
    let program = parse(&format!("typedef bit<8> T; const bool x = {text};"));
    round_trip(&program);
    match program.declarations.into_iter().next_back().map(|declaration| declaration.kind) {
        Some(DeclarationKind::Constant(constant)) => constant.value.kind,
        other => panic!("no constant: {other:?}"),
    }
}

#[test]
fn keywords_are_names_where_the_grammar_allows_it() {
    for word in ["apply", "key", "actions", "state", "entries", "type", "priority"] {
        let text = format!(
            "struct s {{ bit<8> {word}; }} bit<8> f(in s {word}) {{ bit<8> x = {word}.{word}; {word}.{word} = x; return x; }}"
        );
        round_trip(&parse(&text));
    }
    assert!(common::errors("const bit<8> table = 1;").contains("found the keyword `table`"));
}

#[test]
fn a_name_is_a_type_only_where_it_is_declared_as_one() {
    // Inside of the function `T` is a variable, and `(T) - 1` a subtraction.
    let program = parse("typedef bit<8> T; bit<8> f(in bit<8> T) { return (T) - 1; } const T y = (T) - 1;");
    round_trip(&program);
    let DeclarationKind::Function(function) = &program.declarations[1].kind else { panic!() };
    let StatementKind::Return(Some(value)) = &function.body.statements[0].kind else { panic!() };
    assert!(matches!(value.kind, ExpressionKind::Binary(..)));
    let DeclarationKind::Constant(constant) = &program.declarations[2].kind else { panic!() };
    assert!(matches!(constant.value.kind, ExpressionKind::Cast(..)));
}

#[test]
fn annotations_keep_their_tokens() {
    let text = "@a @b() @c(x (y , \"z\")=1w1>>2) @d[] @e[1, \"f\",] @g[h = 1, i = {2}]\n@pragma j k \"l\"\nconst bit<8> x = 1;";
    let program = parse(text);
    round_trip(&program);
    let expected =
        "@a @b() @c(x (y , \"z\")=1w1>>2) @d[] @e[1, \"f\"] @g[h = 1, i = {2}] @j(k \"l\") const bit<8> x = 1;\n";
    assert_eq!(p4::print(&program), expected);
    let named = parse("@name(\"n\") const bit x = 1;");
    assert_eq!(named.declarations[0].annotations[0].text(), Some("n"));
}

#[test]
fn every_node_has_its_span() {
    let text = "@x const bit<8> y = (1 + z.f(2)[3:1]);";
    let program = parse(text);
    let declaration = &program.declarations[0];
    let at = |span: diagnostics::Span| &text[span.start as usize..span.end as usize];
    assert_eq!(at(declaration.span), "const bit<8> y = (1 + z.f(2)[3:1]);");
    assert_eq!(at(declaration.annotations[0].span), "@x");
    let DeclarationKind::Constant(constant) = &declaration.kind else { panic!() };
    assert_eq!(at(constant.constant_type.span), "bit<8>");
    assert_eq!(at(constant.value.span), "(1 + z.f(2)[3:1])");
    let ExpressionKind::Binary(_, one, slice) = &constant.value.kind else { panic!() };
    assert_eq!((at(one.span), at(slice.span)), ("1", "z.f(2)[3:1]"));
    let ExpressionKind::Slice(slice) = &slice.kind else { panic!() };
    assert_eq!(at(slice.value.span), "z.f(2)");
}

#[test]
fn builds_the_expected_tree() {
    let program = parse("header h { bit<8> f; } control c(inout h x) { apply { x.f = 1; } }");
    let expected = "Program { declarations: [Declaration { annotations: [], kind: Container(Container { kind: Header, \
        name: Name { text: \"h\", span:  }, type_parameters: [], fields: [Field { annotations: [], field_type: Type { kind: \
        Bit(Some(Expression { kind: Integer(Integer { width: None, value: 8, radix: Decimal }), span: , height: 1 })), \
        span: , height: 2 }, name: Name { text: \"f\", span:  }, span:  }] }), span:  }, \
        Declaration { annotations: [], kind: Control(Control { signature: Signature { name: Name { text: \"c\", span:  }, \
        type_parameters: [], parameters: [Parameter { annotations: [], direction: InOut, parameter_type: Type { kind: \
        Named(Path { absolute: false, name: Name { text: \"h\", span:  }, span:  }), span: , height: 1 }, \
        name: Name { text: \"x\", span:  }, default: None, span:  }] }, constructor_parameters: [], locals: [], \
        body: Block { annotations: [], statements: [Statement { kind: Assign { target: Expression { kind: \
        Member(Expression { kind: Name(Path { absolute: false, name: Name { text: \"x\", span:  }, span:  }), span: , \
        height: 1 }, Name { text: \"f\", span:  }), span: , height: 2 }, operator: Plain, value: Expression { kind: \
        Integer(Integer { width: None, value: 1, radix: Decimal }), span: , height: 1 } }, span:  }], span:  } }), span:  }], end: Some() }";
    assert_eq!(shape(&program), expected);
}
