//! Conditional inclusion: `#if`, `#ifdef`, `#elif` and the others.

mod common;

use common::{Run, findings, good};
use preprocessor::Options;

fn holds(condition: &str) -> bool {
    good(&format!("#define A 3\n#define EMPTY\n#if {condition}\nyes\n#else\nno\n#endif")) == "yes"
}

#[test]
fn evaluates_conditions_as_c_does() {
    for condition in [
        "A == 3 && defined(A) && !defined B && UNKNOWN == 0",
        "1 + 2 * 3 == 7 && (1 + 2) * 3 == 9",
        "10 - 4 - 3 == 3 && 100 / 10 / 5 == 2",
        "1 << 4 >> 2 == 4 && -8 >> 1 == -4",
        "0xFF == 255 && 0b101 == 5 && 010 == 8 && 10UL == 10 && 1_000 == 1000",
        "~0 == -1 && -(-1) == 1 && !0 && !!5 == 1 && - 2 + 3 == 1",
        "1 ? 1 : 0 ? 0 : 0",
        "0 ? 0 : 1",
        "1 || 1 / 0",
        "!(0 && 1 / 0) && (1 ? 1 : 1 / 0)",
        "(6 & 3) == 2 && (6 | 1) == 7 && (6 ^ 3) == 5 && 7 % 4 == 3",
        "A >= 3 && A <= 3 && A != 4 && 2 < A && 4 > A EMPTY",
        "V1MODEL_VERSION < 20200408",
        "1 << 99 == 0",
    ] {
        assert!(holds(condition), "{condition}");
    }
    for condition in ["0", "defined B", "defined(B) || !defined(A)", "A - A", "true"] {
        assert!(!holds(condition), "{condition}");
    }
}

#[test]
fn skipped_groups_may_hold_any_text() {
    let text = "#if 0\n don't \"even lex\n 0xZZ é\n#error no\n#include \"no\"\n#nonsense\n#if 1\nin\n#else\nin\n#endif\n\
                #elif 1 == 2\na\n#elif 1\nb\n#elif 1 / 0\nc\n#else\nd\n#endif\n#ifndef X\ne\n#endif\n#ifdef X\nf\n#endif";
    assert_eq!(good(text), "b e");
}

#[test]
fn conditions_select_lines_of_a_string() {
    let text = "@r(\"\n#ifdef X\n  a == 1;\n#else\n  a == 2; // why\n#endif\n  b \\\" c\n \") next";
    // Directives and skipped lines become empty lines, so that all other lines keep their numbers.
    assert_eq!(good(text), "@ r ( \"\n\n\n\n  a == 2; // why\n\n  b \\\" c\n \" ) next");
    let with_x = format!("#define X\n{text}");
    assert_eq!(good(&with_x), "@ r ( \"\n\n  a == 1;\n\n\n\n  b \\\" c\n \" ) next");
    // A whole string may be skipped.
    assert_eq!(good("#if 0\n\"a\n#if 1\nb\n#endif\n\"\n#endif\nc"), "c");
    // A line that does not begin with the name of a directive is text.
    assert_eq!(good("\"a\n# b\n#c\n\""), "\"a\n# b\n#c\n\"");
    assert_eq!(good("\"a\n#define N 3\n\" N"), "\"a\n\n\" 3");
    for (text, message) in [
        ("\"a\n#error stop\n\"", "#error: stop"),
        ("\"a\n#if 1\n\"", "has no `#endif`"),
        ("\"a\n#if 0\nb\"\n#endif\nc", "the end of this string is left out"),
        ("#if 0\n\"a\n#endif\nb\"", "a string whose beginning is left out"),
    ] {
        assert!(findings(text).contains(message), "{text}: {}", findings(text));
    }
}

#[test]
fn reports_malformed_conditionals() {
    for (text, message) in [
        ("#if 1\n", "has no `#endif`"),
        ("#endif\n", "`#endif` without an `#if`"),
        ("#else\n", "`#else` without an `#if`"),
        ("#if 0\n#else\n#else\n#endif\n", "after the `#else`"),
        ("#if 1 +\n#endif\n", "expected a value"),
        ("#if\n#endif\n", "expected a value"),
        ("#if 1 2\n#endif\n", "should end here"),
        ("#if (1\n#endif\n", "expected `)`"),
        ("#if 1 ? 2\n#endif\n", "expected `:`"),
        ("#if 1 / 0\n#endif\n", "divides by zero"),
        ("#if 8w1\n#endif\n", "is not an integer"),
        ("#if \"a\"\n#endif\n", "expected a value in this condition, not a string"),
        ("#if defined(3)\n#endif\n", "without the name of a macro"),
        ("#error don't do this\n", "#error: don't do this"),
        ("#error\n", "#error: (no message)"),
        ("#warning slow\n", "#warning: slow"),
    ] {
        assert!(findings(text).contains(message), "{text}: {}", findings(text));
    }
    for open in ["(", "!", "1 ? 1 : ", "1 + ("] {
        let found = findings(&format!("#if {}1\n#endif", open.repeat(100_000)));
        assert!(found.contains("deep"), "{open}");
    }
}

#[test]
fn defines_the_macros_of_the_caller() {
    let definitions = [("A", "1"), ("F(x)", "x + A"), ("B", "1\n#error no")];
    let definitions = definitions.map(|(name, text)| (name.to_owned(), text.to_owned())).to_vec();
    let options = Options { definitions, ..Options::default() };
    let run = Run::new("#ifdef A\nF(2)\n#endif", &[], &options);
    assert_eq!((run.text().as_str(), run.findings().as_str()), ("2 + 1", ""));
}

#[test]
fn ignores_line_markers_of_other_tools() {
    assert_eq!(good("#line 7 \"a.p4\"\n# 1 \"a.p4\"\n#pragma anything 'goes\na\n#\nb"), "a b");
}
