//! Multi-line strings that contain directives.
//!
//! The P4 compiler (p4c) has programs preprocessed as assembler, where a string ends with its line: a line inside a
//! string that looks like a directive is one, and it is carried out. Some programs rely on this to omit lines of an
//! annotation.

use std::rc::Rc;

use super::cursor::Cursor;
use super::{Lexer, in_word};
use crate::piece::{PieceKind, StringPart};

/// The names of all directives, as written after the `#`.
pub(crate) const DIRECTIVES: [&str; 13] = [
    "include", "define", "undef", "if", "ifdef", "ifndef", "elif", "else", "endif", "error", "warning", "line",
    "pragma",
];

/// The reason why the text of a string ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum StringEnd {
    Quote,
    Line,
    Text,
}

impl Lexer<'_> {
    /// Returns the first line of the string that begins at the cursor, if the string contains directives.
    pub(super) fn first_of_string(&mut self, byte: u8) -> Option<PieceKind> {
        if byte != b'"' || self.in_string || !self.language.strings_of_lines || !self.has_directives() {
            return None;
        }
        self.in_string = true;
        self.cursor.bump();
        let (content, _) = pass_line(&mut self.cursor);
        Some(PieceKind::Text(content))
    }

    /// Returns the next line of a string if the cursor is at the beginning of a line that is not a directive. Empty
    /// lines are omitted; joining the parts restores them (see [`crate::preprocess`]).
    pub(super) fn line_of_string(&mut self) -> Option<(PieceKind, StringPart)> {
        if !self.in_string || self.cursor.peek() == Some(b'\n') || is_directive(self.cursor) {
            return None;
        }
        let (content, end) = pass_line(&mut self.cursor);
        if end == StringEnd::Quote {
            self.cursor.bump();
            self.in_string = false;
            return Some((PieceKind::Text(content), StringPart::Last));
        }
        Some((PieceKind::Text(content), StringPart::Middle))
    }

    /// Returns whether there are directives between the quote at the cursor and the closing quote.
    fn has_directives(&mut self) -> bool {
        if self.no_more_quotes || self.no_more_lines {
            return false;
        }
        let mut ahead = self.cursor;
        ahead.bump();
        let mut found = false;
        loop {
            match pass_line(&mut ahead).1 {
                StringEnd::Quote => return found,
                StringEnd::Line => ahead.bump(),
                StringEnd::Text => {
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

/// Skips the text of a string up to the closing quote or the end of the line, and returns it.
fn pass_line(cursor: &mut Cursor<'_>) -> (Rc<str>, StringEnd) {
    let mut content = Vec::new();
    let mut escaped = false;
    let end = loop {
        match cursor.peek() {
            None => break StringEnd::Text,
            Some(b'\n') => break StringEnd::Line,
            Some(b'"') if !escaped => break StringEnd::Quote,
            Some(byte) => {
                cursor.bump();
                escaped = byte == b'\\' && !escaped;
                content.push(byte);
            }
        }
    };
    (Rc::from(String::from_utf8_lossy(&content)), end)
}

/// Returns whether the line that begins here is a directive.
fn is_directive(mut cursor: Cursor<'_>) -> bool {
    let blank = |byte: u8| matches!(byte, b' ' | b'\t');
    cursor.take_while(blank);
    if !cursor.take("#") {
        return false;
    }
    cursor.take_while(blank);
    DIRECTIVES.contains(&cursor.take_while(in_word).as_str())
}
