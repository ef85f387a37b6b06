//! Programs that nobody writes by hand: each is refused, or compiled, in bounded time and stack.

mod common;
#[path = "../../basis/tests/common/on_all_cores.rs"]
mod on_all_cores;

use common::{errors, try_compile};
use on_all_cores::on_all_cores;

fn with(statements: &str) -> String {
    format!("register : 32 a; register : 32 b; on packet goto start; start: begin {statements} exit; end")
}

#[test]
fn deep_nesting_is_refused() {
    let deep = |open: &str, inside: &str, close: &str| format!("{}{inside}{}", open.repeat(5000), close.repeat(5000));
    let texts = [
        with(&format!("a = {};", deep("(", "1", ")"))),
        with(&format!("a = {};", deep("-", "1", ""))),
        with(&format!("a = {};", deep("a + ", "1", ""))),
        with(&format!("a = {};", deep("b ? ", "1", " : 2"))),
        with(&deep("if (a) { ", "b = 1;", " }")),
        with(&deep("{", "", "}")),
        with(&deep("if (a) b = 1; else ", "b = 1;", "")),
        with(&deep("switch (a) { default: ", "b = 1;", " }")),
        format!("{} on packet goto start; start: begin exit; end", deep("struct { a : 8; ", "b : 8;", " };")),
        with(&format!("a = {};", deep("sizeof ", "a", ""))),
        with(&format!("a = {};", deep("a[", "1", "]"))),
    ];
    on_all_cores(&texts, |text| assert!(errors(text).contains("error")));
}

#[test]
fn values_cannot_grow_without_end() {
    let names: String = (1..40).map(|level| format!("const : x{level} = x{0} + x{0};", level - 1)).collect();
    let found = errors(&with(&format!("const : x0 = a; {names} b = x39;")));
    assert!(found.contains("too much for one instruction"), "{found}");
    // Each use of a large value counts, in all instructions together.
    let large: String = (1..10).map(|level| format!("const : x{level} = x{0} + x{0};", level - 1)).collect();
    let uses: String = (0..200).map(|field| format!("m[{field}] = x9;")).collect();
    let many: String = (0..6).map(|_| format!("begin const : x0 = a; {large} {uses} end ")).collect();
    let found = errors(&format!("memory : 8 m[200]; register : 32 a; on packet goto s; s: {many} begin exit; end"));
    assert!(found.contains("the program has too many operations"), "{found}");
}

#[test]
fn names_that_look_like_names_of_ours_are_kept_apart() {
    let text = "register : 8 undefined, bit; on packet goto start;
        begin undefined = 1; end start: begin bit = 2; f(); end begin exit; end
        void f() { start: begin bit = 3; end _1: begin return; end }";
    let (program, _) = try_compile(text).expect("it is valid");
    let names: Vec<&str> =
        program.threads.iter().flat_map(|threads| &threads.instructions).map(|one| &*one.name).collect();
    assert_eq!(names, ["begin", "start", "start.1", "f.start", "f._1"]);
    let read = ir::parse::program("test", &program.to_string()).unwrap_or_else(|failure| panic!("{failure}"));
    assert_eq!(read, program);
}

#[test]
fn long_programs_compile() {
    let many: String = (0..20_000).map(|place| format!("l{place}: begin a = b + {place}; end\n")).collect();
    let text = format!("register : 32 a, b; on packet goto l0; {many} begin exit; end");
    let (program, _) = try_compile(&text).expect("it is valid");
    assert_eq!(program.threads.expect("threads").instructions.len(), 20_001);
}

#[test]
fn many_ways_out_of_an_instruction_compile() {
    let ways: String = (0..500).map(|way| format!("if (a == {way}) {{ b = {way}; goto start; }} ")).collect();
    // Each way is only written if no earlier one was taken, so the conditions grow: this is refused, not slow.
    assert!(errors(&with(&ways)).contains("written twice") || errors(&with(&ways)).contains("too much"));
    let cases: String = (0..100).map(|way| format!("case {way}: goto start;")).collect();
    assert!(try_compile(&with(&format!("switch (a) {{ {cases} default: break; }}"))).is_ok());
}

#[test]
fn chains_of_calls_take_bounded_stack() {
    let many: String = (0..3000).map(|place| format!("void f{place}() {{ begin f{}(); end }}", place + 1)).collect();
    let text =
        format!("on packet goto s; s: begin f0(); end begin exit; end {many} void f3000() {{ begin return; end }}");
    let found = errors(&text);
    assert!(found.contains("nested"), "{found}");
}

#[test]
fn a_hundred_errors_are_enough() {
    let wrong: String = (0..5000).map(|place| format!("begin a = unknown{place}; end\n")).collect();
    let found = errors(&format!("register : 32 a; on packet goto s; s: {wrong} begin exit; end"));
    assert!(found.matches("is not declared").count() <= 101);
}
