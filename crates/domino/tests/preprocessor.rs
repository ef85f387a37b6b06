//! Macros and included files, tested by the behaviour of the program and by the locations of errors.

mod common;

use common::{Run, errors, try_compile, try_compile_with, value_of};

/// Returns the value of `expression` in a program that begins with `lines`.
fn value_after(lines: &str, expression: &str) -> i32 {
    let text = format!("{lines}\nstruct Packet {{ int r; }};\nvoid f(struct Packet p) {{ p.r = {expression}; }}");
    Run::new(&text).packet(&[0])[0]
}

#[test]
fn macros_substitute_text_rather_than_values() {
    assert_eq!(value_after("#define SUM 1 + 2", "SUM * 3"), 7);
    assert_eq!(value_after("#define TWICE(x) x + x", "TWICE(2) * 10"), 22);
    assert_eq!(value_after("#define MAX(a, b) ((a) > (b) ? (a) : (b))", "MAX(MAX(3, 9), MAX(4, 5))"), 9);
    assert_eq!(value_after("#define CALL(f, x) f(x)\n#define INCREMENT(x) ((x) + 1)", "CALL(INCREMENT, 4)"), 5);
    assert_eq!(value_after("#define NOTHING\n#define F() 8", "NOTHING F() NOTHING"), 8);
    assert_eq!(value_after("#define F (4)", "F"), 4);
    assert_eq!(value_after("#define LONG 1 + \\\n 2 /* and\n */ + 4 // more", "LONG"), 7);
    assert_eq!(value_after("#define A B\n#define B 3\n#undef B\n#define B 4", "A"), 4);
    assert_eq!(value_after("#define COMMA(x) x\n", "COMMA((1 + 2) * 3)"), 9);
}

#[test]
fn a_macro_is_not_expanded_inside_itself() {
    let text = "#define x x + x\nint x = 3; struct Packet { int r; }; void f(struct Packet p) { p.r = x; }";
    // `int x = 3` becomes `int x + x = 3`, which is one error.
    assert_eq!(errors(text).matches("error:").count(), 1);
    let text = "int y = 3; struct Packet { int r; };\n#define y z\n#define z y\nvoid f(struct Packet p) { p.r = y; }";
    assert_eq!(Run::new(text).packet(&[0]), [3]);
    assert_eq!(value_after("#define h(x) ((x) + 1)\n#define g h", "g(h(h(1)))"), 4);
}

#[test]
fn conditions_select_lines() {
    let lines = "#define A 3
        #if A == 3 && defined(A) && !defined B && UNKNOWN == 0
        #define R 10
        #elif 1
        #define R 20
        #else
        #define R 30
        #endif
        #ifndef R
        #error not here
        #if 1
        don't even ' lex
        #endif
        #else
        # /* nothing */
        #endif
        #if 1 / 2
        #elif A > 2
        #define S 1
        #endif";
    assert_eq!(value_after(lines, "R + S"), 11);
    for (text, message) in [
        ("#if 1\n", "has no `#endif`"),
        ("#endif\n", "without an `#if`"),
        ("#if 0\n#else\n#else\n#endif\n", "after the `#else`"),
        ("#if 1 +\n#endif\n", "expected a value"),
        ("#if 1 2\n#endif\n", "should end here"),
        ("#define 3\n", "expected the name of a macro"),
        ("#define F(a, a) a\n", "parameters of this macro"),
        ("#define F(a\n", "never end"),
        ("#define S(a) #a\n", "not supported"),
        ("#define F(a) a\nint x = F(1, 2);\n", "takes 1 argument, not 2"),
        ("#define F(a) a\nint x = F(1;\n", "never end"),
        ("#defin A\n", "did you mean `define`?"),
        ("#error too old\n", "this directive stops the compilation"),
    ] {
        assert!(errors(text).contains(message), "{text}: {}", errors(text));
    }
}

/// Conditions are evaluated in the widest integer type (C11 6.10.1), whereas programs compute with 32 bits.
#[test]
fn evaluates_conditions_in_64_bits() {
    let lines =
        "#if 0x80000000 > 0 && 'a' == 97 && '\\xff' == -1 && 8 >> 1 == 4\n#define R 1\n#else\n#define R 2\n#endif";
    assert_eq!(value_after(lines, "R"), 1);
    assert_eq!(value_after("", "\n__LINE__"), 4);
}

#[test]
fn include_paths_are_relative_to_the_including_file() {
    let files = [
        ("headers/a.h", "#ifndef A_H\n#define A_H\n#include \"deep/b.h\"\n#define A (B + 1)\n#endif\n"),
        ("headers/deep/b.h", "#pragma once\n#define B 4\nint twice(int x) { return 2 * x; }\n#include \"b.h\"\n"),
    ];
    let text = "#include \"headers/a.h\"\n#include \"headers/a.h\"\n#include \"hashes.h\"\n#include <hashes.h>
        struct Packet { int r; }; int n[A]; void f(struct Packet p) { p.r = twice(A); }";
    let (program, warnings) = try_compile_with(text, &files).unwrap();
    assert_eq!(program.registers[0].length, Some(5));
    assert!(warnings.contains("`n` is never used"), "{warnings}");
}

#[test]
fn shows_errors_in_included_files() {
    let files = [("state.h", "int count;\nint cuont = cont;\n")];
    let text = "#include \"state.h\"\nstruct Packet { int r; };\nvoid f(struct Packet p) { p.r = count; }";
    let found = try_compile_with(text, &files).unwrap_err();
    assert!(found.contains("state.h:2:13"), "{found}");
}

#[test]
fn reports_missing_and_recursive_includes() {
    let found = errors("#include \"no.h\"\n#include\n#include <stdint.h>\n#include \"half\n");
    for part in ["there is no such file", "without a file name", "no system header", "test.c:4:1"] {
        assert!(found.contains(part), "{part}: {found}");
    }
    let found = try_compile_with("#include \"a.h\"\n", &[("a.h", "#include \"a.h\"\n#include \"a.h\"\n")]).unwrap_err();
    assert!(found.contains("includes itself"), "{found}");
}

/// The public collection declares its hash functions in a header, in C that is not Domino.
#[test]
fn hash_functions_override_headers_and_programs() {
    let never = |_: &str| -> Result<String, String> { panic!("the header must not be read") };
    let text = "#include \"../hashes.h\"\nstruct Packet { int a; };\nvoid f(struct Packet p) { p.a = hash2(p.a, 1); }";
    let mut sources = diagnostics::Sources::new();
    domino::compile(&mut sources, "dir/x.c", text, &never).unwrap();

    let own = "int hash2(int a, int b);\nint hash3(int a, int b, int c) { return 1; }\nstruct Packet { int a; };
               void f(struct Packet p) { p.a = hash3(p.a, 1, 2); }";
    let (program, warnings) = try_compile(own).unwrap();
    assert!(program.to_string().contains("a = hash3(a, 1i32, 2i32)"));
    assert!(warnings.contains("this body is not used"), "{warnings}");
}

#[test]
fn errors_show_the_use_and_the_definition_of_a_macro() {
    let found = errors("#define LIMIT limt + 1\nstruct Packet { int a; };\nvoid f(struct Packet p) { p.a = LIMIT; }");
    assert!(found.contains("test.c:3:33") && found.contains("from the macro `LIMIT`"), "{found}");
    // An argument is text that the author wrote, at its own location.
    let found = errors("#define ID(x) (x)\nstruct Packet { int a; };\nvoid f(struct Packet p) { p.a = ID(1 + q); }");
    assert!(found.contains("test.c:3:40"), "{found}");
}

#[test]
fn line_splices_and_comments_keep_locations() {
    let found = errors("struct Packet { int a; }; /* é \\\n\n */ void f(struct \\\nPacket p) { p.b = 1; }");
    assert!(found.contains("test.c:4:15"), "{found}");
    assert_eq!(value_of("a /* b */ + /* c\n */ 1 // d\n", 1, 0, 0), 2);
}
