//! The checker never panics on a tree of the parser, whatever is wrong with the program.

use std::collections::BTreeMap;

use diagnostics::Sources;
use proptest::prelude::*;

mod common;

/// Our own library beside programs that use every kind of declaration and of statement.
fn bases() -> [String; 4] {
    let core = include_str!("../include/core.p4");
    [
        format!("{core}\n{}", include_str!("syntax/declarations.p4")),
        format!("{core}\n{}", include_str!("syntax/statements.p4")),
        arch::V1MODEL.header.text.replace("#include <core.p4>", core),
        format!(
            "{}\n{}",
            arch::V1MODEL.header.text.replace("#include <core.p4>", core),
            include_str!("completeness/program.p4")
        ),
    ]
}

fn check(text: &str) {
    let mut sources = Sources::new();
    let main = sources.add("test.p4", text);
    let files: BTreeMap<String, String> = BTreeMap::new();
    let read = p4::preprocess(&mut sources, main, &files, &p4::Options::default());
    let (program, _) = p4::parse(&read.tokens);
    p4::check(&program);
}

/// Words and signs, and what is between them.
fn pieces(text: &str) -> Vec<&str> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = if is_word(first) { rest.find(|c| !is_word(c)).unwrap_or(rest.len()) } else { first.len_utf8() };
        pieces.push(&rest[..end]);
        rest = &rest[end..];
    }
    pieces
}

/// Test threads have little stack, as threads of a server do.
#[test]
fn checks_the_deepest_trees_of_the_parser() {
    for (before, behind) in
        [("-", ""), ("{", "}"), ("(bit<8>)", ""), ("1 + (", ")"), ("f(", ")"), ("true ? 1 : (", ")")]
    {
        for times in [p4::MOST_NESTING as usize - 8, p4::MOST_NESTING as usize / 2 - 8] {
            let value = format!("{}1{}", before.repeat(times), behind.repeat(times));
            check(&format!(
                "extern int f(int a); const int x = {value}; control C() {{ apply {{ bit<8> y = {value}; }} }}"
            ));
        }
    }
    let nested = |before: &str, behind: &str| format!("{}{}", before.repeat(90), behind.repeat(90));
    check(&format!("control C() {{ apply {{ {} }} }}", nested("if (true) {", "}")));
    check(&format!(
        "control C() {{ apply {{ {} }} }}",
        nested("for (bit<8> i in 1 .. 3) { switch (i) { 1: {", "} } }")
    ));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(common::cases(150)))]

    #[test]
    fn exchanged_pieces_of_programs_are_no_reason_to_panic(
        base in 0..4usize,
        exchanges in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 0..8),
    ) {
        let text = bases()[base].clone();
        let words: Vec<&str> = pieces(&text).into_iter().filter(|piece| !piece.trim().is_empty()).collect();
        let mut mutated = pieces(&text);
        for (place, word) in exchanges {
            let place = place.index(mutated.len());
            mutated[place] = words[word.index(words.len())];
        }
        check(&mutated.concat());
    }
}
