//! Macros in the lines of strings.
//!
//! The P4 compiler (p4c) has programs preprocessed as assembler, where a string ends with its line, so that the lines of
//! a longer string are program text, in which macros are expanded. Programs rely on this in the constraints on their
//! tables. A string on one line is left as it is.

use std::rc::Rc;

use diagnostics::{Diagnostic, Span};

use super::Preprocessor;
use crate::piece::{Piece, PieceKind, StringPart};

impl Preprocessor<'_> {
    /// Expands the macros without parameters in a string of several lines.
    pub(super) fn with_expanded_lines(&mut self, piece: Piece) -> Piece {
        let PieceKind::Text(content) = &piece.kind else { return piece };
        let is_of_lines = piece.part != StringPart::Whole || content.contains('\n');
        if !self.language.strings_of_lines || !is_of_lines || self.macros.is_empty() {
            return piece;
        }
        let content = content.clone();
        let ends_with_quote = matches!(piece.part, StringPart::Whole | StringPart::Last);
        let end = piece.span.end - u32::from(ends_with_quote);
        let start = end.saturating_sub(content.len() as u32).max(piece.span.start);
        let mut expanded = String::with_capacity(content.len());
        let mut at = 0;
        while at < content.len() {
            let length = word_or_other(&content[at..]);
            let part = &content[at..at + length];
            let place = |at: usize| (start + at as u32).min(piece.span.end);
            let span = Span { start: place(at), end: place(at + length), ..piece.span };
            let is_macro = self.macros.get(part).is_some_and(|own| own.parameters.is_none());
            if is_macro {
                let word = Piece::made(PieceKind::Word(Rc::from(part)), span);
                let pieces = self.expand_list(vec![word]);
                if pieces.iter().any(ends_string) {
                    self.report(not_in_string(part, span));
                    expanded.push_str(part);
                } else {
                    spell_all(&pieces, &mut expanded);
                }
            } else {
                expanded.push_str(part);
            }
            at += length;
        }
        Piece { kind: PieceKind::Text(Rc::from(expanded)), ..piece }
    }
}

/// Returns whether a piece has a quote, or a `\` that could escape one.
fn ends_string(piece: &Piece) -> bool {
    matches!(piece.kind, PieceKind::Text(_) | PieceKind::Invalid(_))
}

fn not_in_string(name: &str, span: Span) -> Diagnostic {
    let message = format!("the macro `{name}` cannot be expanded in a string, because it contains a string itself");
    Diagnostic::error(span, message).hint("macros are expanded in strings of several lines; give this one another name")
}

/// Appends pieces as they were written, with one space wherever there was white space between two.
fn spell_all(pieces: &[Piece], text: &mut String) {
    for (number, piece) in pieces.iter().enumerate() {
        if number > 0 && !piece.touches_previous {
            text.push(' ');
        }
        piece.spell(text);
    }
}

/// Returns the length of what begins here: a word or a number; a comment or a text in single quotes, in which no macro is
/// expanded; or one character.
fn word_or_other(text: &str) -> usize {
    let in_word = |character: char| character.is_ascii_alphanumeric() || character == '_';
    let line = || text.find('\n').unwrap_or(text.len());
    match text.as_bytes() {
        [b'/', b'/', ..] => line(),
        [b'/', b'*', ..] => text[2..].find("*/").map_or(text.len(), |end| end + 4),
        // A quote that is not closed in its line is an apostrophe.
        [b'\'', ..] => text[1..line()].find('\'').map_or(1, |end| end + 2),
        _ => match text.find(|character: char| !in_word(character)) {
            Some(0) => text.chars().next().map_or(1, char::len_utf8),
            end => end.unwrap_or(text.len()),
        },
    }
}
