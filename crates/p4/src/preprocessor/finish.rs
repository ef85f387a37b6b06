//! From pieces to tokens of the language, where all that is left counts.

use std::rc::Rc;

use diagnostics::{Diagnostic, SourceId, Span};
use num_bigint::BigUint;

use super::freedom::Freedom;
use super::{Preprocessed, Preprocessor};
use crate::lexer::{Piece, PieceKind};
use crate::token::{Integer, Keyword, Radix, Token, TokenKind};

impl Preprocessor<'_> {
    /// What came out, with an end token.
    pub(super) fn finish(mut self, main: SourceId) -> Preprocessed {
        let pieces = std::mem::take(&mut self.output);
        let mut tokens = Vec::with_capacity(pieces.len() + 1);
        let mut freedom = Freedom::default();
        for piece in &pieces {
            if let Some(kind) = self.kind(piece, freedom.anything_goes(piece)) {
                let Piece { span, first_of_line, touches_previous, .. } = *piece;
                tokens.push(Token { kind, span, first_of_line, touches_previous });
            }
        }
        let length = self.sources.text(main).len();
        let span = Span::new(main, length, length);
        tokens.push(Token { kind: TokenKind::End, span, first_of_line: true, touches_previous: false });
        let Self { diagnostics, macro_uses, complete, .. } = self;
        Preprocessed { tokens, diagnostics, macro_uses, complete }
    }

    /// What a piece is in the language. One that is nothing is reported; if it was meant as a value, a value stands
    /// in for it, so that the parser reports nothing that only follows from this.
    fn kind(&mut self, piece: &Piece, anything_goes: bool) -> Option<TokenKind> {
        let unexpected = |text: &str| Some(TokenKind::Unexpected(Rc::from(text)));
        let (complaint, stands_for) = match &piece.kind {
            PieceKind::Word(name) => {
                return Some(Keyword::from_text(name).map_or(TokenKind::Identifier(name.clone()), TokenKind::Keyword));
            }
            PieceKind::Text(content) => return Some(TokenKind::Text(content.clone())),
            PieceKind::Punctuator(sign @ ("#" | "##")) if anything_goes => return unexpected(sign),
            PieceKind::Punctuator("#" | "##") => {
                let error = Diagnostic::error(piece.span, "a `#` here means nothing");
                self.report(error.hint("a directive such as `#include` stands alone on its line"));
                return None;
            }
            PieceKind::Punctuator(sign) => return Some(TokenKind::Punctuator(sign)),
            PieceKind::Number(number) => match &number.value {
                Ok(integer) => return Some(TokenKind::Integer(integer.clone())),
                Err(_) if anything_goes => return unexpected(&number.text),
                Err(complaint) => {
                    let zero = Integer { width: None, value: BigUint::ZERO, radix: Radix::Decimal };
                    (complaint, Some(TokenKind::Integer(Rc::new(zero))))
                }
            },
            PieceKind::Invalid(invalid) if anything_goes && invalid.stands_for.is_none() => {
                return unexpected(&invalid.text);
            }
            PieceKind::Invalid(invalid) => (&invalid.complaint, invalid.stands_for.clone().map(TokenKind::Text)),
        };
        self.report(Diagnostic::error(piece.span, &*complaint.message).hint(&*complaint.hint));
        stands_for
    }

    /// Adds a finding, with the macro that it came out of.
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(self.macro_uses.explain(diagnostic));
    }
}
