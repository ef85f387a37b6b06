//! The lexer: splits a text into words, numbers, signs and line ends.

use diagnostics::{Diagnostic, SourceId, Span};

use super::cursor::MOST_FINDINGS;
use crate::print::BRACKETED;
use crate::typing::{is_name_byte, name_length};

/// The kind of a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LexemeKind<'t> {
    /// A name or a keyword.
    Word(&'t str),
    /// A name in backquotes, which is never a keyword.
    Quoted(&'t str),
    /// A quoted title, without the quotes and with escapes resolved.
    Title(String),
    /// Digits and the letters and digits that follow immediately: `5i32`, `0x1fu8`, `8000`.
    Number(&'t str),
    /// An operator or bracket.
    Sign(&'static str),
    /// The end of a line.
    LineEnd,
    /// The end of the text. It repeats if the parser reads on.
    End,
}

/// A token and its location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token<'t> {
    pub kind: LexemeKind<'t>,
    pub span: Span,
}

/// All signs. A sign that is a prefix of another one comes after it.
const SIGNS: [&str; 35] = [
    "&&&", "|+|", "|-|", "++", "->", "=>", "<<", ">>", "==", "!=", "<=", ">=", "+", "-", "*", "/", "%", "&", "|", "^",
    "<", ">", "!", "~", "?", ":", "=", ",", "(", ")", "[", "]", "{", "}", "@",
];

/// Returns all tokens, the last one being [`LexemeKind::End`]. Characters without a meaning are reported and left out.
pub(super) fn tokens<'t>(text: &'t str, source: SourceId, findings: &mut Vec<Diagnostic>) -> Vec<Token<'t>> {
    let mut lexer = Lexer { text, source, at: 0, tokens: Vec::new(), findings };
    while lexer.at < text.len() && lexer.findings.len() < MOST_FINDINGS {
        lexer.next();
    }
    lexer.push(LexemeKind::End, text.len());
    lexer.tokens
}

struct Lexer<'t, 'f> {
    text: &'t str,
    source: SourceId,
    at: usize,
    tokens: Vec<Token<'t>>,
    findings: &'f mut Vec<Diagnostic>,
}

impl<'t> Lexer<'t, '_> {
    fn next(&mut self) {
        let rest = &self.text[self.at..];
        let first = rest.as_bytes()[0];
        if rest.starts_with("//") {
            self.at = self.line_end();
        } else if first == b'\n' {
            self.push(LexemeKind::LineEnd, self.at + 1);
        } else if matches!(first, b' ' | b'\t' | b'\r') {
            self.at += 1;
        } else if first.is_ascii_digit() {
            let length = rest.bytes().take_while(u8::is_ascii_alphanumeric).count();
            self.push(LexemeKind::Number(&rest[..length]), self.at + length);
        } else if is_name_byte(first) {
            let word = rest.bytes().take_while(|&byte| is_name_byte(byte)).count();
            // An index in brackets is part of a name, except in `bool[16]`, the type of a register array with its
            // length.
            let length = if &rest[..word] == BRACKETED { word } else { name_length(rest) };
            self.push(LexemeKind::Word(&rest[..length]), self.at + length);
        } else if first == b'`' {
            self.quoted();
        } else if first == b'"' {
            self.title();
        } else if let Some(sign) = SIGNS.into_iter().find(|sign| rest.starts_with(sign)) {
            self.push(LexemeKind::Sign(sign), self.at + sign.len());
        } else {
            let character = rest.chars().next().unwrap_or_default();
            self.report(self.at + character.len_utf8(), format!("unexpected character `{}`", character.escape_debug()));
        }
    }

    fn quoted(&mut self) {
        let inside = &self.text[self.at + 1..];
        let length = name_length(inside);
        if length > 0 && !inside.as_bytes()[0].is_ascii_digit() && inside[length..].starts_with('`') {
            self.push(LexemeKind::Quoted(&inside[..length]), self.at + length + 2);
        } else {
            self.report(self.at + 1, "a backquote must be followed by a name and another backquote".to_owned());
        }
    }

    fn title(&mut self) {
        let mut title = String::new();
        let mut inside = self.text[self.at + 1..self.line_end()].char_indices();
        while let Some((offset, character)) = inside.next() {
            match character {
                '"' => {
                    self.push(LexemeKind::Title(title), self.at + offset + 2);
                    return;
                }
                '\\' => match inside.next() {
                    Some((_, 'n')) => title.push('\n'),
                    Some((_, escaped)) => title.push(escaped),
                    None => break,
                },
                _ => title.push(character),
            }
        }
        self.report(self.line_end(), "the quote is not closed on its line".to_owned());
    }

    fn line_end(&self) -> usize {
        self.text[self.at..].find('\n').map_or(self.text.len(), |length| self.at + length)
    }

    fn push(&mut self, kind: LexemeKind<'t>, end: usize) {
        self.tokens.push(Token { kind, span: Span::new(self.source, self.at, end) });
        self.at = end;
    }

    fn report(&mut self, end: usize, message: String) {
        self.findings.push(Diagnostic::error(Span::new(self.source, self.at, end), message));
        self.at = end;
    }
}
