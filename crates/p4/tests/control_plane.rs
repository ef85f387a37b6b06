//! The description of a program for its control plane.

use std::collections::BTreeMap;

use control::{Entity, Identity, TableNumber};
use diagnostics::Sources;

/// The program, and what its author is warned of.
fn lowered(text: &str) -> (p4::Lowered, String) {
    let mut sources = Sources::new();
    let main = sources.add("test.p4", text);
    let files: BTreeMap<String, String> = BTreeMap::new();
    let read = p4::preprocess(&mut sources, main, &files, &p4::Options::default());
    let (program, findings) = p4::parse(&read.tokens);
    assert!(!findings.has_errors(), "{}", findings.render(&sources, false));
    let (checked, findings) = p4::check(&program);
    assert!(!findings.has_errors(), "{}", findings.render(&sources, false));
    let lowered = p4::lower(&program, checked).unwrap_or_else(|errors| panic!("{}", errors.render(&sources, false)));
    let warnings = lowered.warnings.render(&sources, false);
    (lowered, warnings)
}

/// A program for v1model whose ingress has these declarations, and applies what is given.
fn program(declarations: &str, applied: &str) -> String {
    format!(
        "#include <v1model.p4>
struct H {{ }}
struct M {{ bit<8> a; }}
parser P(packet_in b, out H h, inout M m, inout standard_metadata_t s) {{ state start {{ transition accept; }} }}
control V(inout H h, inout M m) {{ apply {{ }} }}
control I(inout H h, inout M m, inout standard_metadata_t s) {{
{declarations}
    apply {{ {applied} }}
}}
control E(inout H h, inout M m, inout standard_metadata_t s) {{ apply {{ }} }}
control D(packet_out b, in H h) {{ apply {{ }} }}
V1Switch(P(), V(), I(), E(), V(), D()) main;
"
    )
}

#[test]
fn the_second_action_of_a_name_keeps_its_own() {
    let text = program(
        r#"    @name("set") action set_one(bit<8> v) { m.a = v; }
    @name("set") action set_two(bit<8> w) { m.a = w + 1; }
    table t { key = { m.a: exact; } actions = { set_one; NoAction; } }
    table u { key = { m.a: exact; } actions = { set_two; NoAction; } }"#,
        "t.apply(); u.apply();",
    );
    let (lowered, warnings) = lowered(&text);
    let action = |table: &str, name: &str| {
        let table = lowered.info.table_named(table).expect("it is declared");
        lowered.info.action_named(table, name).map(|number| lowered.info.action(number).parameters[0].name.clone())
    };
    assert_eq!(action("t", "set"), Ok("v".to_owned()));
    assert_eq!(action("u", "set_two"), Ok("w".to_owned()));
    assert!(action("u", "set").is_err(), "that is the other one");
    let expected = "warning: the control plane knows this action as `I.set_two`
 --> test.p4:8:25
  |
8 |     @name(\"set\") action set_two(bit<8> w) { m.a = w + 1; }
  |                         ^^^^^^^ `I.set` is another action for it, with other parameters
  |
  = help: `@name(\"text\")` gives it a name that no other action has
";
    assert_eq!(warnings.trim_end(), expected.trim_end());
}

#[test]
fn every_id_is_found_again() {
    let text = program(
        r#"    action set(bit<8> v) { m.a = v; }
    counter(4, CounterType.packets) counted;
    direct_counter(CounterType.bytes) hits;
    meter(4, MeterType.packets) measured;
    register<bit<8>>(4) kept;
    action_profile(4) choices;
    table t { key = { m.a: exact; } actions = { set; NoAction; } counters = hits; }
    @hidden table v { key = { m.a: exact; } actions = { set; NoAction; } }
    table u { key = { m.a: exact; } actions = { set; NoAction; } implementation = choices; }"#,
        "t.apply(); v.apply(); u.apply();",
    );
    let info = lowered(&text).0.info;
    let expected = [
        ("I.t", Entity::Table(0_usize.into())),
        ("I.u", Entity::Table(2_usize.into())),
        ("I.choices", Entity::Profile(0_usize.into())),
        ("I.counted", Entity::Counter(0_usize.into())),
        ("I.hits", Entity::Counter(1_usize.into())),
        ("I.measured", Entity::Meter(0_usize.into())),
        ("I.kept", Entity::Register(0_usize.into())),
    ];
    let identities = info.tables.iter().map(|own| &own.identity).chain(info.profiles.iter().map(|own| &own.identity));
    let identities = identities.chain(info.counters.iter().map(|own| &own.identity));
    let identities = identities.chain(info.meters.iter().map(|own| &own.identity));
    let identities: Vec<&Identity> = identities.chain(info.registers.iter().map(|own| &own.identity)).collect();
    for (name, entity) in expected {
        let identity = identities.iter().find(|own| own.name == name).unwrap_or_else(|| panic!("no {name}"));
        assert_eq!(info.entity_with_id(identity.id), Some(entity), "{name}");
    }
    assert_eq!(info.table(TableNumber(0)).fields[0].id, 1);
    assert_eq!(info.field_with_id(TableNumber(0), 1), Some(0));
    let set = info.action_named(TableNumber(0), "set").expect("it is declared");
    assert_eq!(info.action_with_id(info.action(set).identity.id), Some(set));
    assert_eq!(info.parameter_with_id(set, 1), Some(0));
    assert_eq!(info.tables[1].identity.name, "I.v", "it keeps its number");
    assert_eq!(info.tables[1].identity.id, 0);
}

#[test]
fn drops_direct_counters_and_meters_without_a_table() {
    let text = program(
        r#"    @id(0x13000001) direct_counter(CounterType.packets) counted;
    @id(0x15000001) direct_meter<bit<2>>(MeterType.packets) measured;
    direct_counter(CounterType.bytes) hidden;
    direct_counter(CounterType.bytes) hits;
    action set(bit<8> v) { m.a = v; counted.count(); }
    table t { key = { m.a: exact; } actions = { set; NoAction; } counters = hits; }
    @hidden table v { key = { m.a: exact; } actions = { NoAction; } counters = hidden; }"#,
        "t.apply(); v.apply();",
    );
    let (lowered, warnings) = lowered(&text);
    let told = control::p4info::to_text(&lowered.info);
    assert_eq!(told.matches("direct_counters {").count(), 1, "{told}");
    assert!(!told.contains("meters {") && !told.contains("\ncounters {"), "{told}");
    assert!(lowered.info.counter_named("counted").is_err());
    let expected = [
        "no table names this `direct_counter`: it is dropped\n --> test.p4:7:57",
        "no table names this `direct_meter`: it is dropped\n --> test.p4:8:61",
    ];
    for warning in expected {
        assert!(warnings.contains(warning), "{warnings}");
    }
    assert_eq!(warnings.matches("it is dropped").count(), 2, "{warnings}");
}

#[test]
fn names_follow_the_annotations_of_the_program() {
    let text = program(
        r#"    action set(@name("orange") bit<8> v) { m.a = v; }
    @name("told_t") struct own_t { @name("told") bit<8> own; }
    action tell() { digest<own_t>(1, { m.a }); }
    table t { key = { h.e.f[3:0]: exact; h.e.isValid(): exact; h.e.g: exact; s.ingress_port & 1: exact; }
              actions = { set; tell; NoAction; } }"#,
        "t.apply();",
    );
    let text = text.replace(
        "struct H { }",
        "header eth_t { @name(\"first\") bit<8> f; @name(\".alone\") bit<8> g; } struct H { @name(\"ether\") eth_t e; }",
    );
    let outside = "    @name(\"told_t\") struct own_t { @name(\"told\") bit<8> own; }\n";
    let text = text.replace(outside, "").replace("struct M", &format!("{outside}struct M"));
    let info = lowered(&text).0.info;
    let keys: Vec<&str> = info.tables[0].fields.iter().map(|field| field.name.as_str()).collect();
    assert_eq!(keys, ["h.ether.first[3:0]", "h.ether.$valid$", "alone", "s.ingress_port & 1"]);
    let set = info.action_named(TableNumber(0), "set").expect("it is declared");
    assert_eq!(info.action(set).parameters[0].name, "orange");
    assert_eq!(info.parameter_named(set, "orange"), Ok(0));
    assert_eq!(info.digests[0].identity.name, "told_t");
    let told = control::p4info::to_text(&info);
    assert!(told.contains("key: \"told_t\"") && told.contains("name: \"told\""), "{told}");
}

#[test]
fn describes_what_the_reference_compiler_describes() {
    let text = program(
        r#"    action only_called(bit<8> v) { m.a = v; }
    action within() { m.a = 3; }
    action calls() { within(); }
    action idle() { }
    action set(bit<8> v) { m.a = v; }
    table t { key = { m.a: exact; } actions = { set; NoAction; } default_action = set(7); }
    table never { key = { m.a: exact; } actions = { idle; } }"#,
        "only_called(8); calls(); t.apply();",
    );
    let info = lowered(&text).0.info;
    let told = control::p4info::to_text(&info);
    for (name, is_told) in [("only_called", true), ("calls", true), ("set", true), ("within", false), ("idle", false)] {
        assert_eq!(told.contains(&format!("name: \"I.{name}\"")), is_told, "{name}\n{told}");
    }
    assert!(told.contains("name: \"I.t\"") && !told.contains("I.never"), "{told}");
    assert_eq!(told.matches("params {").count(), 1, "what is only called has no parameters: {told}");
    assert!(info.table_named("I.never").is_err());
}

#[test]
fn annotations_of_profiles_packages_and_tables_reach_p4info() {
    let text = program(
        r#"    @max_group_size(200) @selector_size_semantics("sum_of_members") @max_member_weight(4000) @more(a , b)
    action_selector(HashAlgorithm.crc16, 32w8, 32w16) choices;
    @max_group_size(3) action_profile(4) plain;
    @mixed[1, "x", 1 == 2] @pairs[key = 2 * 3, flag = true] @empty[]
    table t { key = { m.a: exact @hidden; m.a: selector; } actions = { @by[1] NoAction; } implementation = choices; }
    table u { key = { m.a: exact; } actions = { NoAction; }
              @name("made_here") implementation = action_profile(4); }
    table w { key = { m.a: exact; } actions = { NoAction; } implementation = plain; }"#,
        "t.apply(); u.apply(); w.apply();",
    );
    let text = text.replace("V1Switch(", "@platform_property(multicast_group_table_size = 10)\nV1Switch(");
    let (lowered, warnings) = lowered(&text);
    let told = control::p4info::to_text(&lowered.info);
    let squeezed = told.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "annotations: \"@more(a , b)\" } table_ids",
        "size: 8 max_group_size: 200 sum_of_members { max_member_weight: 4000 } }",
        "expression_list { expressions { int64_value: 1 } expressions { string_value: \"x\" } expressions { bool_value: \
         false } }",
        "kv_pairs { key: \"key\" value { int64_value: 6 } }",
        "structured_annotations { name: \"empty\" }",
        "annotations: \"@hidden\"",
        "name: \"made_here\"",
        "platform_properties { multicast_group_table_size: 10 }",
    ] {
        assert!(squeezed.contains(part), "{part}\n{told}");
    }
    assert!(!told.contains("max_group_size: 3") && !told.contains("@max"), "{told}");
    assert!(warnings.contains("`@max_group_size` says nothing of an `action_profile`"), "{warnings}");
}

#[test]
fn types_of_keys_and_parameters_are_described() {
    let before = "type bit<8> one_t; type one_t two_t; enum bit<16> kind_t { a = 1, b = 0x800 } struct H { }";
    let text = program(
        r#"    action set(two_t v) { m.two = v; }
    action unused(lone_t v) { }
    action tell() { digest<sent_t>(1, { error.NoMatch }); }
    table t { key = { m.kind: exact; } actions = { set; tell; NoAction; } }"#,
        "t.apply();",
    );
    let text = text.replace("struct H { }", &format!("{before} type bit<3> lone_t; struct sent_t {{ error e; }}"));
    let text = text.replace("bit<8> a; }", "kind_t kind; two_t two; }");
    let info = lowered(&text).0.info;
    let told = control::p4info::to_text(&info).split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "key: \"kind_t\" value { underlying_type { bitwidth: 16 } members { name: \"a\" value: \"\\000\\001\" } members { \
         name: \"b\" value: \"\\010\\000\" } }",
        "key: \"two_t\" value { original_type { bitstring { bit { bitwidth: 8 } } } }",
        "error { members: \"NoError\" members: \"PacketTooShort\" members: \"NoMatch\"",
    ] {
        assert!(told.contains(part), "{part}\n{told}");
    }
    assert!(!told.contains("one_t\"") && !told.contains("lone_t"), "{told}");
}

#[test]
fn a_wrong_constraint_is_warned_of_where_it_is_written() {
    let declarations = "
    @action_restriction(\"v > 0x100\")
    action set(bit<8> v) { m.a = v; }
    @entry_restriction(
        \"m.a::mask == 0;\"
        \"m.b != 1\")
    table t { key = { m.a : exact; } actions = { set; } }";
    let (lowered, warnings) = lowered(&program(declarations, "t.apply();"));
    assert_eq!(
        warnings,
        "\
warning: a key of kind exact has no field `mask`
  --> test.p4:11:10
   |
11 |         \"m.a::mask == 0;\"
   |          ^^^^^^^^^ a P4Runtime server refuses this constraint
   |
   = help: there is only `value`

warning: there is no key `m.b`
  --> test.p4:12:10
   |
12 |         \"m.b != 1\")
   |          ^^^ a P4Runtime server refuses this constraint
   |
   = help: did you mean `m.a`?

warning: 256 does not fit bit<8>, and is taken as 0
 --> test.p4:8:30
  |
8 |     @action_restriction(\"v > 0x100\")
  |                              ^^^^^

"
    );
    let restriction = &lowered.info.tables[0].identity.annotations[0];
    assert_eq!(*restriction, "@entry_restriction(\"m.a::mask == 0;\" \"m.b != 1\")".into());
}

#[test]
fn a_constraint_is_warned_of_once_however_often_it_is_instantiated_and_not_if_it_is_hidden() {
    let declarations = "
    @action_restriction(\"w == 1\") action set(bit<8> v) { m.a = v; }
    @entry_restriction(port) table t { key = { m.a : exact; } actions = { set; } }
    @hidden @entry_restriction(\"nonsense\") table u { key = { m.a : exact; } actions = { NoAction; } }
    @entry_restriction(\"nonsense\") table never { key = { m.a : exact; } actions = { NoAction; } }";
    let whole = program(declarations, "t.apply(); u.apply();");
    // The ingress as a control of its own, applied by two names.
    let twice = whole.replace("control I(", "control Inner(").replace(
        "V1Switch(",
        "control I(inout H h, inout M m, inout standard_metadata_t s) {
            Inner() one; Inner() two; apply { one.apply(h, m, s); two.apply(h, m, s); } }
        V1Switch(",
    );
    for text in [whole, twice] {
        let (_, warnings) = lowered(&text);
        assert_eq!(warnings.matches("warning: ").count(), 2, "{warnings}");
        assert_eq!(warnings.matches("`@entry_restriction` takes strings and nothing else").count(), 1, "{warnings}");
        assert_eq!(warnings.matches("there is no parameter `w`").count(), 1, "{warnings}");
    }
}

#[test]
fn an_entry_of_the_program_that_violates_a_constraint_is_warned_of() {
    let declarations = "
    @action_restriction(\"v != 0\")
    action set(bit<8> v) { m.a = v; }
    @entry_restriction(\"m.a != 2\")
    table t {
        key = { m.a : exact; } actions = { set; }
        const entries = { 1 : set(1); 2 : set(1); 3 : set(0); }
    }";
    let (_, warnings) = lowered(&program(declarations, "t.apply();"));
    assert_eq!(warnings.matches("warning: ").count(), 2, "{warnings}");
    assert!(warnings.contains(
        "entry 2 of the program violates a constraint: table `I.t` restricts its entries: `m.a != 2` does not hold, \
         where `m.a` is 0x2"
    ));
    assert!(warnings.contains("entry 3 of the program violates a constraint: action `I.set` restricts its arguments"));
}

/// Where the preprocessor has changed a string, its lines are not where they were.
#[test]
fn a_constraint_with_macros_and_conditions_is_quoted_by_its_line() {
    let declarations = "
#define TWO 0x0002
    @entry_restriction(\"
        m.a != TWO;
#ifdef TWO
        m.b == TWO;
#endif
    \")
    table t { key = { m.a : exact; } actions = { NoAction; } }";
    let (lowered, warnings) = lowered(&program(declarations, "t.apply();"));
    assert_eq!(warnings.matches("warning: ").count(), 1, "{warnings}");
    assert!(warnings.contains("there is no key `m.b`"), "{warnings}");
    assert!(warnings.contains(" a P4Runtime server refuses this constraint, in `m.b == 0x0002;`"), "{warnings}");
    let restriction = &lowered.info.tables[0].identity.annotations[0];
    let text = "@entry_restriction(\"\n        m.a != 0x0002;\n\n        m.b == 0x0002;\n\n    \")";
    assert_eq!(*restriction, text.into());
}
