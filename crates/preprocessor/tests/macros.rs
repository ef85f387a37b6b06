//! Macro expansion. Most of the expected results are from C11 6.10.3.5.

mod common;

use common::{findings, good};

#[test]
fn expands_macros_token_by_token() {
    for (text, expected) in [
        ("#define SUM 1 + 2\nSUM * 3", "1 + 2 * 3"),
        (
            "#define MAX(a, b) ((a) > (b) ? (a) : (b))\nMAX(x, MAX(1, y))",
            "( ( x ) > ( ( ( 1 ) > ( y ) ? ( 1 ) : ( y ) ) ) ? ( x ) : ( ( ( 1 ) > ( y ) ? ( 1 ) : ( y ) ) ) )",
        ),
        ("#define CALL(f, x) f(x)\n#define I(x) x + 1\nCALL(I, 4)", "4 + 1"),
        ("#define NOTHING\n#define F() 8\nNOTHING F() NOTHING", "8"),
        ("#define F (4)\nF", "( 4 )"),
        ("#define F(x) x\nF ;\nF\n(1) F(()) F((a, b)) F()", "F ; 1 ( ) ( a , b )"),
        ("#define A B\n#define B 3\n#undef B\n#define B 4\nA", "4"),
        ("#define WORD bit < 8 >\nWORD apply", "bit < 8 > apply"),
        ("#define apply run\nt.apply();", "t . run ( ) ;"),
        ("#define LONG 1 + \\\n 2 /* and\n */ + 4 // more\nLONG", "1 + 2 + 4"),
        (
            "#define LOG(text, ...) log_msg(text, {__VA_ARGS__})\nLOG(\"a\", b, (c, d)) LOG(\"e\")",
            "log_msg ( \"a\" , { b , ( c , d ) } ) log_msg ( \"e\" , { } )",
        ),
    ] {
        assert_eq!(good(text), expected, "{text}");
    }
}

#[test]
fn a_macro_is_not_expanded_inside_itself() {
    assert_eq!(good("#define x x + x\nx"), "x + x");
    assert_eq!(good("#define y z\n#define z y\ny z"), "y z");
    assert_eq!(good("#define h(x) x + 1\n#define g h\ng(h(h(1)))"), "1 + 1 + 1 + 1");
    // C11 6.10.3.5, example 3.
    let text = "#define x 3\n#define f(a) f(x * (a))\n#undef x\n#define x 2\n#define g f\n#define z z[0]\n\
                #define h g(~\n#define m(a) a(w)\n#define w 0,1\n#define t(a) a\n\
                f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);\ng(x+(3,4)-w) | h 5) & m\n(f)^m(m);";
    let expected = "f(2*(y+1))+f(2*(f(2*(z[0]))))%f(2*(0))+t(1);f(2*(2+(3,4)-0,1))|f(2*(~5))&f(2*(0,1))^m(0,1);";
    assert_eq!(good(text).replace(' ', ""), expected);
}

#[test]
fn operators_form_tokens_and_strings() {
    for (text, expected) in [
        ("#define FIELD(n) field_ ## n\nFIELD(3) FIELD(x)", "field_3 field_x"),
        ("#define SIZED(n, v) n##w##v\nSIZED(16, 0xF)", "16w0xF"),
        // An operand of `##` is not expanded, so `N` remains; one more macro around it expands it.
        ("#define N 8\n#define C(a, b) a##b\n#define D(a, b) C(a, b)\nC(N, 1) D(N, 1)", "N1 81"),
        ("#define C(a, b) a ## b\nC(, x) C(x, ) C(,) C(x y, z w) C(<, <)", "x x x yz w <<"),
        ("#define C(a, b, c) [a ## b ## c]\nC(,,) C(x,,y) C(,,y)", "[ ] [ xy ] [ y ]"),
        ("#define N 8\n#define S(x) #x\n#define T(x) S(x)\nS(N) T(N) S( a  +b ) S()", r#""N" "8" "a +b" """#),
        ("#define S(x) #x\nS(\"q\\n\" \\ )", r#""\"q\\n\" \\""#),
        ("#define X a ## b\nX", "ab"),
        // Operators that come from arguments are not operators (C11 6.10.3.3, paragraph 4).
        (
            "#define hash_hash # ## #\n#define mk(a) # a\n#define in(a) mk(a)\n#define join(c, d) in(c hash_hash d)\n\
             join(x, y)",
            "\"x ## y\"",
        ),
    ] {
        assert_eq!(good(text), expected, "{text}");
    }
}

#[test]
fn tokens_that_cannot_be_joined_stay_two() {
    for (text, expected) in [
        ("#define F(n) x_ ## n ## (a)\nF(u0)", "x_u0 ( a )"),
        ("#define F(n) h. ## n ## _e.valid()\nF(u0)", "h . u0_e . valid ( )"),
        ("#define C(a, b) a ## b\nC(+, 1) C(x, ;) C(], [)", "+ 1 x ; ] ["),
        // A macro name formed by `##` is still expanded, and is called if a parenthesis follows.
        ("#define f_1(x) [x]\n#define F(n) f_ ## n ## (2)\nF(1)", "[ 2 ]"),
    ] {
        assert_eq!(good(text), expected, "{text}");
    }
    // In these cases the author can hardly have intended two tokens.
    for (text, message) in [
        ("#define C(a, b) a ## b\nC(/, /)", "`/` and `/` do not make one token: they stay two"),
        ("#define C(a, b) a ## b\nC(\"x\", \"y\")", "a string and a string do not make one token"),
        ("#define C(a, b) a ## b\nC(\"x\", y)", "a string and `y` do not make one token"),
        ("#define C(a, b) a ## b\nC(*, /)", "`*` and `/` do not make one token"),
    ] {
        let found = findings(text);
        assert!(found.starts_with("warning") && found.contains(message), "{text}: {found}");
    }
}

#[test]
fn expands_the_line_and_file_macros() {
    assert_eq!(good("__LINE__\n#define HERE __FILE__ __LINE__\n\nHERE"), "1 \"main.c\" 4");
    assert_eq!(good("#if defined(__LINE__) && __LINE__ == 1\nyes\n#endif"), "yes");
}

#[test]
fn reports_malformed_macros() {
    for (text, message) in [
        ("#define 3\n", "expected the name of a macro"),
        ("#define defined 1\n", "expected the name of a macro"),
        ("#define\n", "expected the name of a macro"),
        ("#undef\n", "expected the name of a macro"),
        ("#define F(a, a) a\n", "parameters of this macro cannot be read"),
        ("#define F(..., a) a\n", "parameters of this macro cannot be read"),
        ("#define F(a\n", "never end"),
        ("#define F(a,\n", "never end"),
        ("#define S(a) #b\n", "must be followed by a parameter"),
        ("#define S(a) a ##\n", "joins nothing"),
        ("#define S ## a\n", "joins nothing"),
        ("#define F(a) a\nF(1, 2)\n", "takes 1 argument, not 2"),
        ("#define F() a\nF(1)\n", "takes 0 arguments, not 1"),
        ("#define F(a, b) a\nF()\n", "takes 2 arguments, not 1"),
        ("#define F(a) a\nF(1;\n", "never end"),
        ("#define F(a) a\nF(1\n#if 1\n)\n#endif\n", "never end"),
        ("#define A 1\n#define A 2\n", "is redefined"),
        ("#define A(x) x\n#define A(x) #x\n", "is redefined"),
        ("#defin A\n", "not a directive"),
    ] {
        assert!(findings(text).contains(message), "{text}: {}", findings(text));
    }
    assert_eq!(findings("#define A(x) x + 1\n#define A(x)  x + 1\n#undef B\n# /* nothing */\n"), "");
}

/// As the P4 compiler has it, which reads strings line by line.
#[test]
fn macros_without_parameters_are_expanded_in_strings_of_several_lines() {
    for (text, expected) in [
        ("#define N 0x8\n@r(\"a == N;\n b == N\") N", "@ r ( \"a == 0x8;\n b == 0x8\" ) 0x8"),
        // A string on one line is left alone, and so are comments and texts in quotes among the lines.
        ("#define N 8\n\"a == N\"", "\"a == N\""),
        ("#define N 8\n\"N // N\nN /* N\n*/ N 'N' don't N\n\"", "\"8 // N\n8 /* N\n*/ 8 'N' don't 8\n\""),
        // Only whole names are.
        ("#define N 8\n\"N_ xN 1N .N\u{e9}N\n\"", "\"N_ xN 1N .8\u{e9}8\n\""),
        ("#define SUM A + B\n#define A 1\n#define B (A)\n\"SUM\n\"", "\"1 + ( 1 )\n\""),
        ("#define A A B\n#define B A\n\"A\n\"", "\"A A\n\""),
        ("#define F(x) x\n#define NOTHING\n\"F(1)NOTHING\n\"", "\"F(1)\n\""),
        // Each line takes what is defined there.
        ("#define N 1\n\"N\n#undef N\n#define N 2\nN\n#undef N\nN\"", "\"1\n\n\n2\n\nN\""),
    ] {
        assert_eq!(good(text), expected, "{text}");
    }
}

/// Regression test: a quote in the macro would end the string early, so that reading the output again gave other text.
#[test]
fn macros_with_quotes_are_not_expanded_in_strings() {
    for text in [
        "#define A \"s\"\n\"a\nA\"",
        "#define A __FILE__\n\"a\nA\"",
        "#define A x '\n\"a\nA\"",
        "#define A \\x\n\"a\nA\"",
        "\n#define A\"aaa\n#else\nA\"s\"",
    ] {
        let found = findings(text);
        assert!(found.contains("the macro `A` cannot be expanded in a string"), "{text}: {found}");
    }
}
