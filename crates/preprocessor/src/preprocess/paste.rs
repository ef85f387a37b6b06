//! The operators of macros: `#`, which turns an argument into a string, and `##`, which joins two tokens into one (C11
//! 6.10.3.2 and 6.10.3.3).

use std::rc::Rc;

use diagnostics::{Diagnostic, Span};

use super::Preprocessor;
use crate::lexer::lex_one;
use crate::limits::{MADE_BYTES_A_TOKEN, MOST_MADE_BYTES};
use crate::piece::{Piece, PieceKind};

impl Preprocessor<'_> {
    /// Turns an argument into a string: its text as written, with each run of white space replaced by one space.
    pub(super) fn quoted(&mut self, argument: &[Piece], span: Span) -> Option<Piece> {
        // Escaping at most doubles the length of a text.
        let bytes = argument.iter().map(|piece| 2 * piece.spelled_bytes() + 1).sum();
        if !self.may_make(bytes, span) {
            return None;
        }
        let mut text = String::new();
        for (number, piece) in argument.iter().enumerate() {
            if number > 0 && !piece.touches_previous {
                text.push(' ');
            }
            let mut own = String::new();
            piece.spell(&mut own);
            let in_string = matches!(piece.kind, PieceKind::Text(_) | PieceKind::Character(_));
            for character in own.chars() {
                if character == '"' || (character == '\\' && in_string) {
                    text.push('\\');
                }
                text.push(character);
            }
        }
        // An unpaired backslash at the end would escape the closing `"`.
        let trailing = text.bytes().rev().take_while(|&byte| byte == b'\\').count();
        if trailing % 2 == 1 {
            text.push('\\');
        }
        Some(Piece::made(PieceKind::Text(Rc::from(text)), span))
    }

    /// Joins two tokens into one, or returns both if the result is not a single token.
    ///
    /// The latter is undefined behaviour in C (C11 6.10.3.3, paragraph 3). The P4 compiler (p4c) has programs
    /// preprocessed as assembler, where two tokens that cannot be joined stay separate without a warning.
    pub(super) fn pasted(&mut self, left: Piece, right: &Piece, span: Span) -> Vec<Piece> {
        if !self.may_make(left.spelled_bytes() + right.spelled_bytes(), span) {
            return vec![left];
        }
        let mut text = String::new();
        left.spell(&mut text);
        right.spell(&mut text);
        if let Some(kind) = lex_one(self.language, &text) {
            let touches_previous = left.touches_previous;
            return vec![Piece { touches_previous, ..Piece::made(kind, span) }];
        }
        if !means_the_same_apart(&left, right) {
            let message = format!("{} and {} do not make one token: they stay two", left.describe(), right.describe());
            self.report(Diagnostic::warning(span, message).hint("`##` joins tokens such as `port_` and `1`"));
        }
        vec![left, right.clone()]
    }

    fn may_make(&mut self, bytes: usize, span: Span) -> bool {
        if bytes > MOST_MADE_BYTES {
            let message = format!("this macro makes a token of more than {MOST_MADE_BYTES} bytes");
            self.report(Diagnostic::error(span, message));
            return false;
        }
        self.spend(bytes / MADE_BYTES_A_TOKEN)
    }
}

/// Returns whether two tokens that cannot be joined mean what the author of the `##` intended: `name ## (` and `hdr ##
/// . ## field` read the same without the `##`; two strings, two operators or `/ ## /` do not.
fn means_the_same_apart(left: &Piece, right: &Piece) -> bool {
    let is_operator = |piece: &Piece| matches!(piece.kind, PieceKind::Punctuator(_));
    let is_word = |piece: &Piece| matches!(piece.kind, PieceKind::Word(_) | PieceKind::Number(_));
    let separates = |piece: &Piece| ["(", ")", "[", "]", "{", "}", ",", ";", ".", ":"].iter().any(|own| piece.is(own));
    separates(left)
        || separates(right)
        || (is_operator(left) && is_word(right))
        || (is_word(left) && is_operator(right))
}
