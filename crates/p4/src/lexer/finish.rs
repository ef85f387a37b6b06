//! Conversion of the pieces that the preprocessor leaves into tokens.

use std::rc::Rc;

use diagnostics::{Diagnostic, Diagnostics, Span};
use num_bigint::BigUint;
use preprocessor::{Complaint, MacroUses, Piece, PieceKind, ReadOnce};

use super::free_form::FreeForm;
use super::number::number;
use crate::token::{Integer, Keyword, Radix, Token, TokenKind};

/// Converts pieces into tokens.
pub(super) struct Finish<'m> {
    pub diagnostics: Diagnostics,
    macro_uses: &'m MacroUses,
    numbers: ReadOnce<Result<Rc<Integer>, Rc<Complaint>>>,
}

impl<'m> Finish<'m> {
    pub fn new(diagnostics: Diagnostics, macro_uses: &'m MacroUses) -> Self {
        Self { diagnostics, macro_uses, numbers: ReadOnce::new() }
    }

    /// Converts the pieces of a program, and leaves out the end.
    pub fn tokens(&mut self, pieces: &[Piece]) -> Vec<Token> {
        let mut tokens = Vec::with_capacity(pieces.len() + 1);
        let mut free_form = FreeForm::default();
        for piece in pieces {
            if let Some(kind) = self.kind(piece, free_form.anything_goes(piece)) {
                let Piece { span, first_of_line, touches_previous, .. } = *piece;
                tokens.push(Token { kind, span, first_of_line, touches_previous });
                if is_string_without_end(piece) && !self.diagnostics.is_full() {
                    // The string swallowed the rest of its line, so the parser must not report that something is
                    // missing there.
                    let span = Span { start: span.end, ..span };
                    tokens.push(Token { kind: reported(), span, first_of_line: false, touches_previous: true });
                }
            }
        }
        tokens
    }

    /// Returns the kind of token that a piece is. An invalid piece is reported; if it was meant as a value, a value
    /// replaces it, so that the parser reports no consequences.
    fn kind(&mut self, piece: &Piece, anything_goes: bool) -> Option<TokenKind> {
        let unexpected = |text: &str| Some(TokenKind::Unexpected(Rc::from(text)));
        let (error, stands_for) = match &piece.kind {
            PieceKind::Word(name) => {
                return Some(Keyword::from_text(name).map_or(TokenKind::Identifier(name.clone()), TokenKind::Keyword));
            }
            PieceKind::Text(content) => return Some(TokenKind::Text(content.clone())),
            PieceKind::Punctuator(sign @ ("#" | "##")) if anything_goes => return unexpected(sign),
            PieceKind::Punctuator("#" | "##") => {
                let error = Diagnostic::error(piece.span, "a `#` here means nothing");
                (error.hint("a directive such as `#include` stands alone on its line"), None)
            }
            PieceKind::Punctuator(sign) => return Some(TokenKind::Punctuator(sign)),
            PieceKind::Number(text) => {
                match self.numbers.get(text, |text| number(text).map(Rc::new).map_err(Rc::new)) {
                    Ok(integer) => return Some(TokenKind::Integer(integer)),
                    Err(_) if anything_goes => return Some(TokenKind::Unexpected(Rc::clone(text))),
                    Err(complaint) => {
                        let zero = Integer { width: None, value: BigUint::ZERO, radix: Radix::Decimal };
                        (complaint.at(piece.span), Some(TokenKind::Integer(Rc::new(zero))))
                    }
                }
            }
            PieceKind::Invalid(invalid) if anything_goes && invalid.content.is_none() => {
                return unexpected(&invalid.text);
            }
            PieceKind::Invalid(invalid) => {
                let content = invalid.content.clone().map(TokenKind::Text);
                (invalid.complaint.at(piece.span), content.or_else(|| stand_in(&invalid.text)))
            }
            // P4 has no character literals, so the preprocessor makes none.
            PieceKind::Character(content) => return Some(TokenKind::Unexpected(Rc::clone(content))),
        };
        self.diagnostics.push(self.macro_uses.explain(error));
        stands_for
    }
}

/// Returns the token that marks the place of a reported error.
fn reported() -> TokenKind {
    TokenKind::Unexpected(Rc::from(""))
}

fn is_string_without_end(piece: &Piece) -> bool {
    matches!(&piece.kind, PieceKind::Invalid(invalid) if invalid.content.is_some())
}

/// Returns a replacement for characters that word processors insert: a minus for a dash, and nothing for any kind of
/// space.
fn stand_in(text: &str) -> Option<TokenKind> {
    let is_blank =
        |character: char| character.is_whitespace() || matches!(character, '\u{200b}'..='\u{200d}' | '\u{feff}');
    if text.chars().all(is_blank) {
        return None;
    }
    match text {
        "\u{2010}" | "\u{2011}" | "\u{2012}" | "\u{2013}" | "\u{2014}" | "\u{2212}" => Some(TokenKind::Punctuator("-")),
        _ => Some(reported()),
    }
}
