//! Programs that are made to hurt whoever lowers them: each becomes a valid program of the IR or is refused with a
//! reason, quickly, in little memory and on a small stack.

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
    Ok(lowered.program)
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
fn types_that_double_with_each_declaration_are_refused() {
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
fn stacks_without_end_are_refused() {
    let large = "the size of a stack is too large";
    for (size, reason) in [("1000000", "more than 262144 variables"), ("2147483648", large), ("4294967295", large)] {
        refused(&program("", &format!("h_t[{size}] z;"), "", ""), reason);
        refused(&program("", "", "", &format!("h_t[{size}] z; z.push_front(1);")), reason);
    }
    lowered(&program("", "h_t[1000] z;", "", "m.z.push_front(1); m.z[m.y] = hdr.h;")).unwrap();
}

#[test]
fn state_without_end_is_refused() {
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
fn instances_that_double_with_each_declaration_are_refused() {
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
fn one_instance_that_is_applied_twice_on_each_level_is_written_once() {
    let controls = "control c0(inout bit<32> y) { apply { y = y + 1; } }\n".to_owned()
        + &numbered(40, |number| {
            format!("control c{}(inout bit<32> y) {{ c{number}() k; apply {{ k.apply(y); k.apply(y); }} }}", number + 1)
        });
    let program = lowered(&program(&controls, "", "c40() k;", "k.apply(m.y); k.apply(m.y);")).unwrap();
    assert!(program.functions.len() < 100, "{}", program.functions.len());
}

#[test]
fn functions_are_written_once_however_often_they_are_called() {
    let functions = "bit<32> f0(bit<32> x) { return x + 1; }\n".to_owned()
        + &numbered(40, |number| {
            format!("bit<32> f{}(bit<32> x) {{ return f{number}(x) + f{number}(x); }}", number + 1)
        });
    let program = lowered(&program(&functions, "", "", "m.y = f40(m.y);")).unwrap();
    assert!(program.functions.len() < 100, "{}", program.functions.len());
}

#[test]
fn long_programs_become_long_and_nothing_else() {
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
fn numbers_of_65535_bits_are_multiplied_and_wider_ones_are_refused() {
    let squares = "a = a * a;".repeat(200);
    lowered(&program("", "", "", &format!("bit<65535> a = 3; {squares} m.y = a[31:0];"))).unwrap();
    let large = "the width of `bit` is too large";
    for (width, reason) in [("65536", "values of 65536 bits"), ("2147483648", large), ("4294967295", large)] {
        refused(&program("", "", "", &format!("bit<{width}> a = 3; {squares} m.y = a[31:0];")), reason);
    }
}

/// Each constant is the square of the one before: the last one has 2^39 bits, and is not used.
#[test]
fn constants_that_double_in_length_are_refused_or_left_alone() {
    let squares = "const int A0 = 3;\n".to_owned()
        + &numbered(39, |number| format!("const int A{} = A{number} * A{number};", number + 1));
    let _either = lowered(&program(&squares, "", "", ""));
    refused(&program(&squares, "", "", "m.y = (bit<32>)A39;"), "bits");
}

#[test]
fn constant_tuples_that_double_with_each_declaration_are_refused_or_left_alone() {
    let tuples = numbered(40, |number| match number {
        0 => "typedef tuple<bit<8>, bit<8>> T0; const T0 D0 = { 1, 2 };".to_owned(),
        _ => format!("typedef tuple<T{0}, T{0}> T{number}; const T{number} D{number} = {{ D{0}, D{0} }};", number - 1),
    });
    let _either = lowered(&program(&tuples, "", "", ""));
}

#[test]
fn functions_that_call_each_other_too_deeply_are_refused() {
    let functions = "bit<32> f0(bit<32> x) { return x + 1; }\n".to_owned()
        + &numbered(3000, |number| format!("bit<32> f{}(bit<32> x) {{ return f{number}(x); }}", number + 1));
    refused(&program(&functions, "", "", "m.y = f3000(m.y);"), "inside one another");
}

/// The IR has a limit of calls within each other; whoever lowers must keep it.
#[test]
fn controls_that_are_nested_too_deeply_are_refused() {
    let controls = "control c0(inout bit<32> y) { apply { y = y + 1; } }\n".to_owned()
        + &numbered(3000, |number| {
            format!("control c{}(inout bit<32> y) {{ c{number}() k; apply {{ k.apply(y); }} }}", number + 1)
        });
    refused(&program(&controls, "", "c3000() k;", "k.apply(m.y);"), "inside one another");
}

#[test]
fn registers_of_types_that_double_are_refused() {
    refused(&program(&doubling(), "", "register<s40>(4) r;", "s40 v; r.read(v, 0);"), "more than");
}

/// Cases of a `switch` stand beside each other in the program, and so they must in what it becomes.
#[test]
fn a_switch_of_many_cases_reads_back() {
    let cases = numbered(5000, |number| format!("{number}: {{ m.y = {number}; }}"));
    let program = lowered(&program("", "", "", &format!("switch (hdr.h.b) {{ {cases} default: {{ }} }}"))).unwrap();
    assert_eq!(ir::parse::program("main", &program.to_string()).unwrap(), program);
}
