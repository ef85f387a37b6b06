//! Tokens to a syntax tree, by recursive descent of bounded depth, without going back: what two rules share is read
//! once, and which rule it was is decided by what follows and by which names are types.
//!
//! After an error it goes on behind the statement or the declaration that the error is in, so that one run reports
//! them all.

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
mod older;
mod parsers;
mod primary;
mod recovery;
mod scopes;
mod statement;
mod tables;
mod typed;
mod types;
mod undeclared;

use diagnostics::{Diagnostic, Diagnostics, Span};

use crate::ast::{Name, Program};
use crate::token::{Keyword, Token, TokenKind};
use scopes::Scopes;

/// Blocks, brackets and operators inside one another, as written.
pub const MOST_NESTING: u32 = 200;

/// Reads a whole program. `tokens` ends with [`TokenKind::End`], as those of the preprocessor do. What could not be
/// read is left out of the tree, which is of use only if there are no errors.
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
    /// How many rules that can lie inside one another are being read.
    depth: u32,
    /// True where `>` ends a width or type arguments and is no operator.
    no_greater: bool,
    /// True inside of a state of a parser, where fewer statements are allowed.
    in_state: bool,
    /// Nothing more is reported: what could still be found only follows from what was.
    cut_off: bool,
    /// A declaration of the top level was found inside of another, which was reported.
    misplaced: bool,
    scopes: Scopes,
    /// Unknown names where a type stands, while the type parameters that may declare them are still to come.
    waiting: Option<Vec<Name>>,
    findings: Diagnostics,
}

/// An error that was reported; whoever can go on after it does so.
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

    /// The token before this one.
    fn before(&self) -> &'t Token {
        &self.tokens[self.at.saturating_sub(1)]
    }

    /// From a place to the end of what was read last.
    fn since(&self, start: Span) -> Span {
        start.to(self.before().span)
    }

    /// Takes the current token; the end token stays.
    fn advance(&mut self) -> &'t Token {
        let token = self.current();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    /// True before what the lexer reported and could not make anything of.
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

    /// Takes an operator or bracket that has to come now.
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
        match &token.kind {
            TokenKind::Keyword(keyword) => {
                let message = format!("expected {what}, found the keyword `{}`", keyword.text());
                self.fail(Diagnostic::error(token.span, message).hint("a keyword cannot be a name"))
            }
            _ => self.unexpected(what),
        }
    }

    /// The name that comes so many tokens later, if one does.
    fn name_at(&self, count: usize) -> Option<Name> {
        let token = self.ahead(count);
        Some(Name { text: token.name()?, span: token.span })
    }

    /// True if the token so many later is a name, be it a type's or not.
    fn is_name_at(&self, count: usize) -> bool {
        match &self.ahead(count).kind {
            TokenKind::Identifier(_) => true,
            TokenKind::Keyword(keyword) => keyword.is_name(),
            _ => false,
        }
    }

    /// Reads what commas separate up to a closing bracket, which it leaves. A comma may also come last if `trailing`.
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

    /// Reads something that can lie inside itself, unless it lies too deep.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MOST_NESTING {
            return self.too_deep(self.current().span);
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Reads something whose names end with it.
    fn scoped<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        self.scopes.open();
        let result = read(self);
        self.scopes.close();
        result
    }

    /// Reads something in brackets, where `>` is an operator whatever is around them.
    fn bracketed<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        let around = std::mem::replace(&mut self.no_greater, false);
        let result = read(self);
        self.no_greater = around;
        result
    }
}
