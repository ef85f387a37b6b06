//! Programs that are hostile to the lowering: each becomes a valid program of the IR or is refused with a reason,
//! quickly, in little memory and on a small stack.

use std::collections::BTreeMap;
use std::fmt::Write;

use diagnostics::Sources;

/// A program for v1model with these declarations, locals of ingress and statements of ingress.
fn program(types: &str, metadata: &str, locals: &str, apply: &str) -> String {
    format!(
        "#include <v1model.p4>
header h_t {{ bit<8> a; bit<32> b; }}
{types}
struct headers {{ h_t h; }}
struct metadata {{ bit<32> y; {metadata} }}
parser P(packet_in p, out headers hdr, inout metadata m, inout standard_metadata_t s) {{
  state start {{ p.extract(hdr.h); transition accept; }}
}}
control V(inout headers hdr, inout metadata m) {{ apply {{ }} }}
control I(inout headers hdr, inout metadata m, inout standard_metadata_t s) {{ {locals} apply {{ {apply} }} }}
control E(inout headers hdr, inout metadata m, inout standard_metadata_t s) {{ apply {{ }} }}
control C(inout headers hdr, inout metadata m) {{ apply {{ }} }}
control D(packet_out p, in headers hdr) {{ apply {{ p.emit(hdr); }} }}
V1Switch(P(), V(), I(), E(), C(), D()) main;
"
    )
}

/// What a program becomes, which must be valid, or why it is refused.
fn lowered(text: &str) -> Result<ir::Program, String> {
    lowered_with(text).map(|(program, _)| program)
}

/// The same with what the author is warned of when it is lowered.
fn lowered_with(text: &str) -> Result<(ir::Program, String), String> {
    let mut sources = Sources::new();
    let main = sources.add("test.p4", text);
    let read = p4::preprocess(&mut sources, main, &BTreeMap::<String, String>::new(), &p4::Options::default());
    let (tree, mut found) = p4::parse(&read.tokens);
    found.extend(read.diagnostics);
    if found.has_errors() {
        return Err(found.render(&sources, false));
    }
    let (checked, found) = p4::check(&tree);
    if found.has_errors() {
        return Err(found.render(&sources, false));
    }
    let lowered = p4::lower(&tree, checked).map_err(|found| found.render(&sources, false))?;
    if let Err(errors) = ir::verify::program(&lowered.program) {
        panic!("lowered, but not valid: {}", errors[0].chars().take(200).collect::<String>());
    }
    let warnings = lowered.warnings.render(&sources, false);
    Ok((lowered.program, warnings))
}

/// A program is refused, first of all for this reason.
fn refused(text: &str, expected: &str) {
    let found = lowered(text).expect_err("it is refused");
    assert!(found.lines().next().is_some_and(|first| first.contains(expected)), "{found}");
}

/// Numbered declarations, one from each number.
fn numbered(count: usize, one: impl Fn(usize) -> String) -> String {
    (0..count).map(one).fold(String::new(), |mut all, one| {
        let _ = writeln!(all, "{one}");
        all
    })
}

/// Structs `s0` to `s40`, each of two of the one before: 2^40 fields.
fn doubling() -> String {
    "struct s0 { bit<8> a; }\n".to_owned()
        + &numbered(40, |number| format!("struct s{} {{ s{number} a; s{number} b; }}", number + 1))
}

#[test]
fn refuses_types_that_double() {
    let structs = doubling();
    refused(&program(&structs, "s40 z;", "", ""), "more than 262144 variables");
    refused(&program(&structs, "", "", "s40 z; s40 v; z = v;"), "more than 262144 variables");
    refused(&program(&structs, "", "", "s40 v; digest<s40>(1, v);"), "more than 262144 variables");
    refused(&program(&format!("{structs} header big {{ s40 z; }}"), "big z;", "", ""), "more than 262144 variables");
    // Once counted past the largest number there is: 2^40 fields, 2^24 times, and one place for the next.
    let stack = format!("{structs} header big {{ s40 z; }}");
    refused(&program(&stack, "big[16777216] z;", "", ""), "more than 262144 variables");
    let tuples = numbered(41, |number| match number {
        0 => "typedef tuple<bit<8>, bit<8>> t0;".to_owned(),
        _ => format!("typedef tuple<t{0}, t{0}> t{number};", number - 1),
    });
    refused(&program(&tuples, "t40 z;", "", ""), "more than 262144 variables");
    // Nobody has a variable of it: nothing is wrong.
    lowered(&program(&structs, "", "", "")).unwrap();
}

#[test]
fn refuses_huge_stacks() {
    let large = "the size of a stack is too large";
    for (size, reason) in [("1000000", "more than 262144 variables"), ("2147483648", large), ("4294967295", large)] {
        refused(&program("", &format!("h_t[{size}] z;"), "", ""), reason);
        refused(&program("", "", "", &format!("h_t[{size}] z; z.push_front(1);")), reason);
    }
    lowered(&program("", "h_t[1000] z;", "", "m.z.push_front(1); m.z[m.y] = hdr.h;")).unwrap();
}

#[test]
fn refuses_huge_state() {
    for size in ["268435456", "4294967295"] {
        refused(&program("", "", &format!("register<bit<1>>({size}) r;"), "r.write(0, 1);"), "the most is");
        refused(&program("", "", &format!("counter({size}, CounterType.packets) c;"), "c.count(0);"), "the most is");
        refused(
            &program("", "", &format!("meter({size}, MeterType.packets) c;"), "c.execute_meter(0, m.y);"),
            "the most is",
        );
    }
}

#[test]
fn refuses_instances_that_double() {
    let controls = "control c0(inout bit<32> y) { apply { y = y + 1; } }\n".to_owned()
        + &numbered(40, |number| {
            let of = format!("c{number}");
            let body = "{ a.apply(y); b.apply(y); }";
            format!("control c{}(inout bit<32> y) {{ {of}() a; {of}() b; apply {body} }}", number + 1)
        });
    refused(&program(&controls, "", "c40() k;", "k.apply(m.y);"), "more than 16384 controls, parsers and functions");
    let functions = "bit<32> f0<T>(T x) { return 1; }\n".to_owned()
        + &numbered(30, |number| {
            let body = format!("tuple<T, T> z = {{ x, x }}; return f{number}<tuple<T, T>>(z);");
            format!("bit<32> f{}<T>(T x) {{ {body} }}", number + 1)
        });
    refused(&program(&functions, "", "", "m.y = f30<bit<32>>(m.y);"), "more than 262144 variables");
}

#[test]
fn writes_an_instance_applied_twice_once() {
    let controls = "control c0(inout bit<32> y) { apply { y = y + 1; } }\n".to_owned()
        + &numbered(40, |number| {
            format!("control c{}(inout bit<32> y) {{ c{number}() k; apply {{ k.apply(y); k.apply(y); }} }}", number + 1)
        });
    let program = lowered(&program(&controls, "", "c40() k;", "k.apply(m.y); k.apply(m.y);")).unwrap();
    assert!(program.functions.len() < 100, "{}", program.functions.len());
}

#[test]
fn writes_functions_once() {
    let functions = "bit<32> f0(bit<32> x) { return x + 1; }\n".to_owned()
        + &numbered(40, |number| {
            format!("bit<32> f{}(bit<32> x) {{ return f{number}(x) + f{number}(x); }}", number + 1)
        });
    let program = lowered(&program(&functions, "", "", "m.y = f40(m.y);")).unwrap();
    assert!(program.functions.len() < 100, "{}", program.functions.len());
}

#[test]
fn lowers_long_programs() {
    let lines = numbered(5000, |number| format!("m.y = m.y + {number};"));
    lowered(&program("", "", "", &lines)).unwrap();
    let entries = numbered(20_000, |number| format!("{number}: a({number});"));
    let table = format!(
        "action a(bit<32> v) {{ m.y = v; }}
         table t {{
           key = {{ hdr.h.b: exact; }}
           actions = {{ a; }}
           const entries = {{ {entries} }}
           default_action = a(0);
         }}"
    );
    let program = lowered(&program("", "", &table, "t.apply();")).unwrap();
    assert_eq!(program.tables.len(), 1);
}

#[test]
fn refuses_numbers_wider_than_65535_bits() {
    let squares = "a = a * a;".repeat(200);
    lowered(&program("", "", "", &format!("bit<65535> a = 3; {squares} m.y = a[31:0];"))).unwrap();
    let large = "the width of `bit` is too large";
    for (width, reason) in [("65536", "values of 65536 bits"), ("2147483648", large), ("4294967295", large)] {
        refused(&program("", "", "", &format!("bit<{width}> a = 3; {squares} m.y = a[31:0];")), reason);
    }
}

/// Each constant is the square of the one before: the last one has 2^39 bits, and is not used.
#[test]
fn survives_constants_that_double() {
    let squares = "const int A0 = 3;\n".to_owned()
        + &numbered(39, |number| format!("const int A{} = A{number} * A{number};", number + 1));
    let _either = lowered(&program(&squares, "", "", ""));
    refused(&program(&squares, "", "", "m.y = (bit<32>)A39;"), "bits");
}

#[test]
fn survives_constant_tuples_that_double() {
    let tuples = numbered(40, |number| match number {
        0 => "typedef tuple<bit<8>, bit<8>> T0; const T0 D0 = { 1, 2 };".to_owned(),
        _ => format!("typedef tuple<T{0}, T{0}> T{number}; const T{number} D{number} = {{ D{0}, D{0} }};", number - 1),
    });
    let _either = lowered(&program(&tuples, "", "", ""));
}

#[test]
fn refuses_calls_that_nest_too_deeply() {
    let functions = "bit<32> f0(bit<32> x) { return x + 1; }\n".to_owned()
        + &numbered(3000, |number| format!("bit<32> f{}(bit<32> x) {{ return f{number}(x); }}", number + 1));
    refused(&program(&functions, "", "", "m.y = f3000(m.y);"), "inside one another");
}

/// The IR has a limit of calls within each other; whoever lowers must keep it.
#[test]
fn refuses_controls_that_nest_too_deeply() {
    let controls = "control c0(inout bit<32> y) { apply { y = y + 1; } }\n".to_owned()
        + &numbered(3000, |number| {
            format!("control c{}(inout bit<32> y) {{ c{number}() k; apply {{ k.apply(y); }} }}", number + 1)
        });
    refused(&program(&controls, "", "c3000() k;", "k.apply(m.y);"), "inside one another");
}

#[test]
fn refuses_registers_of_types_that_double() {
    refused(&program(&doubling(), "", "register<s40>(4) r;", "s40 v; r.read(v, 0);"), "more than");
}

/// Cases of a `switch` stand beside each other in the program, and so they must in what it becomes.
#[test]
fn a_switch_of_many_cases_reads_back() {
    let cases = numbered(5000, |number| format!("{number}: {{ m.y = {number}; }}"));
    let program = lowered(&program("", "", "", &format!("switch (hdr.h.b) {{ {cases} default: {{ }} }}"))).unwrap();
    assert_eq!(ir::parse::program("main", &program.to_string()).unwrap(), program);
}

/// What the checker cannot see, since it is of the architecture or of the whole program, is told where it stands.
#[test]
fn reports_errors_of_lowering_at_their_place() {
    let told = |types: &str, metadata: &str, locals: &str, apply: &str, expected: &str| {
        let found = lowered(&program(types, metadata, locals, apply)).expect_err(expected);
        let mut lines = found.lines();
        assert_eq!(lines.next(), Some(&*format!("error: {expected}")), "{found}");
        assert!(lines.next().is_some_and(|place| place.trim_start().starts_with("--> test.p4:")), "{found}");
    };
    let table = |rest: &str| format!("action a() {{ }} table t {{ {rest} }}");
    let apply = "t.apply();";
    let of_table = |rest: &str, expected: &str| told("", "bool q; bit<0> none;", &table(rest), apply, expected);
    let keyed = |kind: &str, entries: &str| {
        format!("key = {{ m.y: {kind}; }} actions = {{ a; }} {entries} default_action = a;")
    };
    let again = "this key has an entry already";
    of_table(&keyed("lpm", "const entries = { 5: a; 5: a; }"), again);
    of_table(&keyed("lpm", "const entries = { 0x10 &&& 0xfffffff0: a; 0x1f &&& 0xfffffff0: a; }"), again);
    of_table(&keyed("lpm", "const entries = { _: a; default: a; }"), again);
    of_table(&keyed("exact", "const entries = { 5 &&& 0xffffffff: a; 5: a; }"), again);
    let ranked = "this key has an entry of this priority already";
    of_table(&keyed("ternary", "entries = { priority=1: 5: a; priority=1: 5: a; }"), ranked);
    of_table(&keyed("range", "entries = { priority=1: 5 .. 5: a; priority=1: 5: a; }"), ranked);
    of_table(&keyed("optional", "entries = { priority=1: _: a; priority=1: _: a; }"), ranked);
    let nothing = "key = { m.none: exact; } actions = { a; } default_action = a; const entries = { 0: a; }";
    of_table(nothing, "entries of a table that compares nothing");
    of_table("key = { m.y: exact; } actions = { @tableonly @defaultonly a; NoAction; }", "nothing may run this action");
    of_table(
        "key = { m.y: exact; } actions = { a; @tableonly NoAction; }",
        "only entries run `NoAction`, which is the default here",
    );
    let profile = "implementation = action_profile(4); const entries = { 5: a; }";
    of_table(&keyed("exact", profile), "entries of a table with an `implementation`");

    let called =
        |metadata: &str, apply: &str, expected: &str| told("struct s_t { bit<8> a; }", metadata, "", apply, expected);
    called("bool q;", "random(m.q, false, true);", "the argument for `lo` is not a number");
    called("s_t q;", "random(m.q, {1}, {2});", "the argument for `lo` is not a number");
    called("s_t q;", "hash(m.q, HashAlgorithm.crc16, 8w0, { m.y }, 8w9);", "the argument for `result` is not a number");
    called("s_t q;", "hash(m.y, HashAlgorithm.crc16, m.q, { m.y }, 8w9);", "the argument for `base` is not a number");
    called(
        "bool q;",
        "update_checksum(true, { m.y }, m.q, HashAlgorithm.csum16);",
        "the argument for `checksum` is not a number",
    );
    called(
        "s_t q;",
        "verify_checksum(true, { m.y }, m.q, HashAlgorithm.csum16);",
        "the argument for `checksum` is not a number",
    );
    let meter = "meter(4, MeterType.bytes) c;";
    told("", "bool q;", meter, "c.execute_meter(32w1, m.q);", "the argument for `result` is not a number");
    told("", "", "direct_meter<bool>(MeterType.bytes) c;", "", "a colour is a number");

    let direct = "action a() { } direct_counter(CounterType.bytes) c; direct_meter<bit<2>>(MeterType.bytes) d;";
    let two = |property: &str| {
        let table = |name: &str| {
            format!("table {name} {{ key = {{ m.y: exact; }} actions = {{ a; }} default_action = a; {property} }}")
        };
        format!("{direct} {} {}", table("t"), table("u"))
    };
    let both = "t.apply(); u.apply();";
    told("", "", &two("counters = c;"), both, "this counter belongs to the entries of `I.t` already");
    told("", "", &two("meters = d;"), both, "this meter belongs to the entries of `I.t` already");
    let named = "@name(\"x\") counter(4, CounterType.bytes) c; @name(\"x\") counter(4, CounterType.bytes) d;";
    told("", "", named, "c.count(0); d.count(0);", "two entities of kind counter are named `I.x`");
    let deep = numbered(100, |number| {
        let inner = if number == 0 { "m.y = 3;".to_owned() } else { "i.apply(m);".to_owned() };
        let instance = if number == 0 { String::new() } else { format!("c{}() i;", number - 1) };
        let (open, close) = ("if (m.y != 1) {".repeat(20), "}".repeat(20));
        format!("control c{number}(inout metadata m) {{ {instance} apply {{ {open} {inner} {close} }} }}")
    });
    let text = program("", "", "c99() i;", "i.apply(m);").replace("control V(", &format!("{deep} control V("));
    // As deep as this the front end itself wants more stack than a test thread has.
    let run = move || refused(&text, "is called more than 1000 blocks and calls deep");
    std::thread::Builder::new().stack_size(1 << 26).spawn(run).unwrap().join().unwrap();
}

/// What is legal and says nothing is warned of.
#[test]
fn warns_of_meters_and_selectors_without_effect() {
    let warned = |locals: &str, apply: &str, expected: &str| {
        let warnings = lowered_with(&program("", "bit<2> z;", locals, apply)).expect(expected).1;
        assert_eq!(warnings.matches("warning:").count(), 1, "{warnings}");
        assert!(warnings.contains(expected) && warnings.contains("--> test.p4:"), "{warnings}");
    };
    let reads =
        "action a() { } direct_meter<bit<2>>(MeterType.bytes) d; action b() { d.read(m.z); } action e() { b(); }
        table t { key = { m.y: exact; } actions = { a; e; } default_action = a; meters = d; }
        table u { key = { m.y: exact; } actions = { e; } default_action = e; }";
    warned(reads, "t.apply(); u.apply();", "this action reads the meter `I.d`, which `I.u` does not name");
    let table = |rest: &str| {
        format!(
            "action a() {{ }} table t {{ key = {{ m.y: exact; m.z: selector; }} actions = {{ a; }} default_action = a; {rest} }}"
        )
    };
    let selector = "this key chooses a member of a group, and the table has none";
    warned(&table(""), "t.apply();", selector);
    warned(&table("implementation = action_profile(4);"), "t.apply();", selector);
}

/// A key of no bits has one value: entries are held against the others.
#[test]
fn keys_without_bits_match() {
    let table = "action a() { } table t { key = { m.none: exact; m.y: exact; } actions = { a; } default_action = a;
        const entries = { (0, 7): a; (0, 9): a; } }";
    let program = lowered(&program("", "bit<0> none;", table, "t.apply();")).unwrap();
    let keys: Vec<String> = program.tables[0].entries.iter().map(|entry| format!("{}", entry.key[0])).collect();
    assert_eq!(keys, ["0x7", "0x9"]);
}

/// The members of a value set are compared with as many values, of the same types, in the same order.
#[test]
fn value_sets_fit_the_selected_values() {
    let select = |member: &str, values: &str| {
        let own = format!(
            "value_set<{member}>(4) set; state start {{ p.extract(hdr.h); transition select({values}) {{ set: accept; _: reject; }} }}"
        );
        program("struct s_t { bit<8> a; bit<32> b; } struct none_t { } header v_t { varbit<8> v; }", "bool q;", "", "")
            .replace("state start { p.extract(hdr.h); transition accept; }", &own)
    };
    let both = "hdr.h.a, hdr.h.b";
    for (member, values) in [("s_t", both), ("tuple<bit<8>, bit<32>>", both), ("bit<8>", "hdr.h.a"), ("bool", "m.q")] {
        lowered(&select(member, values)).unwrap();
    }
    refused(&select("s_t", "hdr.h.b, hdr.h.a"), "value 1 of a member of this set is `bit<8>`, compared with `bit<32>`");
    refused(&select("s_t", "hdr.h.a, m.q"), "value 2 of a member of this set is `bit<32>`, compared with `bool`");
    refused(&select("s_t", "hdr.h.a, hdr.h.b, m.q"), "3 values are compared, and a member of this set, `s_t`, has 2");
    refused(&select("bit<8>", both), "2 values are compared, and a member of this set, `bit<8>`, has 1");
    for member in ["bit<0>", "none_t", "h_t", "v_t", "h_t[2]", "int", "list<bit<8>>"] {
        refused(&select(member, both), "there are no value sets of");
    }
}

/// `@name` may say anything: variables and registers of the IR have names of their own then.
#[test]
fn odd_names_stay_in_the_control_plane() {
    let locals =
        "@name(\"a b/c-1\") register<bit<8>>(4) r; @name(\"a b/c+1\") action s(bit<8> v) { hdr.h.a = v; } @name(\"9\")
        table t { key = { m.y: exact @name(\"1 2\"); } actions = { s; } default_action = s(1); }";
    lowered(&program("", "", locals, "r.write(0, 1); t.apply();")).unwrap();
}
