//! The parser, a recursive descent of bounded depth. After an error, it continues after the statement or declaration
//! that contains the error, so that one run reports all errors.

mod declaration;
mod expression;
mod refused;
mod statement;

use std::ops::{Deref, DerefMut};
use std::rc::Rc;

use diagnostics::Diagnostic;
use preprocessor::{Cursor, Parsed, Report};

use crate::limits::MOST_NESTING;
use crate::syntax::{Name, Unit};
use crate::token::{Integer, Token};

/// Parses a program. `tokens` must end with [`TokenKind::End`].
pub(crate) fn program(tokens: &[Token], report: &mut Report) -> Unit {
    Parser { cursor: Cursor::new(tokens, MOST_NESTING, &[], report) }.unit()
}

struct Parser<'t> {
    cursor: Cursor<'t, Integer>,
}

impl<'t> Deref for Parser<'t> {
    type Target = Cursor<'t, Integer>;

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
    /// Consumes a name, or reports that it is missing.
    fn name(&mut self, what: &str) -> Parsed<Name> {
        let token = self.current();
        if let Some(name) = self.name_at(0) {
            self.advance();
            return Ok(name);
        }
        match token.identifier() {
            Some(text) => {
                let error = Diagnostic::error(token.span, format!("`{text}` cannot be {what}"));
                self.fail(error.hint(format!("`{text}` is a keyword of C")))
            }
            None => {
                let error = Diagnostic::error(token.span, format!("expected {what}, found {}", token.describe()));
                self.fail(error)
            }
        }
    }

    /// Returns the name that is `count` tokens ahead, if that token is a name.
    fn name_at(&self, count: usize) -> Option<Name> {
        let token = self.ahead(count);
        let text = token.identifier().filter(|text| !refused::is_keyword(text))?;
        Some(Name { text: Rc::clone(text), span: token.span })
    }

    /// Parses a recursive rule, unless the nesting is too deep.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.enter()?;
        let result = read(self);
        self.leave();
        result
    }

    /// Skips to the end of the statement or declaration that contains an error: after the next `;` or a complete
    /// `{...}`, but not past a `}` that closes an enclosing block.
    fn recover(&mut self) {
        let mut open = 0;
        while !self.at_end() {
            if self.is("{") {
                open += 1;
            } else if self.is("}") {
                if open == 0 {
                    return;
                }
                open -= 1;
                if open == 0 {
                    self.advance();
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
