//! Property tests: on any input, the preprocessor ends without a panic, after work that its limits bound, and all
//! locations lie inside the sources. Run `PROPTEST_CASES=1000000 cargo test -p polyplane-preprocessor --test fuzz` for longer.

mod common;

use common::{PLAIN, Run, TYPED};
use preprocessor::{Language, Options};
use proptest::prelude::*;

fn try_input(language: &Language, text: &str) -> Run {
    let files = [("a.h", "#include \"b.h\"\n#define A(x) x x\n"), ("b.h", "#include \"a.h\"\nint b;\n"), ("c.h", "'")];
    let definitions = vec![("N".to_owned(), "8".to_owned())];
    let options = Options { search_paths: vec!["d".to_owned()], definitions };
    let run = Run::of(language, text, &files, &options);
    let pieces = &run.result.pieces;
    assert!(pieces.len() <= language.limits.tokens);
    for piece in pieces {
        let text = run.sources.text(piece.span.source);
        assert!(text.get(piece.span.start as usize..piece.span.end as usize).is_some(), "{piece:?}");
    }
    run
}

/// Fragments of directives and macros, and of malformed ones.
const WORDS: [&str; 67] = [
    "a",
    "b",
    "A",
    "A(",
    "F(x)",
    "F",
    "N",
    "(",
    ")",
    ",",
    "x",
    "...",
    "__VA_ARGS__",
    "__LINE__",
    "__FILE__",
    "defined",
    "#",
    "##",
    "\"s\"",
    "\"",
    "'",
    "'c'",
    "\\",
    "\\\n",
    "\n",
    "//",
    "/*",
    "*/",
    "é",
    "0",
    "1",
    "8w0xF",
    "0x",
    "99999999999999999999",
    "+",
    "-",
    "/",
    "%",
    "<<",
    ">",
    ">=",
    "==",
    "&&",
    "||",
    "?",
    ":",
    "!",
    "{#}",
    "@pragma",
    "bit",
    "\n#define A",
    "\n#define F(x)",
    "\n#define F(x, ...)",
    "\n#define a",
    "\n#undef A",
    "\n#if",
    "\n#ifdef A",
    "\n#elif",
    "\n#else\n",
    "\n#endif\n",
    "\n#include \"a.h\"\n",
    "\n#include \"c.h\"\n",
    "\n#include <library.h>\n",
    "\n#include A\n",
    "\n#error",
    "\n#pragma once\n",
    "\n#include \"main.c\"\n",
];

fn soup() -> impl Strategy<Value = String> {
    let words = prop::collection::vec((prop::sample::select(WORDS.to_vec()), any::<bool>()), 0..80);
    words.prop_map(|words| {
        words.iter().map(|(word, blank)| format!("{word}{}", if *blank { " " } else { "" })).collect()
    })
}

fn cases(default: u32) -> ProptestConfig {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(default);
    ProptestConfig {
        cases,
        max_shrink_iters: 2000,
        max_global_rejects: 1 << 20,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn survives_arbitrary_bytes(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let text = String::from_utf8_lossy(&bytes);
        try_input(&TYPED, &text);
        try_input(&PLAIN, &text);
    }

    #[test]
    fn survives_arbitrary_sequences_of_tokens(text in soup()) {
        try_input(&TYPED, &text);
        try_input(&PLAIN, &text);
    }

    /// Preprocessing the output again does not change it, because it contains no directives or macros. After an error
    /// it may: a string whose end is missing can end in a `\`, which escapes the quote that is written after it.
    #[test]
    fn output_is_a_fixed_point(text in soup()) {
        let run = try_input(&TYPED, &text);
        let output = run.text();
        // The name of a macro inside its own expansion remains, but would be expanded in a second run.
        let is_expanded = |word: &str| ["a", "A", "F", "N"].contains(&word) || word.starts_with("__");
        prop_assume!(!run.result.diagnostics.has_errors());
        if !output.split(' ').any(is_expanded) {
            prop_assert_eq!(try_input(&TYPED, &output).text(), output);
        }
    }
}

/// Each of these inputs once took unbounded time or memory, or would without its limit.
#[test]
fn reports_limits_on_hostile_texts() {
    let mut doubling = "#define A0 x x\n".to_owned();
    let mut pasting = "#define C(a, b) a##b\n#define D(a) C(a, a)\n#define B0 xxxxxxxx\n".to_owned();
    for level in 1..60 {
        doubling.push_str(&format!("#define A{level} A{} A{}\n", level - 1, level - 1));
        pasting.push_str(&format!("#define B{level} D(B{})\n", level - 1));
    }
    let nested = format!("#define F(x) x\n{}1{}", "F(".repeat(5000), ")".repeat(5000));
    for (text, reason) in [
        (doubling + "A59", "once its macros are expanded"),
        (pasting + "B59", "more than"),
        (nested, "deep"),
        (format!("#define F({}) x", (0..3000).map(|n| format!("p{n}")).collect::<Vec<_>>().join(",")), "parameters"),
        (" ".repeat((4 << 20) + 1), "longer than"),
        ("#if 1\n".repeat(200_000), "no `#endif`"),
        (format!("{}{}", "#if 0\n".repeat(100_000), "x\n".repeat(200_000)), "no `#endif`"),
        ("#define F(x) x\nF\n(".repeat(100_000), "never end"),
        ("/*".repeat(1 << 20), "never ends"),
        ("#include \"no.h\"\n".repeat(100_000), "no such file"),
    ] {
        let found = try_input(&TYPED, &text).findings();
        assert!(found.contains(reason), "{reason}: {}", &found[..found.len().min(500)]);
    }
}

/// Regression test: each unclosed string used to search the whole remaining text for its end.
#[test]
fn reads_unclosed_strings_in_linear_time() {
    assert_eq!(try_input(&TYPED, &"\\\"\n".repeat(200_000)).result.pieces.len(), 400_000);
}
