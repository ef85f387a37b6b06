//! Whatever comes in, the preprocessor ends without a panic, after work that its limits bound, with one end token
//! and spans inside the sources. `PROPTEST_CASES=1000000 cargo test -p p4 fuzz` goes on for longer.

use proptest::prelude::*;

use super::Run;
use crate::limits::MOST_TOKENS;
use crate::preprocessor::Options;
use crate::token::TokenKind;

fn try_input(text: &str) -> Run {
    let files = [("a.h", "#include \"b.h\"\n#define A(x) x x\n"), ("b.h", "#include \"a.h\"\nint b;\n"), ("c.h", "'")];
    let definitions = vec![("N".to_owned(), "8".to_owned())];
    let run = Run::new(text, &files, &Options { search_paths: vec!["d".to_owned()], definitions });
    let tokens = &run.result.tokens;
    assert!(tokens.len() <= MOST_TOKENS + 1);
    assert_eq!(tokens.iter().filter(|token| token.kind == TokenKind::End).count(), 1);
    assert_eq!(tokens.last().map(|token| &token.kind), Some(&TokenKind::End));
    for token in tokens {
        let text = run.sources.text(token.span.source);
        assert!(text.get(token.span.start as usize..token.span.end as usize).is_some(), "{token:?}");
    }
    run
}

const WORDS: [&str; 66] = [
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
    "\n#include <core.p4>\n",
    "\n#include A\n",
    "\n#error",
    "\n#pragma once\n",
    "\n#include \"main.p4\"\n",
];

fn soup() -> impl Strategy<Value = String> {
    let words = prop::collection::vec((prop::sample::select(WORDS.to_vec()), any::<bool>()), 0..80);
    words.prop_map(|words| {
        words.iter().map(|(word, blank)| format!("{word}{}", if *blank { " " } else { "" })).collect()
    })
}

/// v1model with some pieces of it replaced, removed, doubled or exchanged.
fn changed_library() -> impl Strategy<Value = String> {
    let change =
        (any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..5u8, prop::sample::select(WORDS.to_vec()));
    prop::collection::vec(change, 1..12).prop_map(|changes| {
        let mut words: Vec<&str> =
            include_str!("../../../include/v1model.p4").split_inclusive([' ', '\n', '(']).collect();
        for (at, other, how, word) in changes {
            let (at, other) = (at.index(words.len()), other.index(words.len()));
            match how {
                0 => words[at] = word,
                1 => words.insert(at, word),
                2 => drop(words.remove(at)),
                3 => words.insert(at, words[other]),
                _ => words.swap(at, other),
            }
        }
        words.concat()
    })
}

fn cases(default: u32) -> ProptestConfig {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(default);
    ProptestConfig { cases, max_shrink_iters: 2000, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn bytes_never_break_it(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        try_input(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn soups_never_break_it(text in soup()) {
        try_input(&text);
    }

    #[test]
    fn changed_programs_never_break_it(text in changed_library()) {
        try_input(&text);
    }

    /// What comes out goes in again unchanged: it has no directives and no macros left.
    #[test]
    fn its_output_is_a_program_without_macros(text in soup()) {
        let run = try_input(&text);
        let output = run.text();
        // A macro's name in its own expansion stays, but would be one again.
        let is_expanded = |word: &str| ["a", "A", "F", "N"].contains(&word) || word.starts_with("__");
        if !output.split(' ').any(is_expanded) {
            prop_assert_eq!(try_input(&output).text(), output);
        }
    }
}

/// Each of these once took, or would take without its limit, time or memory without end.
#[test]
fn hostile_texts_end_with_a_reason() {
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
        ("9".repeat(1 << 20), "digits"),
        (format!("{}0", "8w".repeat(1 << 19)), "digits"),
        (" ".repeat((4 << 20) + 1), "longer than"),
        ("\\\"\n".repeat(200_000), "never ends"),
        ("#if 1\n".repeat(200_000), "no `#endif`"),
        (format!("{}{}", "#if 0\n".repeat(100_000), "x\n".repeat(200_000)), "no `#endif`"),
        ("#define F(x) x\nF\n(".repeat(100_000), "never end"),
        ("/*".repeat(1 << 20), "never ends"),
        ("#include \"no.p4\"\n".repeat(100_000), "no such file"),
    ] {
        let found = try_input(&text).findings();
        assert!(found.contains(reason), "{reason}: {}", &found[..found.len().min(500)]);
    }
}
