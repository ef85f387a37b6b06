//! Reads the text format of protobuf without a schema, as far as files of P4Info use it.

use std::iter::Peekable;
use std::str::Chars;

/// A value of a field.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Value {
    /// A number, a Boolean or the name of an enumerator, as written in the text.
    Word(String),
    /// The bytes of a string, with escapes resolved.
    Bytes(Vec<u8>),
    /// The fields of a message with their names, in the order of the text.
    Message(Vec<(String, Value)>),
}

/// The maximum nesting depth of messages.
const MOST_DEPTH: usize = 64;

/// Reads a text as the fields of a message.
///
/// # Errors
/// If the text is malformed; the message gives the line.
pub(super) fn read(text: &str) -> Result<Vec<(String, Value)>, String> {
    let mut reader = Reader { text: text.chars().peekable(), line: 1 };
    let message = reader.fields(0)?;
    match reader.next_token() {
        None => Ok(message),
        Some(other) => Err(format!("line {}: unexpected `{other}`", reader.line)),
    }
}

struct Reader<'t> {
    text: Peekable<Chars<'t>>,
    line: usize,
}

impl Reader<'_> {
    /// Reads fields up to a `}` or the end of the text, without consuming the `}`.
    fn fields(&mut self, depth: usize) -> Result<Vec<(String, Value)>, String> {
        if depth > MOST_DEPTH {
            return Err(format!("line {}: messages are nested more than {MOST_DEPTH} deep", self.line));
        }
        let mut fields = Vec::new();
        while let Some(letter) = self.peek_token().filter(|&letter| letter != '}') {
            if !(letter.is_ascii_alphabetic() || letter == '_') {
                return Err(format!("line {}: expected the name of a field, found `{letter}`", self.line));
            }
            let name = self.word();
            let has_colon = self.peek_token() == Some(':');
            if has_colon {
                self.next_token();
            }
            let value = match self.peek_token() {
                Some('{') => {
                    self.next_token();
                    let inner = self.fields(depth + 1)?;
                    if self.next_token() != Some('}') {
                        return Err(format!("line {}: the message `{name}` has no closing `}}`", self.line));
                    }
                    Value::Message(inner)
                }
                Some('"' | '\'') if has_colon => Value::Bytes(self.strings()?),
                Some(letter) if has_colon && (letter.is_ascii_alphanumeric() || letter == '-') => {
                    Value::Word(self.word())
                }
                _ => return Err(format!("line {}: the field `{name}` has no value", self.line)),
            };
            fields.push((name, value));
        }
        Ok(fields)
    }

    /// Skips white space and comments, and returns the next character without consuming it.
    fn peek_token(&mut self) -> Option<char> {
        loop {
            match self.text.peek()? {
                '#' => while self.text.next_if(|&letter| letter != '\n').is_some() {},
                '\n' => {
                    self.line += 1;
                    self.text.next();
                }
                letter if letter.is_whitespace() => _ = self.text.next(),
                letter => return Some(*letter),
            }
        }
    }

    fn next_token(&mut self) -> Option<char> {
        self.peek_token()?;
        self.text.next()
    }

    fn word(&mut self) -> String {
        let in_word = |letter: &char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '.' | '+');
        std::iter::from_fn(|| self.text.next_if(in_word)).collect()
    }

    /// Reads a string; adjacent strings are concatenated.
    fn strings(&mut self) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::new();
        while let Some(quote) = self.peek_token().filter(|letter| matches!(letter, '"' | '\'')) {
            self.text.next();
            loop {
                match self.text.next() {
                    None | Some('\n') => return Err(format!("line {}: this string has no closing quote", self.line)),
                    Some(letter) if letter == quote => break,
                    Some('\\') => self.escape(&mut bytes)?,
                    Some(letter) => bytes.extend(letter.encode_utf8(&mut [0; 4]).bytes()),
                }
            }
        }
        Ok(bytes)
    }

    fn escape(&mut self, bytes: &mut Vec<u8>) -> Result<(), String> {
        let wrong = format!("line {}: unknown escape sequence", self.line);
        let letter = self.text.next().ok_or_else(|| wrong.clone())?;
        bytes.push(match letter {
            'n' => b'\n',
            'r' => b'\r',
            't' => b'\t',
            '"' | '\'' | '\\' => letter as u8,
            'x' => self.digits(16, 2, String::new()).ok_or(wrong)?,
            '0'..='7' => self.digits(8, 2, letter.to_string()).ok_or(wrong)?,
            _ => return Err(wrong),
        });
        Ok(())
    }

    /// Appends at most `most` further digits, and returns the value of them all.
    fn digits(&mut self, radix: u32, most: usize, mut digits: String) -> Option<u8> {
        for _ in 0..most {
            digits.extend(self.text.next_if(|letter| letter.is_digit(radix)));
        }
        u8::from_str_radix(&digits, radix).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_messages_strings_and_numbers() {
        let text = "# head\na { b: 1 c: \"x\\n\\\"\\001\" 'y' }\na { }\nd: TABLE_ONLY e: -3\n";
        let found = read(text).expect("it is right");
        let word = |text: &str| Value::Word(text.to_owned());
        let first = vec![("b".to_owned(), word("1")), ("c".to_owned(), Value::Bytes(b"x\n\"\x01y".to_vec()))];
        let expected =
            [("a", Value::Message(first)), ("a", Value::Message(vec![])), ("d", word("TABLE_ONLY")), ("e", word("-3"))];
        assert_eq!(found, expected.map(|(name, value)| (name.to_owned(), value)));
    }

    #[test]
    fn errors_show_the_line() {
        for (text, message) in [
            ("a {\nb: 1", "line 2: the message `a` has no closing `}`"),
            ("a:\n}", "line 2: the field `a` has no value"),
            ("a: \"b\nc\"", "line 1: this string has no closing quote"),
            ("a: 1 }", "line 1: unexpected `}`"),
            ("a: \"\\q\"", "line 1: unknown escape sequence"),
            ("1: 2", "line 1: expected the name of a field, found `1`"),
        ] {
            assert_eq!(read(text), Err(message.to_owned()), "{text}");
        }
        assert!(read(&"a {".repeat(1000)).is_err());
    }
}
