//! Hostile inputs: each must be rejected, quickly and in little memory, or compile.

mod common;

use common::{compile, errors, try_compile, try_compile_with};

/// Returns a program whose packet function consists of the given statements.
fn program(statements: &str) -> String {
    format!("int s; struct Packet {{ int a; }};\nvoid f(struct Packet p) {{ {statements} }}")
}

#[test]
fn limits_exponential_macro_expansion() {
    let mut doubling = String::from("#define M0 1 +\n");
    let mut vanishing = String::from("#define M0\n");
    let mut calling = String::from("#define M0(x) x x\n");
    for level in 1..60 {
        doubling += &format!("#define M{level} M{0} M{0}\n", level - 1);
        vanishing += &format!("#define M{level} M{0} M{0}\n", level - 1);
        calling += &format!("#define M{level}(x) M{0}(x x) M{0}(x)\n", level - 1);
    }
    for (macros, call) in [(doubling, "M59"), (vanishing, "M59"), (calling, "M59(1)")] {
        let found = errors(&format!("{macros}{}", program(&format!("p.a = {call} 1;"))));
        assert!(found.contains("once its macros are expanded"), "{found}");
    }
    let nested = format!("#define F(x) x\n{}", program(&format!("p.a = {}1{};", "F(".repeat(500), ")".repeat(500))));
    assert!(errors(&nested).contains("nested more than 64 deep"));
}

#[test]
fn limits_recursive_includes() {
    let bomb = "#include \"a.h\"\n#include \"a.h\"\n";
    assert!(try_compile_with(bomb, &[("a.h", bomb)]).unwrap_err().contains("more than 32 nested included files"));
    let wide = "#include \"a.h\"\n".repeat(1000);
    let found = try_compile_with(&wide, &[("a.h", "#define A\n")]).unwrap_err();
    assert!(found.contains("more than 256 included files in all"), "{found}");
    let long = [("a.h", &*"/".repeat(5 << 20))];
    assert!(try_compile_with("#include \"a.h\"", &long).unwrap_err().contains("longer than"));
}

#[test]
fn rejects_deep_nesting_without_stack_overflow() {
    let deep = 100_000;
    let cases = [
        format!("p.a = {}1{};", "(".repeat(deep), ")".repeat(deep)),
        format!("p.a = {}1;", "- ".repeat(deep)),
        format!("p.a = {}1;", "!".repeat(deep)),
        format!("p.a = {}1;", "1 ? 2 : ".repeat(deep / 2)),
        format!("p.a = {}1;", "1 ? ".repeat(deep)),
        format!("p.a = 1{};", " + 1".repeat(deep)),
        format!("p.a = {}1;", "(a || b && c | d ^ e & f == g < h << i + j * ".repeat(deep / 20)),
        format!("p.a = {}", "hash2(".repeat(deep)),
        format!("p.a = {}", "s[".repeat(deep)),
        format!("p.a = {}", "(int)".repeat(deep / 2)),
        "{".repeat(deep),
        "if (1) ".repeat(deep / 2),
        "if (1) { ".repeat(deep / 2),
        "if (1) ; else ".repeat(deep / 2),
    ];
    for statements in cases {
        let found = errors(&program(&statements));
        assert!(found.contains("levels deep"), "{}: {found}", &statements[..40]);
    }
    // Each of these loops is an error of its own, and the list of errors is full before the depth limit is reached.
    assert!(errors(&program(&"for (;;)\n".repeat(deep / 4))).contains("loops are not part of Domino"));
    let found = errors(&format!("#if {}1\n#endif\n", "!".repeat(deep)));
    assert!(found.contains("levels deep"), "{found}");
}

#[test]
fn accepts_the_greatest_nesting_depth() {
    let deep = 75;
    for statements in [
        format!("p.a = {}s{};", "(1 + ".repeat(deep), ")".repeat(deep)),
        format!("p.a = {}s;", "!-".repeat(deep)),
        format!("p.a = {}s;", "1 ? 2 : ".repeat(deep)),
        format!("{} p.a = 1;", "if (s) { s += 1; } else ".repeat(deep)),
        format!("p.a = s{};", " - 1".repeat(deep)),
    ] {
        let program = compile(&program(&statements));
        let read = ir::parse::program("test", &program.to_string()).unwrap();
        assert_eq!(read, program, "{statements}");
    }
}

#[test]
fn limits_exponential_inlining() {
    let mut functions = String::from("int f0(int x) { return x + 1; }\n");
    let mut chain = functions.clone();
    for level in 1..2000 {
        functions += &format!("int f{level}(int x) {{ return f{0}(x) + f{0}(x); }}\n", level - 1);
        chain += &format!("int f{level}(int x) {{ return f{0}(x) + 1; }}\n", level - 1);
    }
    let call = "struct Packet { int a; }; void f(struct Packet p) { p.a = f1999(p.a); }";
    assert!(errors(&format!("{chain}{call}")).contains("once its functions are inlined"));
    assert!(errors(&format!("{functions}{call}")).contains("once its functions are inlined"));
    let call = call.replace("1999", "30");
    assert!(errors(&format!("{functions}{call}")).contains("more than 65536 operations"));
}

#[test]
fn consecutive_returns_do_not_double_the_program() {
    // In each `if`, the function may end in one branch and continue in the other.
    let choice = "if (x > 1) { if (x > 2) return 1; x += 1; } else { if (x < 5) return 2; x -= 1; }\n";
    let text = format!(
        "struct Packet {{ int a; }}; int g(int x) {{ {} return x; }} void f(struct Packet p) {{ p.a = g(p.a); }}",
        choice.repeat(40)
    );
    let lines = compile(&text).to_string().lines().count();
    assert!(lines < 40 * 25, "{lines} lines");
}

#[test]
fn limits_the_length_of_programs() {
    assert!(errors(&program(&"p.a = 1;".repeat(1 << 17))).contains("longer than 262144 tokens"));
    assert!(errors(&"x".repeat(5 << 20)).contains("is longer than 4194304 bytes"));
    assert_eq!(compile(&program(&"p.a = s;".repeat(20_000))).packet.len(), 20_000);
    let many: String =
        (0..5000).map(|number| format!("int t = {number}; {{ int t = 1; p.a = t; }} p.a = t; }} {{")).collect();
    compile(&program(&format!("{{ {many} }}")));
}

#[test]
fn limits_the_size_of_state() {
    let arrays: String = (0..3).map(|number| format!("int t{number}[1 << 26];\n")).collect();
    let (arrays, fits) = (arrays + &program(""), format!("int t[1 << 26];\n{}", program("")));
    assert!(errors(&arrays).contains("the state has more than"));
    assert_eq!(try_compile(&fits).unwrap().0.registers[0].length, Some(1 << 26));
}

/// Regression test: each `=` of the chain used to be reported, which displaced every other error.
#[test]
fn reports_a_chain_of_assignments_once() {
    let found = errors(&program(&format!("p.a = {}1; q = 2;", "p.a = ".repeat(10_000))));
    assert_eq!(found.matches("error:").count(), 2);
}

#[test]
fn limits_the_number_of_errors() {
    let found = errors(&program(&"q = 1;\n".repeat(20_000)));
    assert_eq!(found.matches("error:").count(), 100);
    assert!(errors(&"}".repeat(100_000)).matches("error:").count() <= 100);
}
