//! Numbers, strings and character constants.

use std::rc::Rc;

use super::{Lexer, in_word, invalid};
use crate::piece::{Complaint, PieceKind};

impl Lexer<'_> {
    pub(super) fn begins_number(&self, byte: u8) -> bool {
        let digit_after_point = || {
            let mut ahead = self.cursor;
            ahead.bump();
            ahead.peek().is_some_and(|next| next.is_ascii_digit())
        };
        byte.is_ascii_digit() || (self.language.fractions && byte == b'.' && digit_after_point())
    }

    /// Reads a preprocessing number: all digits and letters that follow, as in C (C11 6.4.8). The language decides
    /// whether it is a valid number. Unlike in C, the `e` of a hexadecimal number does not begin an exponent, so that
    /// `0xe+1` is a sum.
    pub(super) fn number(&mut self) -> PieceKind {
        let fractions = self.language.fractions;
        let mut text = String::new();
        while let Some(byte) = self.cursor.peek() {
            let sign_of_exponent = matches!(byte, b'+' | b'-')
                && text.ends_with(['e', 'E'])
                && !text.starts_with("0x")
                && !text.starts_with("0X");
            if !in_word(byte) && !(fractions && (byte == b'.' || sign_of_exponent)) {
                break;
            }
            text.push(char::from(byte));
            self.cursor.bump();
        }
        PieceKind::Number(Rc::from(text))
    }

    /// Reads a string or character constant, which extends to the first matching quote that is not escaped with a
    /// backslash.
    pub(super) fn quoted(&mut self, quote: u8) -> PieceKind {
        let passes_lines = quote == b'"' && self.language.strings_of_lines;
        self.cursor.bump();
        let begin = self.cursor;
        let mut content = Vec::new();
        let mut escaped = false;
        while let Some(byte) = self.cursor.peek() {
            if byte == b'\n' && (!passes_lines || self.no_more_quotes) {
                break;
            }
            self.cursor.bump();
            if byte == quote && !escaped {
                let content = Rc::from(String::from_utf8_lossy(&content));
                return if quote == b'"' { PieceKind::Text(content) } else { PieceKind::Character(content) };
            }
            escaped = byte == b'\\' && !escaped;
            content.push(byte);
        }
        self.no_more_quotes |= passes_lines;
        // The unclosed string takes only the rest of its line, so that the following text is still checked.
        self.cursor = begin;
        while self.cursor.peek().is_some_and(|byte| byte != b'\n') {
            self.cursor.bump();
        }
        let line = content.split(|&byte| byte == b'\n').next().unwrap_or_default();
        let line = String::from_utf8_lossy(line).into_owned();
        // An unpaired backslash at the end would escape the missing quote.
        let trailing = line.bytes().rev().take_while(|&byte| byte == b'\\').count();
        let content = Rc::from(&line[..line.len() - trailing % 2]);
        let quote = char::from(quote);
        let what =
            if quote == '"' { "this string never ends".to_owned() } else { format!("this `{quote}` is never closed") };
        let complaint = Complaint::new(what, format!("end it with `{quote}`"));
        invalid(format!("{quote}{line}"), complaint, Some(content))
    }
}
