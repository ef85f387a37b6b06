//! Text to tokens: continued lines, comments, names, numbers, operators.

use std::rc::Rc;

use diagnostics::{Diagnostic, Diagnostics, SourceId, Span};

use crate::limits::MOST_TOKENS;
use crate::literal;
use crate::token::{Complaint, Token, TokenKind};

/// Operators and brackets, longer ones before those that they begin with.
const PUNCTUATORS: [&str; 47] = [
    "<<=", ">>=", "...", "++", "--", "->", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=", "*=", "/=",
    "%=", "&=", "|=", "^=", "##", "+", "-", "*", "/", "%", "&", "|", "^", "~", "!", "<", ">", "=", "?", ":", ";", ",",
    ".", "(", ")", "[", "]", "{", "}",
];

/// The tokens of a text, without an end token. An overlong text or an open comment is reported and cuts them off.
pub(crate) fn lex(source: SourceId, text: &str, errors: &mut Diagnostics) -> Vec<Token> {
    let mut lexer = Lexer { source, cursor: Cursor { bytes: text.as_bytes(), at: 0 }, text, errors };
    if text.starts_with('\u{feff}') {
        lexer.cursor.at = '\u{feff}'.len_utf8();
    }
    let mut tokens = Vec::new();
    let mut first_of_line = true;
    let mut previous_end = None;
    while let Some(byte) = lexer.cursor.peek() {
        lexer.cursor.at = lexer.cursor.after_splices();
        let start = lexer.cursor.at;
        if byte == b'\n' {
            lexer.cursor.bump();
            first_of_line = true;
        } else if byte.is_ascii_whitespace() || byte == 0x0b {
            lexer.cursor.bump();
        } else if lexer.cursor.starts_with("//") {
            while lexer.cursor.peek().is_some_and(|byte| byte != b'\n') {
                lexer.cursor.bump();
            }
        } else if lexer.cursor.starts_with("/*") {
            if !lexer.skip_block_comment(start) {
                break;
            }
        } else {
            let kind = lexer.token(byte);
            let span = Span::new(source, start, lexer.cursor.at);
            if tokens.len() == MOST_TOKENS {
                let message = format!("the text is longer than {MOST_TOKENS} tokens");
                lexer.errors.push(Diagnostic::error(span, message).hint("no switch holds a program of this size"));
                break;
            }
            let touches_previous = previous_end == Some(start);
            tokens.push(Token { kind, span, first_of_line, touches_previous, painted: false });
            first_of_line = false;
            previous_end = Some(lexer.cursor.at);
        }
    }
    tokens
}

struct Lexer<'t, 'e> {
    source: SourceId,
    text: &'t str,
    cursor: Cursor<'t>,
    errors: &'e mut Diagnostics,
}

impl Lexer<'_, '_> {
    /// False if the comment never ends.
    fn skip_block_comment(&mut self, start: usize) -> bool {
        self.cursor.bump();
        self.cursor.bump();
        while self.cursor.peek().is_some() {
            if self.cursor.starts_with("*/") {
                self.cursor.bump();
                self.cursor.bump();
                return true;
            }
            self.cursor.bump();
        }
        let span = Span::new(self.source, start, start + 2);
        self.errors.push(Diagnostic::error(span, "this comment never ends").hint("end it with `*/`"));
        false
    }

    fn token(&mut self, byte: u8) -> TokenKind {
        if byte.is_ascii_alphabetic() || byte == b'_' {
            let name = self.cursor.take_while(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
            return TokenKind::Identifier(Rc::from(name));
        }
        let point_and_digit = byte == b'.' && self.cursor.second().is_some_and(|next| next.is_ascii_digit());
        if byte.is_ascii_digit() || point_and_digit {
            return self.number();
        }
        if byte == b'\'' || byte == b'"' {
            return self.quoted(byte);
        }
        if byte == b'#' && !self.cursor.starts_with("##") {
            self.cursor.bump();
            return TokenKind::Punctuator("#");
        }
        if let Some(sign) = PUNCTUATORS.into_iter().find(|sign| self.cursor.starts_with(sign)) {
            for _ in 0..sign.len() {
                self.cursor.bump();
            }
            return TokenKind::Punctuator(sign);
        }
        let character = self.text[self.cursor.at..].chars().next().unwrap_or('\u{fffd}');
        self.cursor.at += character.len_utf8();
        let message = format!("the character {character:?} means nothing here");
        Complaint::other(message, "names and operators are written in ASCII")
    }

    fn number(&mut self) -> TokenKind {
        let mut text = String::new();
        while let Some(byte) = self.cursor.peek() {
            let sign_of_exponent = matches!(byte, b'+' | b'-')
                && text.ends_with(['e', 'E'])
                && !text.starts_with("0x")
                && !text.starts_with("0X");
            if !(byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'.' || sign_of_exponent) {
                break;
            }
            text.push(char::from(byte));
            self.cursor.bump();
        }
        literal::number(&text)
    }

    fn quoted(&mut self, quote: u8) -> TokenKind {
        self.cursor.bump();
        let mut content = Vec::new();
        let mut escaped = false;
        loop {
            match self.cursor.peek() {
                None | Some(b'\n') => {
                    let quote = char::from(quote);
                    return Complaint::number(format!("this {quote} has no partner"), format!("end it with {quote}"));
                }
                Some(byte) => {
                    self.cursor.bump();
                    if byte == quote && !escaped {
                        break;
                    }
                    escaped = byte == b'\\' && !escaped && quote == b'\'';
                    content.push(byte);
                }
            }
        }
        let content = String::from_utf8_lossy(&content);
        if quote == b'"' { literal::text(&content) } else { literal::character(&content) }
    }
}

/// A place in a text that sees no continued lines: a backslash before a line's end joins it to the next line
/// (C11 5.1.1.2, phase 2).
#[derive(Clone, Copy)]
struct Cursor<'t> {
    bytes: &'t [u8],
    at: usize,
}

impl Cursor<'_> {
    fn after_splices(self) -> usize {
        let mut at = self.at;
        loop {
            match &self.bytes[at..] {
                [b'\\', b'\n', ..] => at += 2,
                [b'\\', b'\r', b'\n', ..] => at += 3,
                _ => return at,
            }
        }
    }

    fn peek(self) -> Option<u8> {
        self.bytes.get(self.after_splices()).copied()
    }

    fn bump(&mut self) {
        self.at = (self.after_splices() + 1).min(self.bytes.len());
    }

    fn second(mut self) -> Option<u8> {
        self.bump();
        self.peek()
    }

    fn starts_with(mut self, sign: &str) -> bool {
        sign.bytes().all(|byte| {
            let same = self.peek() == Some(byte);
            self.bump();
            same
        })
    }

    fn take_while(&mut self, wanted: impl Fn(u8) -> bool) -> String {
        let mut text = String::new();
        while let Some(byte) = self.peek().filter(|&byte| wanted(byte)) {
            text.push(char::from(byte));
            self.bump();
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let mut errors = Diagnostics::new();
        let tokens = lex(SourceId(0), text, &mut errors);
        assert!(errors.is_empty(), "{errors:?}");
        tokens.iter().map(|token| text[token.span.start as usize..token.span.end as usize].to_owned()).collect()
    }

    #[test]
    fn the_longest_operator_wins() {
        assert_eq!(words("a<<=b<<c<=d---e"), ["a", "<<=", "b", "<<", "c", "<=", "d", "--", "-", "e"]);
    }

    #[test]
    fn comments_separate_tokens_and_keep_lines() {
        let mut errors = Diagnostics::new();
        let tokens = lex(SourceId(0), "a/* \n */b // c\n#d", &mut errors);
        let firsts: Vec<bool> = tokens.iter().map(|token| token.first_of_line).collect();
        // The line break inside the comment is part of the comment, which is one space.
        assert_eq!(firsts, [true, false, true, false]);
        assert!(tokens[3].touches_previous && !tokens[1].touches_previous);
    }

    #[test]
    fn a_backslash_joins_lines_even_inside_a_name_and_a_comment() {
        let mut errors = Diagnostics::new();
        let tokens = lex(SourceId(0), "cou\\\nnt = 1; // more \\\r\n of it\n x", &mut errors);
        assert_eq!(tokens[0].identifier().unwrap().as_ref(), "count");
        assert_eq!(tokens.len(), 5);
        assert!(tokens[4].first_of_line);
    }

    #[test]
    fn an_open_comment_is_reported_where_it_begins() {
        let mut errors = Diagnostics::new();
        assert_eq!(lex(SourceId(0), "a /* b", &mut errors).len(), 1);
        assert_eq!(errors.iter().next().unwrap().span, Some(Span::new(SourceId(0), 2, 4)));
    }
}
