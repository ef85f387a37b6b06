//! The results of the checker for a correct program: callees with arguments, coercions, and definitions of names.

mod common;

use p4::ast::{self, DeclarationKind, ExpressionKind, PropertyKind, StatementKind};
use p4::types::{Sort, Value};
use p4::{Called, Checked, Target};

const PROGRAM: &str = "match_kind { ternary }
enum Colour { red, green }
struct Inner { bit<8> a; bit<16> b; }
struct Pair<T> { T first; Inner second; }
extern Register<T> { Register(bit<32> size); T read(in bit<32> index = 7); }
extern T choose<T>(in T one, in T other);
action set(inout bit<8> x, bit<8> from, bit<8> to) { x = to - from; }
control C(inout bit<8> x) {
    Register<bit<8>>(16) cells;
    @name(\"ta\" ++ \"ble\") table t {
        key = { x: ternary; }
        actions = { set(x); }
        default_action = set(x, to = 2, from = 1);
        priority_delta = 10;
        entries = { 1: set(x, 3, 4); 2: set(x, 5, 6); }
    }
    apply {
        Pair<bit<4>> p = { 1, { 2, ... } };
        p = { second = ..., first = true ? 3 : 4 };
        x = choose(x, 9) + cells.read();
        Colour c = Colour.green;
        switch (t.apply().action_run) { set: { } }
    }
}";

fn control(program: &ast::Program) -> &ast::Control {
    match &program.declarations.last().unwrap().kind {
        DeclarationKind::Control(own) => own,
        _ => panic!("no control"),
    }
}

fn table(control: &ast::Control) -> &ast::Table {
    match &control.locals[1].kind {
        DeclarationKind::Table(own) => own,
        _ => panic!("no table"),
    }
}

fn action<'c>(checked: &'c Checked<'_>, called: &Called) -> &'c str {
    match called.target {
        Target::Action(definition) => &checked.types.definitions.get(definition).name,
        _ => panic!("{:?}", called.target),
    }
}

/// The types that a value and its parts are coerced to, the outer before the inner.
fn coercions<'a>(checked: &'a Checked<'a>, node: &'a ast::Expression) -> Vec<String> {
    let of = checked.nodes.expression(node).unwrap().coerced;
    let mut all = vec![format!("{} is {}", p4::print_expression(node), checked.types.show(of))];
    match &node.kind {
        ExpressionKind::List(values) => values.iter().for_each(|value| all.extend(coercions(checked, value))),
        ExpressionKind::Record { fields, .. } => {
            fields.iter().for_each(|field| all.extend(coercions(checked, &field.value)));
        }
        ExpressionKind::Conditional(_, yes, no) => {
            all.extend(coercions(checked, yes));
            all.extend(coercions(checked, no));
        }
        _ => {}
    }
    all
}

#[test]
fn actions_of_tables_have_arguments_by_parameter() {
    let program = common::parse(PROGRAM);
    let (checked, found) = p4::check(&program);
    assert!(found.is_empty(), "{found:?}");
    let table = table(control(&program));
    for property in &table.properties {
        match &property.kind {
            PropertyKind::Actions(all) => {
                let called = checked.nodes.action_reference(&all[0]).unwrap();
                assert_eq!((action(&checked, called), &*called.arguments), ("set", &[Some(0), None, None][..]));
            }
            PropertyKind::Value(value) if &*property.name.text == "default_action" => {
                let called = checked.nodes.call(value).unwrap();
                assert_eq!((action(&checked, called), &*called.arguments), ("set", &[Some(0), Some(2), Some(1)][..]));
            }
            PropertyKind::Entries(entries) => {
                // Largest wins: the first has the largest (section 14.2.1.4).
                let priorities: Vec<_> = entries.iter().map(|entry| checked.nodes.entry_priority(entry)).collect();
                assert_eq!(priorities, [Some(11), Some(1)]);
                let called = checked.nodes.action_reference(&entries[1].action).unwrap();
                assert_eq!(called.arguments, [Some(0), Some(1), Some(2)]);
            }
            _ => {}
        }
    }
    let notes = &control(&program).locals[1].annotations;
    assert_eq!(checked.nodes.annotation_text(&notes[0]).as_deref(), Some("table"));
}

#[test]
fn parts_are_coerced_to_the_types_of_fields() {
    let program = common::parse(PROGRAM);
    let (checked, _) = p4::check(&program);
    let statements = &control(&program).body.statements;
    let StatementKind::Declare(declaration) = &statements[0].kind else { panic!() };
    let DeclarationKind::Variable(variable) = &declaration.kind else { panic!() };
    assert_eq!(
        coercions(&checked, variable.value.as_ref().unwrap()),
        ["{1, {2, ...}} is Pair<bit<4>>", "1 is bit<4>", "{2, ...} is Inner", "2 is bit<8>", "... is bit<16>",]
    );
    let StatementKind::Assign { value, .. } = &statements[1].kind else { panic!() };
    assert_eq!(
        coercions(&checked, value),
        [
            "{second = ..., first = true ? 3 : 4} is Pair<bit<4>>",
            "... is Inner",
            "true ? 3 : 4 is bit<4>",
            "3 is bit<4>",
            "4 is bit<4>",
        ]
    );
}

#[test]
fn calls_have_type_arguments_and_defaults() {
    let program = common::parse(PROGRAM);
    let (checked, _) = p4::check(&program);
    let control = control(&program);
    let DeclarationKind::Instantiation(cells) = &control.locals[0].kind else { panic!() };
    let made = checked.nodes.instantiation(cells).unwrap();
    assert!(matches!(&made.target, Target::Constructor(of, _) if checked.types.show(*of) == "Register<bit<8>>"));
    assert_eq!(made.arguments, [Some(0)]);

    let StatementKind::Assign { value, .. } = &control.body.statements[2].kind else { panic!() };
    let ExpressionKind::Binary(_, choose, read) = &value.kind else { panic!() };
    let shown = |called: &Called| -> Vec<String> {
        called.type_arguments.iter().map(|(_, of)| checked.types.show(*of)).collect()
    };
    assert_eq!(shown(checked.nodes.call(choose).unwrap()), ["bit<8>"]);
    let read = checked.nodes.call(read).unwrap();
    assert_eq!((shown(read), &*read.arguments), (vec!["bit<8>".to_owned()], &[None][..]));
    let Target::Method(callable) = &read.target else { panic!() };
    let index = &callable.parameters[0];
    assert_eq!(index.default.as_deref(), Some(&Value::Integer(7.into())));
    assert!(matches!(checked.types.definitions.get(index.definition).sort, Sort::Parameter(..)));
}

#[test]
fn members_and_labels_have_definitions() {
    let program = common::parse(PROGRAM);
    let (checked, _) = p4::check(&program);
    let statements = &control(&program).body.statements;
    let StatementKind::Declare(declaration) = &statements[3].kind else { panic!() };
    let DeclarationKind::Variable(ast::Variable { value: Some(green), .. }) = &declaration.kind else { panic!() };
    let ExpressionKind::Member(_, name) = &green.kind else { panic!() };
    let member = checked.nodes.definition(name).unwrap();
    let DeclarationKind::Enumeration(colour) = &program.declarations[1].kind else { panic!() };
    assert_eq!(Some(member), checked.nodes.definition(&colour.members[1].name));

    let StatementKind::Switch { cases, .. } = &statements[4].kind else { panic!() };
    let ast::SwitchLabel::Value(label) = &cases[0].label else { panic!() };
    assert_eq!(action(&checked, checked.nodes.call(label).unwrap()), "set");
}

/// Constants of structs have the values of their fields in order, those that `...` stands for among them.
#[test]
fn constants_of_structs_have_converted_parts() {
    let program = common::parse(
        "struct Inner { bit<4> a; bool b; } struct S { Inner one; bit<8> two; error three; }
const S s = { two = 257, one = { 17, ... }, ... };",
    );
    let (checked, found) = p4::check(&program);
    assert!(!found.has_errors(), "{found:?}");
    let DeclarationKind::Constant(own) = &program.declarations[2].kind else { panic!() };
    let Sort::Constant(_, Some(value)) =
        &checked.types.definitions.get(checked.nodes.definition(&own.name).unwrap()).sort
    else {
        panic!("no value")
    };
    assert_eq!(format!("{value:?}"), "Parts([Parts([Integer(1), Bool(false)]), Integer(1), Error(\"NoError\")])");
}
