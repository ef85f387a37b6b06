//! The place of a parser in the tokens of a language that is written like C.

use diagnostics::{Diagnostic, Span};

use crate::Report;
use crate::token::{Token, TokenKind};

/// An error that has been reported. A caller that can continue after it does so.
#[derive(Clone, Copy, Debug)]
pub struct Reported;

/// The outcome of a rule of a parser, whose errors have been reported.
pub type Parsed<T> = Result<T, Reported>;

/// The place of a recursive-descent parser in the tokens of a program, how deep its rules are nested there, and the report
/// of what it finds.
#[derive(Debug)]
pub struct Cursor<'t, N> {
    tokens: &'t [Token<N>],
    at: usize,
    /// The current nesting depth of recursive rules.
    depth: u32,
    /// The greatest nesting depth.
    most_nesting: u32,
    /// Words that end a block, as `}` does.
    ends: &'static [&'static str],
    /// Whether parsing stopped early, because of excessive nesting or a block that is never closed.
    pub is_cut_off: bool,
    /// What has been found.
    pub report: &'t mut Report,
}

impl<'t, N> Cursor<'t, N> {
    /// Begins at the first of `tokens`, which end with [`TokenKind::End`]. Rules are nested at most `most_nesting` levels
    /// deep. `ends` are words of the language that end a block, as `}` does.
    ///
    /// # Panics
    /// If there are no tokens.
    pub fn new(
        tokens: &'t [Token<N>],
        most_nesting: u32,
        ends: &'static [&'static str],
        report: &'t mut Report,
    ) -> Self {
        assert!(!tokens.is_empty(), "tokens end with the end of the program");
        Self { tokens, at: 0, depth: 0, most_nesting, ends, is_cut_off: false, report }
    }

    /// Returns the current token.
    pub fn current(&self) -> &'t Token<N> {
        &self.tokens[self.at]
    }

    /// Returns the token before the current one; at the beginning, the first one.
    pub fn before(&self) -> &'t Token<N> {
        &self.tokens[self.at.saturating_sub(1)]
    }

    /// Returns the token that is `count` behind the current one, or the end token.
    pub fn ahead(&self, count: usize) -> &'t Token<N> {
        &self.tokens[(self.at + count).min(self.tokens.len() - 1)]
    }

    /// Consumes and returns the current token; the end token is never consumed.
    pub fn advance(&mut self) -> &'t Token<N> {
        let token = self.current();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    /// Returns the place of the current token, to go back to it.
    pub fn place(&self) -> usize {
        self.at
    }

    /// Goes to a place that [`Cursor::place`] has returned.
    pub fn go_to(&mut self, place: usize) {
        self.at = place.min(self.tokens.len() - 1);
    }

    /// Returns true at the end of the program.
    pub fn at_end(&self) -> bool {
        matches!(self.current().kind, TokenKind::End)
    }

    /// Returns true if the current token is this operator or bracket.
    pub fn is(&self, punctuator: &str) -> bool {
        self.current().is(punctuator)
    }

    /// Returns the current token if it is a name or a keyword, and an empty text otherwise.
    pub fn word(&self) -> &'t str {
        self.current().identifier().map_or("", |word| word)
    }

    /// Returns true if the current token is this name or keyword.
    pub fn is_word(&self, word: &str) -> bool {
        self.word() == word
    }

    /// Consumes an operator or bracket, if it is the current token; returns whether it was.
    pub fn take(&mut self, punctuator: &str) -> bool {
        let found = self.is(punctuator);
        if found {
            self.advance();
        }
        found
    }

    /// Consumes a name or keyword, if it is the current token; returns whether it was.
    pub fn take_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.advance();
        }
        found
    }

    /// Consumes an operator or bracket, or reports that it is missing. Before a new line or the end of a block, only a `;`
    /// is missing: then parsing goes on as if it were there.
    ///
    /// # Errors
    /// If it is missing.
    pub fn expect(&mut self, punctuator: &str, after: &str) -> Parsed<Span> {
        if self.is(punctuator) {
            return Ok(self.advance().span);
        }
        let found = self.current().describe();
        let gap = self.gap();
        let error = Diagnostic::error(gap, format!("expected `{punctuator}` after {after}, found {found}"));
        self.report.push(error.label(format!("`{punctuator}` is missing here")));
        let ends = self.current().first_of_line || self.is("}") || self.ends.contains(&self.word());
        if punctuator == ";" && ends { Ok(gap) } else { Err(Reported) }
    }

    /// Returns the location of a missing token: directly after the previous token, or at the current one if the two are
    /// in different files.
    pub fn gap(&self) -> Span {
        let here = self.current().span;
        let before = self.before().span;
        if before.source == here.source && before.end <= here.start {
            Span { start: before.end, ..before }
        } else {
            here
        }
    }

    /// Reports an error.
    ///
    /// # Errors
    /// Always.
    pub fn fail<T>(&mut self, error: Diagnostic) -> Parsed<T> {
        self.report.push(error);
        Err(Reported)
    }

    /// Begins a recursive rule, which [`Cursor::leave`] ends.
    ///
    /// # Errors
    /// If the nesting is too deep.
    pub fn enter(&mut self) -> Parsed<()> {
        if self.depth >= self.most_nesting {
            return self.too_deep();
        }
        self.depth += 1;
        Ok(())
    }

    /// Ends a recursive rule.
    pub fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Reports that the nesting is too deep. The rest of the program is not parsed, because it would probably cause the
    /// same error repeatedly.
    ///
    /// # Errors
    /// Always.
    pub fn too_deep<T>(&mut self) -> Parsed<T> {
        let most = self.most_nesting;
        let error = Diagnostic::error(self.current().span, format!("this is nested more than {most} levels deep"));
        self.at = self.tokens.len() - 1;
        self.is_cut_off = true;
        self.fail(error.hint("split it into several statements"))
    }
}

/// Returns how strongly a binary operator of C binds, 1 for the weakest; `None` if the sign is not one (C11, section 6.5).
pub fn precedence(sign: &str) -> Option<u32> {
    Some(match sign {
        "||" => 1,
        "&&" => 2,
        "|" => 3,
        "^" => 4,
        "&" => 5,
        "==" | "!=" => 6,
        "<" | "<=" | ">" | ">=" => 7,
        "<<" | ">>" => 8,
        "+" | "-" => 9,
        "*" | "/" | "%" => 10,
        _ => return None,
    })
}
