//! Tables: actions, keys, entries and priorities (section 14.2).

mod findings;

use findings::{accepts, is_usable, refuses};

/// A control with two actions and a table.
fn table(properties: &str) -> String {
    format!(
        "match_kind {{ exact, ternary, lpm }}\naction a(inout bit<8> x, bit<8> d) {{ x = d; }} action b() {{ }}
control C(inout bit<8> x, inout bit<8> y) {{ table t {{\n{properties}\n}} apply {{ t.apply(); }} }}"
    )
}

#[test]
fn refuses_other_values_for_bound_arguments() {
    accepts(&table(
        "key = { x: exact; } actions = { a(x); } default_action = a(x, 1); const entries = { 2: a(x, 3); }",
    ));
    refuses(
        &table("key = { x: exact; } actions = { a(x); }\ndefault_action = a(y, 1);\nconst entries = { 2: a(y, 3); }"),
        &[
            "5: the argument for `x` is another one than in the actions of the table",
            "6: the argument for `x` is another one than in the actions of the table",
        ],
    );
}

#[test]
fn tableonly_and_defaultonly_restrict_actions() {
    accepts(&table(
        "key = { x: exact; } actions = { @tableonly a(x); @defaultonly b; } default_action = b; \
         const entries = { 2: a(x, 3); }",
    ));
    refuses(
        &table(
            "key = { x: exact; } actions = { @tableonly a(x); @defaultonly b; }\ndefault_action = a(x, 1);\n\
             const entries = { 2: b(); }",
        ),
        &["5: only entries run this action", "6: this action is only a default"],
    );
}

#[test]
fn the_default_action_comes_after_the_actions() {
    refuses(
        &table("default_action = b;\nactions = { b; }"),
        &["4: the default action comes after the actions that it is one of"],
    );
    refuses(
        "action NoAction(bit<8> x) { } control C() { table t { actions = { } } apply { } }",
        &["1: `NoAction` is not an action without parameters"],
    );
    accepts("action NoAction() { } control C() { table t { actions = { } } apply { } }");
}

#[test]
fn only_ambiguous_keys_have_priorities() {
    accepts(&table("key = { x: ternary; } actions = { b; } entries = { priority = 5: 1: b(); 2: b(); _: b(); }"));
    refuses(
        &table("key = { x: lpm; } actions = { b; } entries = {\npriority = 5: 1: b(); }"),
        &["5: this table needs no priorities, and has none"],
    );
    refuses(
        &table("key = { x: ternary; } actions = { b; } entries = {\n1: b();\npriority = 5: 2: b(); }"),
        &["5: the first entry has no priority, but others have"],
    );
    refuses(
        &table("key = { x: ternary; } actions = { b; } const entries = {\npriority = 5: 2: b(); }"),
        &["5: the entries of a table that are `const` have no priorities"],
    );
    refuses(
        &table(
            "key = { x: ternary; } actions = { b; } priority_delta = 10; entries = {\npriority = 12: 1: b();\n\
             2: b();\n3: b(); }",
        ),
        &["7: the priority of this entry would be -8"],
    );
    refuses(
        &table("largest_priority_wins = 1;\npriority_delta = 0; actions = { b; }"),
        &[
            "4: `largest_priority_wins` must be of type `bool`, this is of type `int`",
            "5: `priority_delta` must be at least 1, this is 0",
        ],
    );
}

#[test]
fn refuses_entries_without_a_key_or_with_an_equal_one() {
    refuses(&table("key = { } actions = { b; } entries = { _: b(); }"), &["3: a table without a key has no entries"]);
    refuses(
        &table("key = { x: exact; } actions = { b; } const entries = { 1: b();\n0x01: b(); }"),
        &["5: this key has an entry already"],
    );
}

#[test]
fn keys_have_names_and_fit_their_match_kinds() {
    accepts(&table("key = { x[3:0]: exact; x & 3: exact; x + y: exact @name(\"sum\"); } actions = { b; }"));
    refuses(
        &table("key = { x: exact;\nx + y: exact;\n(bool)x[0:0]: lpm @name(\"flag\"); } actions = { b; }"),
        &["5: this key has no name", "6: a key of type `bool` is not matched `lpm`"],
    );
}

#[test]
fn refuses_tables_applied_in_arguments_of_actions() {
    refuses(
        "action a(in bool x) { } control C(in bit<8> x) {
 table t { actions = { } } table u { actions = {\n a(t.apply().hit); } }\n apply { u.apply(); } }",
        &["3: a table cannot be applied here"],
    );
}

#[test]
fn control_plane_names_are_unique() {
    let two = |data: &str| {
        format!(
            "control C() {{ @name(\".do\") action a(bit<8> x) {{ }}\n@name(\".do\") action b(bit<{data}> y) {{ }} \
             apply {{ }} }}"
        )
    };
    refuses(&two("9"), &["2: the control plane has another action `do`"]);
    // With the same data, they mean the same to the control plane.
    assert!(is_usable(&two("8")));
    refuses(
        "action NoAction() { } control C() {\n@name(\".t\") table t { actions = { NoAction; } } apply { t.apply(); } }
control D() { C() one; C() two; apply { one.apply(); two.apply(); } } control E(); package P(E e); P(D()) main;",
        &["2: 2 tables have the name `t`"],
    );
}
