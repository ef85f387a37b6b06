//! Any text becomes tokens, with one end and with spans within the sources.

use proptest::prelude::*;

use super::Run;
use crate::limits::MOST_TOKENS;
use crate::token::TokenKind;

fn try_input(text: &str) -> Run {
    let run = Run::new(text);
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

/// Pieces of tokens of P4, and other text.
const WORDS: [&str; 24] = [
    "a", "_", "bit", "0", "8w0xF", "0x", "1_0", "\"s\"", "\"", "\\\"", "'", "\\", "é", "#", "@", "@pragma", "@x(", "(",
    ")", ">", ">=", "{#}", "\n", "..",
];

fn soup() -> impl Strategy<Value = String> {
    let words = prop::collection::vec((prop::sample::select(WORDS.to_vec()), any::<bool>()), 0..80);
    words.prop_map(|words| {
        words.iter().map(|(word, blank)| format!("{word}{}", if *blank { " " } else { "" })).collect()
    })
}

/// v1model with some pieces replaced, removed, duplicated or exchanged.
fn changed_library() -> impl Strategy<Value = String> {
    let change =
        (any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..5u8, prop::sample::select(WORDS.to_vec()));
    prop::collection::vec(change, 1..12).prop_map(|changes| {
        let mut words: Vec<&str> = arch::V1MODEL.header.text.split_inclusive([' ', '\n', '(']).collect();
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
    #![proptest_config(cases(300))]

    #[test]
    fn changed_programs_never_break_it(text in changed_library()) {
        try_input(&text);
    }

    /// Tokens that are printed and read again stay the same. The first output may read differently where an invalid
    /// character was reported and left out that separated an annotation from its parentheses, in which anything may
    /// stand.
    #[test]
    fn its_output_reads_as_itself(text in soup()) {
        let output = try_input(&try_input(&text).text()).text();
        prop_assert_eq!(try_input(&output).text(), output);
    }
}

/// Each of these once took endless time.
#[test]
fn refuses_endless_numbers_and_strings_quickly() {
    let used_often = format!("#define N {}\n{}", "9".repeat(8000), "N ".repeat(100_000));
    for (text, reason) in [
        ("9".repeat(1 << 20), "digits"),
        (format!("{}0", "8w".repeat(1 << 19)), "digits"),
        ("\\\"\n".repeat(200_000), "never ends"),
    ] {
        let found = try_input(&text).findings();
        assert!(found.contains(reason), "{reason}: {}", &found[..found.len().min(500)]);
    }
    assert_eq!(try_input(&used_often).result.tokens.len(), 100_001);
}
