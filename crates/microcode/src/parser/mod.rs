//! The parser, a recursive descent of bounded depth. After an error, it continues after the statement or declaration
//! that contains the error, so that one run reports all errors.

mod code;
mod declaration;
mod expression;
mod statement;
mod structure;
mod types;
mod words;

use std::collections::BTreeSet;
use std::ops::{Deref, DerefMut};
use std::rc::Rc;

use diagnostics::{Diagnostic, Span};
use preprocessor::{Cursor, Parsed, Report};

use crate::limits::MOST_NESTING;
use crate::syntax::{Name, Unit};
use crate::token::Token;

/// Parses a program. `tokens` must end with [`TokenKind::End`].
pub(crate) fn program(tokens: &[Token], report: &mut Report) -> Unit {
    let type_names = BTreeSet::from([Rc::from(crate::predefined::COUNTER)]);
    let mut parser = Parser { cursor: Cursor::new(tokens, MOST_NESTING, &["end"], report), type_names };
    parser.unit()
}

struct Parser<'t> {
    cursor: Cursor<'t, u64>,
    /// The names of the structs and unions so far, which decide what `(name) …` and `name * …` mean.
    type_names: BTreeSet<Rc<str>>,
}

impl<'t> Deref for Parser<'t> {
    type Target = Cursor<'t, u64>;

    fn deref(&self) -> &Self::Target {
        &self.cursor
    }
}

impl DerefMut for Parser<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.cursor
    }
}

impl Parser<'_> {
    /// Consumes a word, or reports that it is missing.
    fn expect_word(&mut self, word: &str, after: &str) -> Parsed<Span> {
        if self.is_word(word) {
            return Ok(self.advance().span);
        }
        let found = self.current().describe();
        let error = Diagnostic::error(self.gap(), format!("expected `{word}` after {after}, found {found}"));
        self.fail(error)
    }

    /// Consumes a name of the program, or reports that it is missing.
    fn name(&mut self, what: &str) -> Parsed<Name> {
        self.name_unless(what, words::is_reserved)
    }

    /// Consumes the name of a field. Words that begin declarations are names here.
    fn field_name(&mut self) -> Parsed<Name> {
        self.name_unless("the name of a field", words::is_keyword)
    }

    fn name_unless(&mut self, what: &str, is_reserved: fn(&str) -> bool) -> Parsed<Name> {
        let token = self.current();
        match token.identifier() {
            Some(text) if is_reserved(text) => {
                let error = Diagnostic::error(token.span, format!("`{text}` cannot be {what}"));
                self.fail(error.hint(format!("`{text}` is a word of the language")))
            }
            Some(text) => {
                self.advance();
                Ok(Name { text: Rc::clone(text), span: token.span })
            }
            None => {
                let error = Diagnostic::error(token.span, format!("expected {what}, found {}", token.describe()));
                self.fail(error)
            }
        }
    }

    /// Parses a recursive rule, unless the nesting is too deep.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.enter()?;
        let result = read(self);
        self.leave();
        result
    }

    /// Skips to the end of the statement or declaration that contains an error: after the next `;` or a complete
    /// `{...}`, but not past a `}` that closes an enclosing block, nor past the end or begin of an instruction.
    fn recover(&mut self) {
        let mut open = 0;
        while !self.at_end() && !matches!(self.word(), "end" | "begin") {
            if self.is("{") {
                open += 1;
            } else if self.is("}") {
                if open == 0 {
                    return;
                }
                open -= 1;
                if open == 0 {
                    self.advance();
                    self.take(";");
                    return;
                }
            } else if self.is(";") && open == 0 {
                self.advance();
                return;
            }
            self.advance();
        }
    }
}
