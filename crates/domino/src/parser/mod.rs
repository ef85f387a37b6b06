//! The parser, a recursive descent of bounded depth. After an error, it continues after the statement or declaration
//! that contains the error, so that one run reports all errors.

mod declaration;
mod expression;
mod refused;
mod statement;

use std::rc::Rc;

use diagnostics::{Diagnostic, Span};

use crate::limits::MOST_NESTING;
use crate::syntax::{Name, Unit};
use crate::token::{Token, TokenKind};
use preprocessor::Report;

/// Parses a program. `tokens` must end with [`TokenKind::End`].
pub(crate) fn program(tokens: &[Token], report: &mut Report) -> Unit {
    let mut parser = Parser { tokens, at: 0, depth: 0, cut_off: false, report };
    parser.unit()
}

struct Parser<'t> {
    tokens: &'t [Token],
    at: usize,
    /// The current nesting depth of recursive rules.
    depth: u32,
    /// Whether parsing stopped early, because of excessive nesting or a block that is never closed.
    cut_off: bool,
    report: &'t mut Report,
}

/// An error that has been reported. A caller that can continue after it does so.
#[derive(Clone, Copy, Debug)]
struct Reported;

type Parsed<T> = Result<T, Reported>;

impl<'t> Parser<'t> {
    fn current(&self) -> &'t Token {
        &self.tokens[self.at]
    }

    fn ahead(&self, count: usize) -> &'t Token {
        &self.tokens[(self.at + count).min(self.tokens.len() - 1)]
    }

    /// Consumes and returns the current token; the end token is never consumed.
    fn advance(&mut self) -> &'t Token {
        let token = self.current();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    fn at_end(&self) -> bool {
        self.current().kind == TokenKind::End
    }

    fn is(&self, punctuator: &str) -> bool {
        self.current().is(punctuator)
    }

    fn is_word(&self, word: &str) -> bool {
        self.current().identifier().is_some_and(|name| &**name == word)
    }

    fn take(&mut self, punctuator: &str) -> bool {
        let found = self.is(punctuator);
        if found {
            self.advance();
        }
        found
    }

    fn take_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.advance();
        }
        found
    }

    /// Consumes an operator or bracket, or reports that it is missing.
    fn expect(&mut self, punctuator: &str, after: &str) -> Parsed<Span> {
        if self.is(punctuator) {
            return Ok(self.advance().span);
        }
        let found = self.current().describe();
        let gap = self.gap();
        let error = Diagnostic::error(gap, format!("expected `{punctuator}` after {after}, found {found}"));
        self.report.push(error.label(format!("`{punctuator}` is missing here")));
        // Before a new line or the end of a block, only the `;` is missing: continue as if it were there.
        if punctuator == ";" && (self.current().first_of_line || self.is("}")) { Ok(gap) } else { Err(Reported) }
    }

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

    /// Returns the location of a missing token: directly after the previous token, or at the current one if the two are
    /// in different files.
    fn gap(&self) -> Span {
        let here = self.current().span;
        let before = self.tokens[self.at.saturating_sub(1)].span;
        if before.source == here.source && before.end <= here.start {
            Span { start: before.end, ..before }
        } else {
            here
        }
    }

    fn fail<T>(&mut self, error: Diagnostic) -> Parsed<T> {
        self.report.push(error);
        Err(Reported)
    }

    /// Parses a recursive rule, unless the nesting is too deep.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MOST_NESTING {
            return self.too_deep();
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Reports that the nesting is too deep. The rest of the program is not parsed, because it would probably cause the
    /// same error repeatedly.
    fn too_deep<T>(&mut self) -> Parsed<T> {
        let error =
            Diagnostic::error(self.current().span, format!("this is nested more than {MOST_NESTING} levels deep"));
        self.at = self.tokens.len() - 1;
        self.cut_off = true;
        self.fail(error.hint("split it into several statements"))
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
