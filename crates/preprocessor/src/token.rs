//! Tokens of a language that is written like C, made of the pieces that remain after preprocessing.

use std::rc::Rc;

use diagnostics::Span;

use crate::{Complaint, Piece, PieceKind, Preprocessed, ReadOnce, Report};

/// A token of a language whose numbers have values of type `N`.
#[derive(Clone, Debug)]
pub struct Token<N> {
    /// The kind and value of the token.
    pub kind: TokenKind<N>,
    /// The location of the token; for a token that results from a macro, the location of the macro's use.
    pub span: Span,
    /// Whether the token is the first on its line.
    pub first_of_line: bool,
}

/// The kind of a token.
#[derive(Clone, Debug, PartialEq)]
pub enum TokenKind<N> {
    /// A name or a keyword.
    Identifier(Rc<str>),
    /// A number or a character constant.
    Integer(N),
    /// A string: the text between two `"`.
    Text(Rc<str>),
    /// An operator or a bracket.
    Punctuator(&'static str),
    /// The end of the program, after the last token.
    End,
}

/// How a language reads its numbers and character constants.
#[derive(Clone, Copy, Debug)]
pub struct Literals<N> {
    /// Reads a number, as written.
    pub number: fn(&str) -> Result<N, Complaint>,
    /// Reads a character constant, given the text between its quotes. It is not called if the language has none
    /// ([`crate::Language::characters`]).
    pub character: fn(&str) -> Result<N, Complaint>,
    /// The value that replaces one that cannot be read, so that the parser does not report consequential errors.
    pub instead: N,
}

impl<N> Token<N> {
    /// Returns whether the token is the operator or bracket `punctuator`.
    pub fn is(&self, punctuator: &str) -> bool {
        matches!(self.kind, TokenKind::Punctuator(own) if own == punctuator)
    }

    /// Returns the name if the token is a [`TokenKind::Identifier`].
    pub fn identifier(&self) -> Option<&Rc<str>> {
        match &self.kind {
            TokenKind::Identifier(name) => Some(name),
            _ => None,
        }
    }

    /// Returns the description of the token for use in error messages.
    pub fn describe(&self) -> String {
        match &self.kind {
            TokenKind::Identifier(name) => format!("`{name}`"),
            TokenKind::Integer(_) => "a number".to_owned(),
            TokenKind::Text(_) => "a string".to_owned(),
            TokenKind::Punctuator(sign) => format!("`{sign}`"),
            TokenKind::End => "the end of the program".to_owned(),
        }
    }
}

/// Returns the tokens of a program that has been preprocessed, ending with [`TokenKind::End`]. Begins the report with what
/// the preprocessor has found, and adds the pieces that are not tokens.
pub fn tokens<N: Clone>(read: Preprocessed, literals: &Literals<N>, report: &mut Report) -> Vec<Token<N>> {
    report.begin(read.diagnostics, read.macro_uses);
    let mut numbers = ReadOnce::new();
    let pieces = read.pieces.iter();
    let mut tokens: Vec<Token<N>> = pieces.filter_map(|piece| token(piece, literals, &mut numbers, report)).collect();
    tokens.push(Token { kind: TokenKind::End, span: read.end, first_of_line: false });
    tokens
}

type Number<N> = Result<N, Rc<Complaint>>;

/// Converts a piece into a token. A piece that is not a token is reported; if it was meant as a value,
/// [`Literals::instead`] replaces it.
fn token<N: Clone>(
    piece: &Piece,
    literals: &Literals<N>,
    numbers: &mut ReadOnce<Number<N>>,
    report: &mut Report,
) -> Option<Token<N>> {
    let kind = match &piece.kind {
        PieceKind::Word(name) => Ok(TokenKind::Identifier(Rc::clone(name))),
        PieceKind::Text(content) => Ok(TokenKind::Text(Rc::clone(content))),
        PieceKind::Punctuator(sign) => Ok(TokenKind::Punctuator(sign)),
        PieceKind::Number(text) => {
            let number = numbers.get(text, |text| (literals.number)(text).map_err(Rc::new));
            number.map(TokenKind::Integer).map_err(|complaint| (complaint.at(piece.span), true))
        }
        PieceKind::Character(content) => {
            let character = (literals.character)(content);
            character.map(TokenKind::Integer).map_err(|complaint| (complaint.at(piece.span), true))
        }
        PieceKind::Invalid(invalid) => Err((invalid.complaint.at(piece.span), invalid.content.is_some())),
    };
    let kind = match kind {
        Ok(kind) => kind,
        Err((error, stands_for_value)) => {
            report.push(error);
            if !stands_for_value {
                return None;
            }
            TokenKind::Integer(literals.instead.clone())
        }
    };
    Some(Token { kind, span: piece.span, first_of_line: piece.first_of_line })
}
