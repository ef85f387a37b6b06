//! The lexer: turns the pieces that the preprocessor produces into tokens of Microcode.

use std::rc::Rc;

use diagnostics::{SourceId, Sources};
use preprocessor::{Complaint, Files, Language, Limits, Options, Piece, PieceKind, ReadOnce, Report};

use crate::limits::{MOST_INCLUDES, MOST_TOKENS};
use crate::literal;
use crate::token::{Token, TokenKind};

/// The properties of Microcode that the preprocessor depends on.
const LANGUAGE: Language = Language {
    punctuators: &[
        "<<=", ">>=", "...", "++", "--", "->", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=", "*=", "/=",
        "%=", "&=", "|=", "^=", "+", "-", "*", "/", "%", "&", "|", "^", "~", "!", "<", ">", "=", "?", ":", ";", ",",
        ".", "(", ")", "[", "]", "{", "}",
    ],
    // Microcode has no fractions, but recognizing them allows a clear error message.
    fractions: true,
    strings_of_lines: false,
    characters: None,
    plain_macros: false,
    header: |_| None,
    no_such_file,
    how_to_include: "write `#include \"name.mc\"`",
    limits: Limits { tokens: MOST_TOKENS, includes: MOST_INCLUDES },
};

fn no_such_file(name: &str, is_quoted: bool) -> Complaint {
    if is_quoted {
        let hint = "the path is relative to the folder of the including file";
        Complaint::new(format!("`{name}` cannot be included: there is no such file"), hint)
    } else {
        let hint = "predefined symbols and transactions need no header; include your own as \"name.mc\"";
        Complaint::new(format!("there is no system header <{name}>"), hint)
    }
}

/// Returns the tokens of a program, with directives carried out and macros expanded, ending with [`TokenKind::End`].
pub(crate) fn lex(sources: &mut Sources, main: SourceId, files: &dyn Files, report: &mut Report) -> Vec<Token> {
    let read = preprocessor::preprocess(&LANGUAGE, sources, main, files, &Options::default());
    report.begin(read.diagnostics, read.macro_uses);
    let mut numbers = ReadOnce::new();
    let mut tokens: Vec<Token> = read.pieces.iter().filter_map(|piece| token(piece, &mut numbers, report)).collect();
    tokens.push(Token { kind: TokenKind::End, span: read.end, first_of_line: false });
    tokens
}

type Number = Result<u64, Rc<Complaint>>;

/// Converts a piece into a token. A piece that is not a token is reported; if it was meant as a value, 0 replaces it so
/// that the parser does not report consequential errors.
fn token(piece: &Piece, numbers: &mut ReadOnce<Number>, report: &mut Report) -> Option<Token> {
    let kind = match &piece.kind {
        PieceKind::Word(name) => Ok(TokenKind::Identifier(Rc::clone(name))),
        PieceKind::Text(_) => Ok(TokenKind::Text),
        PieceKind::Punctuator(sign) => Ok(TokenKind::Punctuator(sign)),
        PieceKind::Number(text) => {
            let number = numbers.get(text, |text| literal::number(text).map_err(Rc::new));
            number.map(TokenKind::Integer).map_err(|complaint| (complaint.at(piece.span), true))
        }
        // The language has no character constants, so the preprocessor makes none.
        PieceKind::Character(_) => Ok(TokenKind::Text),
        PieceKind::Invalid(invalid) => Err((invalid.complaint.at(piece.span), invalid.content.is_some())),
    };
    let kind = match kind {
        Ok(kind) => kind,
        Err((error, stands_for_value)) => {
            report.push(error);
            if !stands_for_value {
                return None;
            }
            TokenKind::Integer(0)
        }
    };
    Some(Token { kind, span: piece.span, first_of_line: piece.first_of_line })
}
