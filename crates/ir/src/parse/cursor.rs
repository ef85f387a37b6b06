//! The position in the tokens, and the small steps that all parts of the grammar share.

use std::borrow::Cow;

use diagnostics::{Diagnostic, SourceId, Span};

use super::lexer::{LexemeKind, Token, tokens};
use super::{Parsed, Reported};

/// The number of errors after which reading stops, because more would not help.
pub(super) const MOST_FINDINGS: usize = 100;

/// The tokens of a text, the position in them, and the errors found so far.
pub(super) struct Cursor<'t> {
    tokens: Vec<Token<'t>>,
    at: usize,
    findings: Vec<Diagnostic>,
}

impl<'t> Cursor<'t> {
    pub fn new(text: &'t str, source: SourceId) -> Self {
        let mut findings = Vec::new();
        let tokens = tokens(text, source, &mut findings);
        Self { tokens, at: 0, findings }
    }

    pub fn into_findings(self) -> Vec<Diagnostic> {
        self.findings
    }

    pub fn report(&mut self, diagnostic: Diagnostic) -> Reported {
        self.findings.push(diagnostic);
        if self.findings.len() >= MOST_FINDINGS {
            // Nothing more is read: the parser sees the end of the text.
            self.at = self.tokens.len() - 1;
        }
        Reported
    }

    /// Reports that the next token is not what was expected.
    pub fn unexpected(&mut self, expected: &str) -> Reported {
        let token = &self.tokens[self.at];
        let found = match &token.kind {
            LexemeKind::Word(text) | LexemeKind::Number(text) => format!("`{text}`"),
            LexemeKind::Quoted(name) => format!("`` `{name}` ``"),
            LexemeKind::Title(_) => "a quoted title".to_owned(),
            LexemeKind::Sign(sign) => format!("`{sign}`"),
            LexemeKind::LineEnd => "the end of the line".to_owned(),
            LexemeKind::End => "the end of the text".to_owned(),
        };
        let diagnostic = Diagnostic::error(token.span, format!("expected {expected}, found {found}"));
        self.report(diagnostic)
    }

    pub fn peek(&self) -> &LexemeKind<'t> {
        &self.tokens[self.at].kind
    }

    /// Returns the token after the next one.
    pub fn peek_second(&self) -> &LexemeKind<'t> {
        self.peek_behind(1)
    }

    /// Returns the token that is `count` tokens after the next one.
    pub fn peek_behind(&self, count: usize) -> &LexemeKind<'t> {
        &self.tokens[(self.at + count).min(self.tokens.len() - 1)].kind
    }

    /// Returns all tokens.
    pub fn tokens(&self) -> &[Token<'t>] {
        &self.tokens
    }

    /// Returns the tokens after the next one.
    pub fn rest(&self) -> &[Token<'t>] {
        &self.tokens[(self.at + 1).min(self.tokens.len() - 1)..]
    }

    pub fn span(&self) -> Span {
        self.tokens[self.at].span
    }

    /// Consumes the next token and returns its location. The end of the text is never consumed.
    pub fn advance(&mut self) -> Span {
        let span = self.span();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        span
    }

    pub fn at_sign(&self, sign: &str) -> bool {
        matches!(self.peek(), LexemeKind::Sign(found) if *found == sign)
    }

    pub fn at_word(&self, word: &str) -> bool {
        matches!(self.peek(), LexemeKind::Word(found) if *found == word)
    }

    pub fn at_line_end(&self) -> bool {
        matches!(self.peek(), LexemeKind::LineEnd | LexemeKind::End)
    }

    pub fn at_end(&self) -> bool {
        matches!(self.peek(), LexemeKind::End)
    }

    pub fn take_sign(&mut self, sign: &str) -> Option<Span> {
        self.at_sign(sign).then(|| self.advance())
    }

    pub fn take_word(&mut self, word: &str) -> Option<Span> {
        self.at_word(word).then(|| self.advance())
    }

    pub fn expect_sign(&mut self, sign: &str) -> Parsed<Span> {
        match self.take_sign(sign) {
            Some(span) => Ok(span),
            None => Err(self.unexpected(&format!("`{sign}`"))),
        }
    }

    /// Reads `>`, which may be the first half of `>>`.
    pub fn expect_closing_angle(&mut self) -> Parsed<Span> {
        if self.at_sign(">>") {
            let token = &mut self.tokens[self.at];
            let whole = token.span;
            token.kind = LexemeKind::Sign(">");
            token.span.start += 1;
            return Ok(Span { end: whole.start + 1, ..whole });
        }
        self.expect_sign(">")
    }

    pub fn expect_word(&mut self, word: &str) -> Parsed<Span> {
        match self.take_word(word) {
            Some(span) => Ok(span),
            None => Err(self.unexpected(&format!("`{word}`"))),
        }
    }

    /// Reads a name to declare or to use. Keywords that begin an expression are names only in backquotes.
    pub fn expect_name(&mut self, what: &str) -> Parsed<(&'t str, Span)> {
        match *self.peek() {
            LexemeKind::Word(word) if crate::print::RESERVED.contains(&word) => {
                let message = format!("expected {what}, found `{word}`");
                let hint = format!("put a name that is a keyword into backquotes: `` `{word}` ``");
                let diagnostic = Diagnostic::error(self.span(), message).hint(hint);
                Err(self.report(diagnostic))
            }
            LexemeKind::Word(name) | LexemeKind::Quoted(name) => Ok((name, self.advance())),
            _ => Err(self.unexpected(what)),
        }
    }

    /// Reads a whole number below 2^32 without sign or suffix.
    pub fn expect_count(&mut self, what: &str) -> Parsed<(u32, Span)> {
        match *self.peek() {
            LexemeKind::Number(digits) => match digits.parse() {
                Ok(count) => Ok((count, self.advance())),
                Err(_) => {
                    let message = format!("`{digits}` is not {what}");
                    let hint = "write a number below 2^32 in decimal digits";
                    let diagnostic = Diagnostic::error(self.span(), message).hint(hint);
                    Err(self.report(diagnostic))
                }
            },
            _ => Err(self.unexpected(what)),
        }
    }

    /// Reads a name that the control plane or an architecture uses: a word, or any text in quotes.
    pub fn expect_title(&mut self, what: &str) -> Parsed<(Cow<'t, str>, Span)> {
        let title = match self.peek() {
            LexemeKind::Title(title) => Cow::Owned(title.clone()),
            LexemeKind::Word(name) | LexemeKind::Quoted(name) => Cow::Borrowed(*name),
            _ => return Err(self.unexpected(what)),
        };
        Ok((title, self.advance()))
    }

    /// Reads a text in quotes.
    pub fn expect_text(&mut self, what: &str) -> Parsed<String> {
        let LexemeKind::Title(text) = self.peek() else { return Err(self.unexpected(what)) };
        let text = text.clone();
        self.advance();
        Ok(text)
    }

    /// Returns the number of errors found so far.
    pub fn count_findings(&self) -> usize {
        self.findings.len()
    }

    /// Requires the end of a line, or a closing brace.
    pub fn expect_line_end(&mut self) -> Parsed<()> {
        if self.at_line_end() || self.at_sign("}") { Ok(()) } else { Err(self.unexpected("the end of the line")) }
    }

    pub fn skip_line_ends(&mut self) {
        while matches!(self.peek(), LexemeKind::LineEnd) {
            self.advance();
        }
    }

    /// Skips to the end of the line, past the blocks that begin on it, but not out of the enclosing block.
    pub fn skip_line(&mut self) {
        let mut open = 0usize;
        loop {
            match self.peek() {
                LexemeKind::End => return,
                LexemeKind::LineEnd if open == 0 => return,
                LexemeKind::Sign("{") => open += 1,
                LexemeKind::Sign("}") if open == 0 => return,
                LexemeKind::Sign("}") => open -= 1,
                _ => (),
            }
            self.advance();
        }
    }

    /// After an error in what precedes a block: skips to the block and returns true if it begins on this line.
    pub fn skip_to_block(&mut self) -> bool {
        while !self.at_line_end() && !self.at_sign("{") && !self.at_sign("}") {
            self.advance();
        }
        self.at_sign("{")
    }
}
