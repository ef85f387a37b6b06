//! The parser: recursive descent of bounded depth, without backtracking. The common prefix of two rules is read once;
//! what follows it, and which names are types, decide between them.
//!
//! After an error, the parser resumes behind the statement or declaration with the error, so that one run reports all
//! errors.

mod annotations;
mod arguments;
mod branches;
mod containers;
mod controls;
mod declaration;
mod expression;
mod externs;
mod foreign_syntax;
mod keysets;
mod p4_14;
mod parsers;
mod primary;
mod recovery;
mod scopes;
mod statement;
mod tables;
mod typed;
mod types;
mod unknown_types;

use diagnostics::{Diagnostic, Diagnostics, Span};

use crate::ast::{Name, Program};
use crate::token::{Keyword, Token, TokenKind};
use scopes::Scopes;

/// The depth to which blocks, brackets and operators may nest.
pub const MOST_NESTING: u32 = 200;

/// Parses a whole program. `tokens` must end with [`TokenKind::End`], as those of [`crate::preprocess`] do. Code with
/// syntax errors is left out of the tree.
pub fn parse(tokens: &[Token]) -> (Program, Diagnostics) {
    assert!(tokens.last().is_some_and(|last| last.kind == TokenKind::End), "tokens end with the end of the program");
    let mut reader = Reader {
        tokens,
        at: 0,
        depth: 0,
        no_greater: false,
        in_state: false,
        cut_off: false,
        misplaced: false,
        scopes: Scopes::new(),
        waiting: None,
        findings: Diagnostics::new(),
    };
    let program = reader.program();
    (program, reader.findings)
}

struct Reader<'t> {
    tokens: &'t [Token],
    at: usize,
    /// The depth of nesting of the rules that are being read.
    depth: u32,
    /// True where `>` ends a width or type arguments and is not an operator.
    no_greater: bool,
    /// True within a state of a parser, where fewer statements are allowed.
    in_state: bool,
    /// True if nothing more is reported, because further errors would be consequences of earlier ones.
    cut_off: bool,
    /// True if a declaration of the top level was found within another one and reported.
    misplaced: bool,
    scopes: Scopes,
    /// Unknown names in places of types, which type parameters that are still to come may declare.
    waiting: Option<Vec<Name>>,
    findings: Diagnostics,
}

/// A syntax error that was reported. Callers that can resume after it do so.
#[derive(Clone, Copy, Debug)]
struct Reported;

type Parsed<T> = Result<T, Reported>;

impl<'t> Reader<'t> {
    fn program(&mut self) -> Program {
        let end = self.tokens[self.tokens.len() - 1].span;
        let mut program = Program { end: Some(end), ..Program::default() };
        while !self.at_end() {
            if self.take(";").is_some() {
                continue;
            }
            let start = self.at;
            match self.declaration() {
                Ok(declaration) => program.declarations.push(declaration),
                Err(Reported) => {
                    self.recover(start);
                    if self.is("}") {
                        self.advance(); // a brace too many, which nothing around it could close
                    }
                }
            }
        }
        program
    }

    fn current(&self) -> &'t Token {
        &self.tokens[self.at]
    }

    fn ahead(&self, count: usize) -> &'t Token {
        &self.tokens[(self.at + count).min(self.tokens.len() - 1)]
    }

    /// Returns the token before this one.
    fn before(&self) -> &'t Token {
        &self.tokens[self.at.saturating_sub(1)]
    }

    /// Returns the span from a place to the end of the last token that was read.
    fn since(&self, start: Span) -> Span {
        start.to(self.before().span)
    }

    /// Takes the current token; the end token is never taken.
    fn advance(&mut self) -> &'t Token {
        let token = self.current();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    /// Returns true before a token that marks an error of the lexer.
    fn stands_for_an_error(&self) -> bool {
        matches!(&self.current().kind, TokenKind::Unexpected(text) if text.is_empty())
    }

    fn at_end(&self) -> bool {
        self.current().kind == TokenKind::End
    }

    fn is(&self, punctuator: &str) -> bool {
        self.current().is(punctuator)
    }

    fn is_word(&self, keyword: Keyword) -> bool {
        self.current().is_keyword(keyword)
    }

    fn take(&mut self, punctuator: &str) -> Option<Span> {
        self.is(punctuator).then(|| self.advance().span)
    }

    fn take_word(&mut self, keyword: Keyword) -> Option<Span> {
        self.is_word(keyword).then(|| self.advance().span)
    }

    /// Takes an operator or bracket, or reports that it is missing.
    fn expect(&mut self, punctuator: &str, after: &str) -> Parsed<Span> {
        if let Some(span) = self.take(punctuator) {
            return Ok(span);
        }
        let gap = self.gap();
        if self.stands_for_an_error() {
            let ends = punctuator == ";" && self.ahead(1).first_of_line;
            return if ends { Ok(self.advance().span) } else { Err(Reported) };
        }
        let found = self.current().kind.describe();
        let mut error = Diagnostic::error(gap, format!("expected `{punctuator}` after {after}, found {found}"))
            .label(format!("`{punctuator}` is missing here"));
        if punctuator == ")" && self.is("=") {
            error = error.hint("`==` compares");
        }
        self.report(error);
        // Before a new line or the end of a block only the `;` is missing: continue as if it were there.
        if punctuator == ";" && (self.current().first_of_line || self.is("}")) { Ok(gap) } else { Err(Reported) }
    }

    /// Takes a name, or reports that it is missing.
    fn name(&mut self, what: &str) -> Parsed<Name> {
        let token = self.current();
        if let Some(name) = self.name_at(0) {
            self.advance();
            return Ok(name);
        }
        match &token.kind {
            TokenKind::Keyword(keyword) => {
                let message = format!("expected {what}, found the keyword `{}`", keyword.text());
                self.fail(Diagnostic::error(token.span, message).hint("a keyword cannot be a name"))
            }
            _ => self.unexpected(what),
        }
    }

    /// Returns the name that is `count` tokens ahead, if there is one.
    fn name_at(&self, count: usize) -> Option<Name> {
        let token = self.ahead(count);
        Some(Name { text: token.name()?, span: token.span })
    }

    /// Returns true if the token `count` tokens ahead is a name, of a type or not.
    fn is_name_at(&self, count: usize) -> bool {
        match &self.ahead(count).kind {
            TokenKind::Identifier(_) => true,
            TokenKind::Keyword(keyword) => keyword.is_name(),
            _ => false,
        }
    }

    /// Reads items separated by commas, up to a closing bracket, which is not taken. `trailing` allows a trailing
    /// comma.
    fn separated<T>(
        &mut self,
        close: &str,
        trailing: bool,
        mut read: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        let mut items = Vec::new();
        if self.is(close) {
            return Ok(items);
        }
        loop {
            items.push(read(self)?);
            if self.take(",").is_none() || (trailing && self.is(close)) {
                return Ok(items);
            }
        }
    }

    /// Reads a rule that may nest, unless it nests too deeply.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MOST_NESTING {
            return self.too_deep(self.current().span);
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Reads a rule in a scope of its own.
    fn scoped<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        self.scopes.open();
        let result = read(self);
        self.scopes.close();
        result
    }

    /// Reads a rule in brackets, where `>` is an operator even within type arguments.
    fn bracketed<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        let around = std::mem::replace(&mut self.no_greater, false);
        let result = read(self);
        self.no_greater = around;
        result
    }
}
