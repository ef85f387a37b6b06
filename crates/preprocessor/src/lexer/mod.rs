//! The lexer: line splices, comments, names, numbers, strings and operators (C11 5.1.1.2, phases 1 to 3).

mod cursor;
mod literal;
mod strings;

use std::rc::Rc;

use diagnostics::{Diagnostic, Diagnostics, SourceId, Span};

use crate::language::Language;
use crate::piece::{Complaint, Invalid, Piece, PieceKind, StringPart};
use cursor::Cursor;
pub(crate) use strings::DIRECTIVES;

/// Splits a text into pieces. A text with too many pieces and an unclosed comment are reported and end the list of
/// pieces early; `whole` then becomes false.
pub(crate) fn lex(
    language: &Language,
    source: SourceId,
    text: &str,
    errors: &mut Diagnostics,
    whole: &mut bool,
) -> Vec<Piece> {
    let mut lexer = Lexer::new(language, text);
    if text.starts_with('\u{feff}') {
        lexer.cursor.at = '\u{feff}'.len_utf8();
    }
    let mut pieces = Vec::new();
    let mut first_of_line = true;
    let mut previous_end = None;
    let mut not_utf8 = NotUtf8 { text, source, is_told: false };
    loop {
        lexer.cursor.skip_splices();
        let start = lexer.cursor.at;
        let Some(byte) = lexer.cursor.peek() else { break };
        let line_of_string = if first_of_line { lexer.line_of_string() } else { None };
        if line_of_string.is_none() && byte == b'\n' {
            lexer.cursor.bump();
            first_of_line = true;
        } else if line_of_string.is_none() && (byte.is_ascii_whitespace() || byte == 0x0b) {
            lexer.cursor.bump();
        } else if line_of_string.is_none() && byte == b'/' && lexer.cursor.take("//") {
            while lexer.cursor.peek().is_some_and(|byte| byte != b'\n') {
                lexer.cursor.bump();
            }
            not_utf8.look(start..lexer.cursor.at, errors);
        } else if line_of_string.is_none() && byte == b'/' && lexer.cursor.take("/*") {
            let span = Span::new(source, start, lexer.cursor.at);
            if !lexer.skip_block_comment() {
                errors.push(Diagnostic::error(span, "this comment never ends").hint("end it with `*/`"));
                *whole = false;
                break;
            }
            not_utf8.look(start..lexer.cursor.at, errors);
        } else {
            let (kind, part) = line_of_string.unwrap_or_else(|| match lexer.first_of_string(byte) {
                Some(kind) => (kind, StringPart::First),
                None => (lexer.piece(byte), StringPart::Whole),
            });
            let span = Span::new(source, start, lexer.cursor.at);
            if pieces.len() == language.limits.tokens {
                let message = format!("the text is longer than {} tokens", language.limits.tokens);
                errors.push(Diagnostic::error(span, message).hint("no switch holds a program of this size"));
                *whole = false;
                break;
            }
            if matches!(kind, PieceKind::Text(_)) {
                not_utf8.look(start..lexer.cursor.at, errors);
            }
            let touches_previous = previous_end == Some(start);
            pieces.push(Piece { kind, span, first_of_line, touches_previous, painted: false, part });
            first_of_line = false;
            previous_end = Some(lexer.cursor.at);
        }
    }
    pieces
}

/// Finds bytes that were not valid UTF-8 and were read as U+FFFD. Outside comments and strings, U+FFFD is an error
/// anyway.
struct NotUtf8<'t> {
    text: &'t str,
    source: SourceId,
    is_told: bool,
}

impl NotUtf8<'_> {
    /// Warns about the first such byte in a comment or a string of the text; there is one warning per text.
    fn look(&mut self, range: std::ops::Range<usize>, found: &mut Diagnostics) {
        let start = range.start;
        let Some(at) = self.text[range].find('\u{fffd}').filter(|_| !self.is_told) else { return };
        self.is_told = true;
        let span = Span::new(self.source, start + at, start + at + '\u{fffd}'.len_utf8());
        let warning = Diagnostic::warning(span, "this text is not UTF-8");
        found.push(warning.label("shown as U+FFFD").hint("save the file as UTF-8"));
    }
}

/// Returns the piece that `text` consists of, or `None` if it is not exactly one valid piece.
pub(crate) fn lex_one(language: &Language, text: &str) -> Option<PieceKind> {
    let mut lexer = Lexer::new(language, text);
    let byte = lexer.cursor.peek().filter(|byte| !byte.is_ascii_whitespace())?;
    if text.starts_with("//") || text.starts_with("/*") {
        return None;
    }
    let kind = lexer.piece(byte);
    (lexer.cursor.at == text.len() && !matches!(kind, PieceKind::Invalid(_))).then_some(kind)
}

struct Lexer<'t> {
    language: &'t Language,
    cursor: Cursor<'t>,
    /// Whether an unclosed string was found. Looking for the end of each further string would take quadratic time.
    no_more_quotes: bool,
    /// Whether a string was found that is not closed when its directives are carried out; the same then holds for all
    /// strings that follow.
    no_more_lines: bool,
    /// Whether the cursor is inside a string that is read line by line.
    in_string: bool,
}

impl<'t> Lexer<'t> {
    fn new(language: &'t Language, text: &'t str) -> Self {
        Self { language, cursor: Cursor { text, at: 0 }, no_more_quotes: false, no_more_lines: false, in_string: false }
    }

    /// Skips the rest of a block comment. Returns false if it is not closed.
    fn skip_block_comment(&mut self) -> bool {
        while self.cursor.peek().is_some() {
            if self.cursor.take("*/") {
                return true;
            }
            self.cursor.bump();
        }
        false
    }

    fn piece(&mut self, byte: u8) -> PieceKind {
        if self.begins_number(byte) {
            return self.number();
        }
        if in_word(byte) {
            return PieceKind::Word(Rc::from(self.cursor.take_while(in_word)));
        }
        if byte == b'"' || (byte == b'\'' && self.language.characters.is_some()) {
            return self.quoted(byte);
        }
        let punctuators = ["##", "#"].iter().chain(self.language.punctuators);
        if let Some(punctuator) = punctuators.copied().find(|punctuator| self.cursor.take(punctuator)) {
            return PieceKind::Punctuator(punctuator);
        }
        let character = self.cursor.character().unwrap_or('\u{fffd}');
        let complaint = match character {
            '\\' => {
                Complaint::new("a `\\` here means nothing", "a `\\` joins lines only as the last character of a line")
            }
            '\'' => Complaint::new("a `'` here means nothing", "write a number, or a string in `\"`"),
            _ => Complaint::new(
                format!("the character {character:?} means nothing here"),
                "names and operators are written in ASCII",
            ),
        };
        invalid(character.to_string(), complaint, None)
    }
}

fn in_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn invalid(text: String, complaint: Complaint, content: Option<Rc<str>>) -> PieceKind {
    PieceKind::Invalid(Rc::new(Invalid { text, complaint, content }))
}
