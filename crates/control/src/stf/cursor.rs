//! A place in a line.

use diagnostics::{Diagnostic, SourceId, Span};

use crate::Word;

/// A place in a line, from which it is read on.
pub(super) struct Cursor<'t> {
    source: SourceId,
    /// Where the line starts in the source.
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

    /// Takes a text if it comes next.
    pub(super) fn take(&mut self, text: &str) -> bool {
        let comes = self.rest().starts_with(text);
        if comes {
            self.at += text.len();
        }
        comes
    }

    /// Takes the letters that belong, maybe none.
    pub(super) fn take_while(&mut self, belongs: impl Fn(char) -> bool) -> Word {
        let from = self.at;
        let length = self.rest().find(|letter| !belongs(letter)).unwrap_or(self.rest().len());
        self.at += length;
        Word { text: self.line[from..self.at].to_owned(), span: self.span(from, self.at) }
    }

    /// Takes all up to the next blank.
    pub(super) fn take_word(&mut self) -> Word {
        self.take_while(|letter| !letter.is_whitespace())
    }

    /// Takes a name: letters, digits, `_`, `$`, `.` and `[0]`, or anything in quotes. `x$0` becomes `x[0]`.
    pub(super) fn take_name(&mut self, what: &str) -> Result<Word, Diagnostic> {
        self.skip_blanks();
        let mut name = if self.take("\"") {
            let name = self.take_while(|letter| letter != '"');
            if !self.take("\"") {
                return Err(self.error("this quote never ends"));
            }
            name
        } else {
            self.take_while(|letter| letter.is_alphanumeric() || "_$.[]".contains(letter))
        };
        // The validity of a header, the only call that a name may be.
        if name.text.ends_with(".isValid") && self.take("()") {
            name.text.push_str("()");
        }
        if name.text.is_empty() {
            return Err(self.error(format!("{what} is missing here")));
        }
        name.text = with_brackets(&name.text);
        Ok(name)
    }

    /// Takes a number in decimal.
    pub(super) fn take_number(&mut self, what: &str) -> Result<u32, Diagnostic> {
        self.skip_blanks();
        let word = self.take_word();
        if word.text.is_empty() {
            return Err(self.error(format!("{what} is missing here")));
        }
        let is_number = word.text.bytes().all(|byte| byte.is_ascii_digit());
        let number = word.text.parse().ok().filter(|_| is_number);
        number.ok_or_else(|| Diagnostic::error(word.span, format!("`{}` is not {what}: a decimal number", word.text)))
    }

    /// Refuses anything but blanks up to the end.
    pub(super) fn end(&mut self) -> Result<(), Diagnostic> {
        self.skip_blanks();
        match self.is_at_end() {
            true => Ok(()),
            false => Err(self.error(format!("`{}` is too much here", self.rest().trim_end()))),
        }
    }

    /// An error about what comes next, or the end of the line.
    pub(super) fn error(&self, message: impl Into<String>) -> Diagnostic {
        let next = self.rest().trim_end();
        Diagnostic::error(self.span(self.at, self.at + next.len()), message)
    }

    /// The whole line, without blanks around it.
    pub(super) fn whole(&self) -> Span {
        let trimmed = self.line.trim_end();
        self.span(trimmed.len() - trimmed.trim_start().len(), trimmed.len())
    }

    fn span(&self, from: usize, to: usize) -> Span {
        Span::new(self.source, self.start + from, self.start + to)
    }
}

/// A name with `[0]` for every `$0`.
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
