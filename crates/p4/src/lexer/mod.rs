//! Text to pieces: continued lines, comments, names, numbers, strings, operators (P4_16 1.2.5, section 6.4).

mod cursor;
mod number;
mod piece;

use std::rc::Rc;

use diagnostics::{Diagnostic, Diagnostics, SourceId, Span};

use crate::limits::MOST_TOKENS;
use crate::token::PUNCTUATORS;
use cursor::Cursor;
pub(crate) use piece::{Complaint, Invalid, Number, Piece, PieceKind};

/// The pieces of a text. An overlong text or an open comment is reported and cuts them off.
pub(crate) fn lex(source: SourceId, text: &str, errors: &mut Diagnostics) -> Vec<Piece> {
    let mut lexer = Lexer { cursor: Cursor { text, at: 0 }, no_more_quotes: false };
    if text.starts_with('\u{feff}') {
        lexer.cursor.at = '\u{feff}'.len_utf8();
    }
    let mut pieces = Vec::new();
    let mut first_of_line = true;
    let mut previous_end = None;
    loop {
        lexer.cursor.skip_splices();
        let start = lexer.cursor.at;
        let Some(byte) = lexer.cursor.peek() else { break };
        if byte == b'\n' {
            lexer.cursor.bump();
            first_of_line = true;
        } else if byte.is_ascii_whitespace() || byte == 0x0b {
            lexer.cursor.bump();
        } else if byte == b'/' && lexer.cursor.take("//") {
            while lexer.cursor.peek().is_some_and(|byte| byte != b'\n') {
                lexer.cursor.bump();
            }
        } else if byte == b'/' && lexer.cursor.take("/*") {
            if !lexer.skip_block_comment() {
                let error = Diagnostic::error(Span::new(source, start, start + 1), "this comment never ends");
                errors.push(error.hint("end it with `*/`"));
                break;
            }
        } else {
            let kind = lexer.piece(byte);
            let span = Span::new(source, start, lexer.cursor.at);
            if pieces.len() == MOST_TOKENS {
                let message = format!("the text is longer than {MOST_TOKENS} tokens");
                errors.push(Diagnostic::error(span, message).hint("no switch holds a program of this size"));
                break;
            }
            let touches_previous = previous_end == Some(start);
            pieces.push(Piece { kind, span, first_of_line, touches_previous, painted: false });
            first_of_line = false;
            previous_end = Some(lexer.cursor.at);
        }
    }
    pieces
}

/// The one piece that `text` is, if it is just one.
pub(crate) fn lex_one(text: &str) -> Option<PieceKind> {
    let mut lexer = Lexer { cursor: Cursor { text, at: 0 }, no_more_quotes: false };
    let byte = lexer.cursor.peek().filter(|byte| !byte.is_ascii_whitespace())?;
    if text.starts_with("//") || text.starts_with("/*") {
        return None;
    }
    let kind = lexer.piece(byte);
    (lexer.cursor.at == text.len() && !matches!(kind, PieceKind::Invalid(_))).then_some(kind)
}

/// A number from its text.
pub(crate) fn number_piece(text: String) -> PieceKind {
    let value = number::number(&text).map(Rc::new);
    PieceKind::Number(Rc::new(Number { text, value }))
}

struct Lexer<'t> {
    cursor: Cursor<'t>,
    /// A string was seen that nothing ends; to look for the end of another one would take quadratic time.
    no_more_quotes: bool,
}

impl Lexer<'_> {
    /// False if the comment never ends.
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
        let in_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        if byte.is_ascii_digit() {
            return number_piece(self.cursor.take_while(in_word));
        }
        if in_word(byte) {
            return PieceKind::Word(Rc::from(self.cursor.take_while(in_word)));
        }
        if byte == b'"' {
            return self.string();
        }
        if let Some(sign) = PUNCTUATORS.into_iter().find(|sign| self.cursor.take(sign)) {
            return PieceKind::Punctuator(sign);
        }
        if byte == b'#' {
            self.cursor.bump();
            return PieceKind::Punctuator("#");
        }
        let character = self.cursor.character().unwrap_or('\u{fffd}');
        let (message, hint) = match character {
            '\\' => ("a `\\` here means nothing".to_owned(), "a `\\` joins lines only as the last character of a line"),
            '\'' => ("P4 has no characters in `'`".to_owned(), "write a number, or a string in `\"`"),
            _ => {
                (format!("the character {character:?} means nothing here"), "names and operators are written in ASCII")
            }
        };
        invalid(character.to_string(), Complaint::new(message, hint), None)
    }

    /// A string goes on to the first `"` without a backslash before it, also over lines (P4_16 1.2.5, section
    /// 6.4.3.3).
    fn string(&mut self) -> PieceKind {
        self.cursor.bump();
        let begin = self.cursor;
        let mut content = Vec::new();
        let mut escaped = false;
        while let Some(byte) = self.cursor.peek().filter(|&byte| !(self.no_more_quotes && byte == b'\n')) {
            self.cursor.bump();
            if byte == b'"' && !escaped {
                return PieceKind::Text(Rc::from(String::from_utf8_lossy(&content)));
            }
            escaped = byte == b'\\' && !escaped;
            content.push(byte);
        }
        self.no_more_quotes = true;
        let complaint = Complaint::new("this string never ends", "end it with `\"`");
        // Only the rest of the line is taken for the string, so that what follows is still looked at.
        self.cursor = begin;
        while self.cursor.peek().is_some_and(|byte| byte != b'\n') {
            self.cursor.bump();
        }
        let line = content.split(|&byte| byte == b'\n').next().unwrap_or_default();
        let line = String::from_utf8_lossy(line).into_owned();
        // A lone backslash at the end would escape the `"` that is missing.
        let trailing = line.bytes().rev().take_while(|&byte| byte == b'\\').count();
        let stands_for = Rc::from(&line[..line.len() - trailing % 2]);
        invalid(format!("\"{line}"), complaint, Some(stands_for))
    }
}

fn invalid(text: String, complaint: Complaint, stands_for: Option<Rc<str>>) -> PieceKind {
    PieceKind::Invalid(Rc::new(Invalid { text, complaint, stands_for }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<&str> {
        let mut errors = Diagnostics::new();
        let pieces = lex(SourceId(0), text, &mut errors);
        assert!(errors.is_empty(), "{errors:?}");
        pieces.iter().map(|piece| &text[piece.span.start as usize..piece.span.end as usize]).collect()
    }

    #[test]
    fn the_longest_operator_wins_but_a_greater_than_stays_alone() {
        assert_eq!(
            words("a<<=b|+|=c|-|d&&&e..f...g"),
            "a <<= b |+|= c |-| d &&& e .. f ... g".split(' ').collect::<Vec<_>>()
        );
        assert_eq!(
            words("bit<bit<8>>>=x>=y{#}a++b"),
            "bit < bit < 8 > > >= x >= y {#} a ++ b".split(' ').collect::<Vec<_>>()
        );
        assert_eq!(
            words("x[7:0]1..2 0x1F.y @n{}"),
            "x [ 7 : 0 ] 1 .. 2 0x1F . y @ n { }".split(' ').collect::<Vec<_>>()
        );
    }

    #[test]
    fn comments_separate_pieces_and_keep_lines() {
        let mut errors = Diagnostics::new();
        let pieces = lex(SourceId(0), "a/* \n */b // c\n#d", &mut errors);
        let firsts: Vec<bool> = pieces.iter().map(|piece| piece.first_of_line).collect();
        // The line break inside the comment is part of the comment, which is one space.
        assert_eq!(firsts, [true, false, true, false]);
        assert!(pieces[3].touches_previous && !pieces[1].touches_previous);
    }

    #[test]
    fn a_backslash_joins_lines_even_inside_a_name_and_a_comment() {
        let mut errors = Diagnostics::new();
        let pieces = lex(SourceId(0), "cou\\\nnt = 1; // more \\\r\n of it\n x", &mut errors);
        assert_eq!(&**pieces[0].word().unwrap(), "count");
        assert_eq!(pieces[0].span, Span::new(SourceId(0), 0, 7));
        assert_eq!(pieces.len(), 5);
        assert!(pieces[4].first_of_line);
    }

    #[test]
    fn an_open_comment_is_reported_where_it_begins() {
        let mut errors = Diagnostics::new();
        assert_eq!(lex(SourceId(0), "a /* b", &mut errors).len(), 1);
        assert_eq!(errors.iter().next().unwrap().span, Some(Span::new(SourceId(0), 2, 3)));
    }

    #[test]
    fn strings_keep_escapes_and_lines_and_an_open_one_ends_with_its_line() {
        let mut errors = Diagnostics::new();
        let pieces = lex(SourceId(0), "\"a\\\"b\nc\\\\\" \"open é\nx \\\" y\n", &mut errors);
        assert!(matches!(&pieces[0].kind, PieceKind::Text(text) if &**text == "a\\\"b\nc\\\\"));
        assert!(
            matches!(&pieces[1].kind, PieceKind::Invalid(invalid) if invalid.stands_for.as_deref() == Some("open é"))
        );
        assert_eq!(&**pieces[2].word().unwrap(), "x");
        assert_eq!(pieces.len(), 5);
    }
}
