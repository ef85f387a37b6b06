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
use std::rc::Rc;

use diagnostics::{Diagnostic, Span};
use preprocessor::Report;

use crate::limits::MOST_NESTING;
use crate::syntax::{Name, Unit};
use crate::token::{Token, TokenKind};

/// Parses a program. `tokens` must end with [`TokenKind::End`].
pub(crate) fn program(tokens: &[Token], report: &mut Report) -> Unit {
    let type_names = BTreeSet::from([Rc::from(crate::predefined::COUNTER)]);
    let mut parser = Parser { tokens, at: 0, depth: 0, cut_off: false, type_names, report };
    parser.unit()
}

struct Parser<'t> {
    tokens: &'t [Token],
    at: usize,
    /// The current nesting depth of recursive rules.
    depth: u32,
    /// Whether parsing stopped early, because of excessive nesting or a block that is never closed.
    cut_off: bool,
    /// The names of the structs and unions so far, which decide what `(name) …` and `name * …` mean.
    type_names: BTreeSet<Rc<str>>,
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

    fn word(&self) -> &'t str {
        self.current().identifier().map_or("", |word| word)
    }

    fn is_word(&self, word: &str) -> bool {
        self.word() == word
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
        let only_missing = self.current().first_of_line || self.is("}") || self.is_word("end");
        if punctuator == ";" && only_missing { Ok(gap) } else { Err(Reported) }
    }

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
