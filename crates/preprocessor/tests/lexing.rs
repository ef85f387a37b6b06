//! Splitting of texts into pieces.

mod common;

use common::{PLAIN, Run, spelled};
use diagnostics::{SourceId, Span};
use preprocessor::{Language, Limits, Options, Piece, PieceKind};

fn pieces(language: &Language, text: &str) -> Vec<Piece> {
    let run = Run::of(language, text, &[], &Options::default());
    assert!(run.result.diagnostics.is_empty(), "{}", run.findings());
    run.result.pieces
}

fn words(language: &Language, text: &str) -> Vec<String> {
    pieces(language, text).iter().map(spelled).collect()
}

#[test]
fn the_longest_punctuator_wins() {
    assert_eq!(words(&PLAIN, "a<<b->c-d>>...x").join(" "), "a << b -> c - d >> ... x");
    assert_eq!(words(&common::TYPED, "bit<bit<8>>=x{#}a...b").join(" "), "bit < bit < 8 > >= x {#} a ... b");
}

#[test]
fn fractions_depend_on_the_language() {
    let text = "1..2 x[.5]0x1E+3 1.5e-3f 1E+x";
    assert_eq!(words(&common::TYPED, text).join(" "), "1 .. 2 x [ . 5 ] 0x1E + 3 1 . 5e - 3f 1E + x");
    assert_eq!(words(&PLAIN, "1..2 x .5 0x1E+3 1.5e-3f 1E+x .x").join(" "), "1..2 x .5 0x1E + 3 1.5e-3f 1E+x . x");
}

#[test]
fn character_constants_depend_on_the_language() {
    assert_eq!(words(&PLAIN, r"'a'b '\'' '//'"), ["'a'", "b", r"'\''", "'//'"]);
    assert!(matches!(&pieces(&PLAIN, "'a'")[0].kind, PieceKind::Character(content) if &**content == "a"));
    let others = pieces(&common::TYPED, "'a'");
    assert!(matches!(&others[0].kind, PieceKind::Invalid(invalid) if invalid.text == "'" && invalid.content.is_none()));
    assert_eq!(others.len(), 3);
}

#[test]
fn comments_separate_pieces_and_keep_lines() {
    let pieces = pieces(&PLAIN, "a/* \n */b // c\n(d");
    let firsts: Vec<bool> = pieces.iter().map(|piece| piece.first_of_line).collect();
    // A comment, including the line breaks inside it, counts as one space.
    assert_eq!(firsts, [true, false, true, false]);
    assert!(pieces[3].touches_previous && !pieces[1].touches_previous);
}

#[test]
fn splices_lines_inside_names_and_comments() {
    let pieces = pieces(&PLAIN, "cou\\\nnt = 1; // more \\\r\n of it\n x");
    assert_eq!(pieces[0].word().map(|name| &**name), Some("count"));
    assert_eq!(pieces[0].span, Span::new(SourceId(0), 0, 7));
    assert_eq!(pieces.len(), 5);
    assert!(pieces[4].first_of_line);
}

#[test]
fn reports_an_unclosed_comment_at_its_start() {
    let run = Run::new("a /* b", &[], &Options::default());
    assert_eq!(run.result.pieces.len(), 1);
    assert_eq!(run.result.diagnostics.iter().next().unwrap().span, Some(Span::new(SourceId(0), 2, 4)));
}

#[test]
fn an_unclosed_string_ends_with_its_line() {
    let text = "\"a\\\"b\nc\\\\\" \"open é\nx \\\" y\n";
    let pieces = pieces(&common::TYPED, text);
    assert!(matches!(&pieces[0].kind, PieceKind::Text(text) if &**text == "a\\\"b\nc\\\\"));
    assert!(matches!(&pieces[1].kind, PieceKind::Invalid(invalid) if invalid.content.as_deref() == Some("open é")));
    assert_eq!(pieces[2].word().map(|name| &**name), Some("x"));
    assert_eq!(pieces.len(), 5);
}

/// In C, no string extends over several lines (C11 6.4.5).
#[test]
fn multi_line_strings_depend_on_the_language() {
    let kinds: Vec<PieceKind> = pieces(&PLAIN, "\"a\nb\" c").into_iter().map(|piece| piece.kind).collect();
    let open: Vec<&str> = kinds
        .iter()
        .filter_map(|kind| match kind {
            PieceKind::Invalid(invalid) => invalid.content.as_deref(),
            _ => None,
        })
        .collect();
    assert_eq!(open, ["a", " c"]);
    assert_eq!(kinds.len(), 3);
}

#[test]
fn cuts_off_a_text_with_too_many_tokens() {
    let small = Language { limits: Limits { tokens: 20, includes: 2 }, ..PLAIN };
    let run = Run::of(&small, &";".repeat(21), &[], &Options::default());
    assert!(run.findings().contains("main.c:1:21") && run.findings().contains("the text is longer than 20 tokens"));
    assert_eq!(Run::of(&small, &";".repeat(20), &[], &Options::default()).result.pieces.len(), 20);
}

#[test]
fn warns_once_about_text_that_is_not_utf8() {
    let warned = |text: &str| Run::new(text, &[], &Options::default()).findings();
    for (text, place) in [
        ("a\n// caf\u{fffd}\nb", "2:7"),
        ("a /* \u{fffd}\n\u{fffd} */ b // \u{fffd}", "1:6"),
        ("\"\u{fffd}\" a", "1:2"),
    ] {
        let found = warned(text);
        assert_eq!(found.matches("this text is not UTF-8").count(), 1, "{found}");
        assert!(found.contains("warning") && found.contains(place), "{found}");
    }
    assert_eq!(warned("a // caf\u{e9}"), "");
    // Outside comments and strings it is an error anyway.
    assert_eq!(warned("a \u{fffd}").matches("not UTF-8").count(), 0);
}
