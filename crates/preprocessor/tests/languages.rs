//! Differences between languages other than the pieces themselves.

mod common;

use common::{PLAIN, Run, TYPED};
use preprocessor::{Language, Limits, Options};

fn run(language: &Language, text: &str) -> Run {
    Run::of(language, text, &[], &Options::default())
}

#[test]
fn plain_macros_refuse_operators() {
    let run_plain = run(&PLAIN, "#define TWICE(x) x + x\n#define N 2\nTWICE(N)");
    assert_eq!((run_plain.text().as_str(), run_plain.findings().as_str()), ("2 + 2", ""));
    for (definition, message) in [
        ("#define F(x) #x", "`#` in a macro is not supported"),
        ("#define F(x) a##x", "`##` in a macro is not supported"),
        ("#define F a#x", "`#` in a macro is not supported"),
        ("#define F(x, ...) x", "the parameters of this macro cannot be read"),
    ] {
        let found = run(&PLAIN, definition).findings();
        assert!(found.contains(message), "{definition}: {found}");
        // In an object-like macro, `#` has no special meaning.
        assert_eq!(run(&TYPED, definition).findings(), "", "{definition}");
    }
}

#[test]
fn conditions_use_characters_and_shifts_of_the_language() {
    for (condition, value) in [("'a' == 97", "yes"), ("8 >> 1 == 4", "yes"), ("'a' - 97", "no")] {
        let text = format!("#if {condition}\nyes\n#else\nno\n#endif");
        assert_eq!(run(&PLAIN, &text).text(), value, "{condition}");
    }
    assert_eq!(run(&TYPED, "#if 8 >> 1 == 4\nyes\n#endif").text(), "yes");
    assert!(run(&PLAIN, "#if 'ab'\n#endif").findings().contains("`'ab'` is not a valid character"));
    assert!(run(&PLAIN, "#if 'a\n#endif").findings().contains("this `'` is never closed"));
    assert!(run(&TYPED, "#if 'a'\n#endif").findings().contains("a `'` here means nothing"));
}

#[test]
fn applies_the_limits_of_the_language() {
    let small = Language { limits: Limits { tokens: 20, includes: 2 }, ..TYPED };
    let text = "#define F(x) x x x x x\nF(F(a))";
    assert!(run(&small, text).findings().contains("longer than 20 tokens once its macros are expanded"));
    assert_eq!(run(&TYPED, text).findings(), "");
    let text = "#include \"a.h\"\n".repeat(3);
    let found = Run::of(&small, &text, &[("a.h", "a")], &Options::default());
    assert!(found.findings().contains("more than 2 included files in all"), "{}", found.findings());
}
