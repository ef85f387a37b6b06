//! Tokens to syntax, by recursive descent of bounded depth. After an error it goes on behind the statement or the
//! declaration that the error is in, so that one run reports them all.

mod declaration;
mod expression;
mod refused;
mod statement;

use std::rc::Rc;

use diagnostics::{Diagnostic, Span};

use crate::limits::MOST_NESTING;
use crate::report::Report;
use crate::syntax::{Name, Unit};
use crate::token::{Token, TokenKind};

/// A whole program. `tokens` ends with [`TokenKind::End`].
pub(crate) fn program(tokens: &[Token], report: &mut Report) -> Unit {
    let mut parser = Parser { tokens, at: 0, depth: 0, cut_off: false, report };
    parser.unit()
}

struct Parser<'t> {
    tokens: &'t [Token],
    at: usize,
    /// How many rules that can lie inside one another are being read.
    depth: u32,
    /// The rest is not read, for something lies too deep.
    cut_off: bool,
    report: &'t mut Report,
}

/// An error that was reported; whoever can go on after it does so.
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

    /// Takes the current token; the end token stays.
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

    /// Takes an operator or bracket that has to come now.
    fn expect(&mut self, punctuator: &str, after: &str) -> Parsed<Span> {
        if self.is(punctuator) {
            return Ok(self.advance().span);
        }
        let found = self.current().describe();
        let gap = self.gap();
        let error = Diagnostic::error(gap, format!("expected `{punctuator}` after {after}, found {found}"));
        self.report.push(error.label(format!("`{punctuator}` is missing here")));
        // Before a new line or the end of a block nothing but the `;` is missing: go on as if it were there.
        if punctuator == ";" && (self.current().first_of_line || self.is("}")) { Ok(gap) } else { Err(Reported) }
    }

    /// Takes a name that has to come now.
    fn name(&mut self, what: &str) -> Parsed<Name> {
        let token = self.current();
        if let Some(name) = self.name_at(0) {
            self.advance();
            return Ok(name);
        }
        match token.identifier() {
            Some(text) => {
                let error = Diagnostic::error(token.span, format!("`{text}` cannot be {what}"));
                self.fail(error.hint(format!("`{text}` is a word of the C language")))
            }
            None => {
                let error = Diagnostic::error(token.span, format!("expected {what}, found {}", token.describe()));
                self.fail(error)
            }
        }
    }

    /// The name that comes so many tokens later, if one does.
    fn name_at(&self, count: usize) -> Option<Name> {
        let token = self.ahead(count);
        let text = token.identifier().filter(|text| !refused::is_keyword(text))?;
        Some(Name { text: Rc::clone(text), span: token.span })
    }

    /// Where something is missing: right behind the token before, or at this one if they lie in different files.
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

    /// Reads something that can lie inside itself, unless it lies too deep.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MOST_NESTING {
            return self.too_deep();
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Refuses what lies too deep. Nothing after it is read: it would be the same again.
    fn too_deep<T>(&mut self) -> Parsed<T> {
        let error = Diagnostic::error(self.current().span, format!("this lies more than {MOST_NESTING} levels deep"));
        self.at = self.tokens.len() - 1;
        self.cut_off = true;
        self.fail(error.hint("split it into several statements"))
    }

    /// Goes behind the end of the statement or declaration that an error is in: behind the next `;` or behind a
    /// whole `{...}`, and stays in front of a `}` that ends what is around it.
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
