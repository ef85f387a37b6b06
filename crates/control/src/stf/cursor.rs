//! A cursor for reading lines.

use diagnostics::{Diagnostic, SourceId, Span};

use crate::Word;

/// A position in a line.
pub(super) struct Cursor<'t> {
    source: SourceId,
    /// The offset of the line in the source.
    start: usize,
    line: &'t str,
    at: usize,
}

impl<'t> Cursor<'t> {
    pub(super) fn new(source: SourceId, start: usize, line: &'t str) -> Self {
        Self { source, start, line, at: 0 }
    }

    pub(super) fn rest(&self) -> &'t str {
        &self.line[self.at..]
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.rest().is_empty()
    }

    pub(super) fn skip_blanks(&mut self) {
        self.at = self.line.len() - self.rest().trim_start().len();
    }

    /// Consumes a text if it comes next, and returns whether it did.
    pub(super) fn take(&mut self, text: &str) -> bool {
        let comes = self.rest().starts_with(text);
        if comes {
            self.at += text.len();
        }
        comes
    }

    /// Consumes the characters for which `belongs` holds, and returns them; there may be none.
    pub(super) fn take_while(&mut self, belongs: impl Fn(char) -> bool) -> Word {
        let from = self.at;
        let length = self.rest().find(|letter| !belongs(letter)).unwrap_or(self.rest().len());
        self.at += length;
        Word { text: self.line[from..self.at].to_owned(), span: self.span(from, self.at) }
    }

    /// Consumes everything up to the next white space.
    pub(super) fn take_word(&mut self) -> Word {
        self.take_while(|letter| !letter.is_whitespace())
    }

    /// Consumes everything up to the end of the line, without surrounding white space.
    pub(super) fn take_rest(&mut self) -> Word {
        self.skip_blanks();
        let length = self.rest().trim_end().len();
        let from = self.at;
        self.at = self.line.len();
        Word { text: self.line[from..from + length].to_owned(), span: self.span(from, from + length) }
    }

    /// Consumes a name, which consists of letters, digits, `_`, `$`, `.` and `[0]`, or of any text in quotes. `x$0`
    /// becomes `x[0]`.
    pub(super) fn take_name(&mut self, what: &str) -> Result<Word, Diagnostic> {
        self.skip_blanks();
        let mut name = if self.take("\"") {
            let name = self.take_while(|letter| letter != '"');
            if !self.take("\"") {
                return Err(self.error("this quoted name is never closed"));
            }
            name
        } else {
            self.take_while(|letter| letter.is_alphanumeric() || "_$.[]".contains(letter))
        };
        // The validity of a header is the only call that a name may contain.
        if name.text.ends_with(".isValid") && self.take("()") {
            name.text.push_str("()");
        }
        if name.text.is_empty() {
            return Err(self.error(format!("expected {what}")));
        }
        name.text = with_brackets(&name.text);
        Ok(name)
    }

    /// Consumes a decimal number.
    pub(super) fn take_number(&mut self, what: &str) -> Result<u32, Diagnostic> {
        self.skip_blanks();
        let word = self.take_word();
        if word.text.is_empty() {
            return Err(self.error(format!("expected {what}")));
        }
        let is_number = word.text.bytes().all(|byte| byte.is_ascii_digit());
        let number = word.text.parse().ok().filter(|_| is_number);
        number.ok_or_else(|| {
            Diagnostic::error(word.span, format!("`{}` is not {what}: write a decimal number", word.text))
        })
    }

    /// Checks that only white space remains on the line.
    pub(super) fn end(&mut self) -> Result<(), Diagnostic> {
        self.skip_blanks();
        match self.is_at_end() {
            true => Ok(()),
            false => Err(self.error(format!("unexpected `{}`", self.rest().trim_end()))),
        }
    }

    /// Creates an error about the rest of the line, or about its end.
    pub(super) fn error(&self, message: impl Into<String>) -> Diagnostic {
        let next = self.rest().trim_end();
        Diagnostic::error(self.span(self.at, self.at + next.len()), message)
    }

    /// Returns the location of the whole line, without surrounding white space.
    pub(super) fn whole(&self) -> Span {
        let trimmed = self.line.trim_end();
        self.span(trimmed.len() - trimmed.trim_start().len(), trimmed.len())
    }

    fn span(&self, from: usize, to: usize) -> Span {
        Span::new(self.source, self.start + from, self.start + to)
    }
}

/// Returns a name with every `$0` replaced by `[0]`.
fn with_brackets(name: &str) -> String {
    let mut parts = name.split('$');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits = part.len() - part.trim_start_matches(|letter: char| letter.is_ascii_digit()).len();
        let (index, rest) = part.split_at(digits);
        text.push_str(&if index.is_empty() { format!("${rest}") } else { format!("[{index}]{rest}") });
    }
    text
}

#[cfg(test)]
mod tests {
    use super::with_brackets;

    #[test]
    fn a_number_after_a_dollar_is_an_index() {
        assert_eq!(with_brackets("extra$0.h"), "extra[0].h");
        assert_eq!(with_brackets("a$1.b$23"), "a[1].b[23]");
        assert_eq!(with_brackets("data.$valid$"), "data.$valid$");
        assert_eq!(with_brackets("$A"), "$A");
    }
}
