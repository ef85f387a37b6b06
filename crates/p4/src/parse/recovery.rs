//! Syntax errors, and recovery from them.

use diagnostics::{Diagnostic, Span};

use super::{MOST_NESTING, Parsed, Reader, Reported};
use crate::token::{Keyword, TokenKind};

impl Reader<'_> {
    pub(super) fn report(&mut self, finding: Diagnostic) {
        if !self.cut_off {
            self.findings.push(finding);
            if self.findings.is_full() {
                self.stop();
            }
        }
    }

    pub(super) fn fail<T>(&mut self, error: Diagnostic) -> Parsed<T> {
        self.report(error);
        Err(Reported)
    }

    /// Reports that something else is expected here.
    pub(super) fn unexpected<T>(&mut self, wanted: &str) -> Parsed<T> {
        let token = self.current();
        if self.stands_for_an_error() {
            return Err(Reported);
        }
        self.fail(Diagnostic::error(token.span, format!("expected {wanted}, found {}", token.kind.describe())))
    }

    /// Reports that code nests too deeply, and ends parsing, because the same error would follow.
    pub(super) fn too_deep<T>(&mut self, place: Span) -> Parsed<T> {
        let error = Diagnostic::error(place, format!("this lies more than {MOST_NESTING} levels deep"));
        self.report(error.hint("split it into several statements or declarations"));
        self.stop();
        Err(Reported)
    }

    /// Ends parsing and reporting.
    pub(super) fn stop(&mut self) {
        self.cut_off = true;
        self.at = self.tokens.len() - 1;
    }

    /// Returns the place where something is missing: right behind the previous token, or at this one if they are in
    /// different files.
    pub(super) fn gap(&self) -> Span {
        let here = self.current().span;
        let before = self.before().span;
        if before.source == here.source && before.end <= here.start {
            Span { start: before.end, ..before }
        } else {
            here
        }
    }

    /// Reads `{`, items and `}`. Items with errors are left out. `what` names what the braces enclose.
    pub(super) fn braced(&mut self, what: &str, mut item: impl FnMut(&mut Self) -> Parsed<()>) -> Parsed<Span> {
        let open = self.current().span;
        if self.take("{").is_none() {
            return self.unexpected(&format!("`{{` before {what}"));
        }
        loop {
            if self.take("}").is_some() {
                return Ok(self.since(open));
            }
            if self.at_end() {
                return self.never_ends(open, what);
            }
            let start = self.at;
            let read = if self.begins_top_level() { self.misplaced(open, what) } else { item(self) };
            if read.is_err() {
                self.recover(start);
            }
        }
    }

    fn never_ends(&mut self, open: Span, what: &str) -> Parsed<Span> {
        if !self.misplaced {
            let error = Diagnostic::error(self.current().span, format!("{what} never end: `}}` is missing"));
            self.report(error.related(open, "they begin here").hint("end them with `}`"));
        }
        self.stop(); // it is the same for what is around it
        Err(Reported)
    }

    /// Returns true before a declaration that only the top level may have.
    fn begins_top_level(&self) -> bool {
        let TokenKind::Keyword(keyword) = self.current().kind else { return false };
        matches!(
            keyword,
            Keyword::Control
                | Keyword::Parser
                | Keyword::Header
                | Keyword::HeaderUnion
                | Keyword::Struct
                | Keyword::Extern
                | Keyword::Package
                | Keyword::Typedef
                | Keyword::Enum
        )
    }

    /// Reports a declaration of the top level within another one, once: if a `}` is missing, all following declarations
    /// are nested. It is read where it stands, to report its own errors and to know what it declares.
    fn misplaced(&mut self, open: Span, what: &str) -> Parsed<()> {
        let token = self.current();
        if !self.misplaced {
            let message = format!("{} cannot stand among {what}", token.kind.describe());
            let error = Diagnostic::error(token.span, message).related(open, format!("{what} begin here"));
            self.report(error.hint("declare it at the top level; or a `}` is missing before it"));
            self.misplaced = true;
        }
        self.nested(Self::declaration).map(drop)
    }

    /// Skips the rest of the statement or declaration with an error, which began at `start`, up to and including the
    /// next `;` or balanced braces. A `}` that closes an enclosing construct is not skipped.
    pub(super) fn recover(&mut self, start: usize) {
        let mut open = 0u32;
        for token in &self.tokens[start..self.at] {
            if token.is("{") {
                open += 1;
            } else if token.is("}") {
                open = open.saturating_sub(1);
            }
        }
        while !self.at_end() {
            if self.at > start && self.current().first_of_line && self.begins_top_level() {
                return;
            }
            if self.is("{") {
                open += 1;
            } else if self.is("}") {
                if open == 0 {
                    return;
                }
                open -= 1;
                let next = self.ahead(1);
                // If code continues behind the braces, they were a list expression, as in `f({ a, b }, c)`.
                let goes_on = next.is_keyword(Keyword::Else) || next.is(",") || next.is(")");
                if open == 0 && !goes_on {
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
