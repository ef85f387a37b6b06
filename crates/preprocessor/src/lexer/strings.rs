//! Strings of several lines with directives among them.
//!
//! The P4 compiler has its programs preprocessed as if they were assembler, where a string ends with its line: a line
//! within a string that begins with a directive is one, and is carried out. Programs rely on it to leave out lines of an
//! annotation.

use std::rc::Rc;

use super::cursor::Cursor;
use super::{Lexer, in_word};
use crate::piece::{PieceKind, StringPart};

/// The names of all directives, each as it is written behind its `#`.
pub(crate) const DIRECTIVES: [&str; 13] = [
    "include", "define", "undef", "if", "ifdef", "ifndef", "elif", "else", "endif", "error", "warning", "line",
    "pragma",
];

/// Where the text of a string ends for now.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Quote,
    Line,
    Text,
}

impl Lexer<'_> {
    /// The first line of a string, if one begins here that has directives among its lines.
    pub(super) fn first_of_string(&mut self, byte: u8) -> Option<PieceKind> {
        if byte != b'"' || self.in_string || !self.language.strings_of_lines || !self.has_directives() {
            return None;
        }
        self.in_string = true;
        self.cursor.bump();
        let (content, _) = pass_line(&mut self.cursor);
        Some(PieceKind::Text(content))
    }

    /// A further line of a string, if the cursor is at the beginning of one that is no directive. Empty lines are left
    /// out; see [`crate::preprocess`] for how they come back.
    pub(super) fn line_of_string(&mut self) -> Option<(PieceKind, StringPart)> {
        if !self.in_string || self.cursor.peek() == Some(b'\n') || is_directive(self.cursor) {
            return None;
        }
        let (content, end) = pass_line(&mut self.cursor);
        if end == End::Quote {
            self.cursor.bump();
            self.in_string = false;
            return Some((PieceKind::Text(content), StringPart::Last));
        }
        Some((PieceKind::Text(content), StringPart::Middle))
    }

    /// Whether there are directives between the quote at the cursor and the one that ends the string.
    fn has_directives(&mut self) -> bool {
        if self.no_more_quotes || self.no_more_lines {
            return false;
        }
        let mut ahead = self.cursor;
        ahead.bump();
        let mut found = false;
        loop {
            match pass_line(&mut ahead).1 {
                End::Quote => return found,
                End::Line => ahead.bump(),
                End::Text => {
                    self.no_more_lines = true;
                    return false;
                }
            }
            while is_directive(ahead) {
                found = true;
                while ahead.peek().is_some_and(|byte| byte != b'\n') {
                    ahead.bump();
                }
                ahead.bump();
            }
        }
    }
}

/// Passes over the text of a string up to the quote or the line's end, and gives it.
fn pass_line(cursor: &mut Cursor<'_>) -> (Rc<str>, End) {
    let mut content = Vec::new();
    let mut escaped = false;
    let end = loop {
        match cursor.peek() {
            None => break End::Text,
            Some(b'\n') => break End::Line,
            Some(b'"') if !escaped => break End::Quote,
            Some(byte) => {
                cursor.bump();
                escaped = byte == b'\\' && !escaped;
                content.push(byte);
            }
        }
    };
    (Rc::from(String::from_utf8_lossy(&content)), end)
}

/// Whether a line that begins here is a directive.
fn is_directive(mut cursor: Cursor<'_>) -> bool {
    let blank = |byte: u8| matches!(byte, b' ' | b'\t');
    cursor.take_while(blank);
    if !cursor.take("#") {
        return false;
    }
    cursor.take_while(blank);
    DIRECTIVES.contains(&cursor.take_while(in_word).as_str())
}
