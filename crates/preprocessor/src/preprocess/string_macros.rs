//! Macros in the lines of strings.
//!
//! The P4 compiler (p4c) has programs preprocessed as assembler, where a string ends with its line, so that the lines of
//! a longer string are program text, in which macros are expanded. Programs rely on this in the constraints on their
//! tables. A string on one line is left as it is.

use std::rc::Rc;

use diagnostics::Span;

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
                for (number, own) in self.expand_list(vec![word]).iter().enumerate() {
                    if number > 0 && !own.touches_previous {
                        expanded.push(' ');
                    }
                    own.spell(&mut expanded);
                }
            } else {
                expanded.push_str(part);
            }
            at += length;
        }
        Piece { kind: PieceKind::Text(Rc::from(expanded)), ..piece }
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
