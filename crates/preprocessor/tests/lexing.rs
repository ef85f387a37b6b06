//! Texts to pieces.

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
fn the_longest_sign_of_the_language_wins() {
    assert_eq!(words(&PLAIN, "a<<b->c-d>>...x").join(" "), "a << b -> c - d >> ... x");
    assert_eq!(words(&common::TYPED, "bit<bit<8>>=x{#}a...b").join(" "), "bit < bit < 8 > >= x {#} a ... b");
}

#[test]
fn numbers_have_points_where_the_language_says_so() {
    let text = "1..2 x[.5]0x1E+3 1.5e-3f 1E+x";
    assert_eq!(words(&common::TYPED, text).join(" "), "1 .. 2 x [ . 5 ] 0x1E + 3 1 . 5e - 3f 1E + x");
    assert_eq!(words(&PLAIN, "1..2 x .5 0x1E+3 1.5e-3f 1E+x .x").join(" "), "1..2 x .5 0x1E + 3 1.5e-3f 1E+x . x");
}

#[test]
fn characters_are_tokens_where_the_language_says_so() {
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
    // The line break inside the comment is part of the comment, which is one space.
    assert_eq!(firsts, [true, false, true, false]);
    assert!(pieces[3].touches_previous && !pieces[1].touches_previous);
}

#[test]
fn a_backslash_joins_lines_even_inside_a_name_and_a_comment() {
    let pieces = pieces(&PLAIN, "cou\\\nnt = 1; // more \\\r\n of it\n x");
    assert_eq!(pieces[0].word().map(|name| &**name), Some("count"));
    assert_eq!(pieces[0].span, Span::new(SourceId(0), 0, 7));
    assert_eq!(pieces.len(), 5);
    assert!(pieces[4].first_of_line);
}

#[test]
fn an_open_comment_is_reported_where_it_begins() {
    let run = Run::new("a /* b", &[], &Options::default());
    assert_eq!(run.result.pieces.len(), 1);
    assert_eq!(run.result.diagnostics.iter().next().unwrap().span, Some(Span::new(SourceId(0), 2, 4)));
}

#[test]
fn strings_keep_escapes_and_an_open_one_ends_with_its_line() {
    let text = "\"a\\\"b\nc\\\\\" \"open é\nx \\\" y\n";
    let pieces = pieces(&common::TYPED, text);
    assert!(matches!(&pieces[0].kind, PieceKind::Text(text) if &**text == "a\\\"b\nc\\\\"));
    assert!(matches!(&pieces[1].kind, PieceKind::Invalid(invalid) if invalid.content.as_deref() == Some("open é")));
    assert_eq!(pieces[2].word().map(|name| &**name), Some("x"));
    assert_eq!(pieces.len(), 5);
}

/// C11 6.4.5: no string of C goes on in the next line.
#[test]
fn strings_end_with_their_lines_unless_the_language_lets_them_go_on() {
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
fn a_text_of_too_many_tokens_is_cut_off() {
    let small = Language { limits: Limits { tokens: 20, includes: 2 }, ..PLAIN };
    let run = Run::of(&small, &";".repeat(21), &[], &Options::default());
    assert!(run.findings().contains("main.c:1:21") && run.findings().contains("the text is longer than 20 tokens"));
    assert_eq!(Run::of(&small, &";".repeat(20), &[], &Options::default()).result.pieces.len(), 20);
}

#[test]
fn text_that_is_not_utf8_is_a_warning_at_its_place_in_comments_and_strings() {
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
    // Elsewhere it is an error already.
    assert_eq!(warned("a \u{fffd}").matches("not UTF-8").count(), 0);
}
