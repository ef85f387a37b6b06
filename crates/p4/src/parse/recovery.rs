//! Errors, and how to go on after them.

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

    /// Reports that something else has to come now.
    pub(super) fn unexpected<T>(&mut self, wanted: &str) -> Parsed<T> {
        let token = self.current();
        if self.stands_for_an_error() {
            return Err(Reported);
        }
        self.fail(Diagnostic::error(token.span, format!("expected {wanted}, found {}", token.kind.describe())))
    }

    /// Refuses what lies too deep. Nothing after it is read: it would be the same again.
    pub(super) fn too_deep<T>(&mut self, place: Span) -> Parsed<T> {
        let error = Diagnostic::error(place, format!("this lies more than {MOST_NESTING} levels deep"));
        self.report(error.hint("split it into several statements or declarations"));
        self.stop();
        Err(Reported)
    }

    /// Reads and reports nothing more.
    pub(super) fn stop(&mut self) {
        self.cut_off = true;
        self.at = self.tokens.len() - 1;
    }

    /// Where something is missing: right behind the token before, or at this one if they lie in different files.
    pub(super) fn gap(&self) -> Span {
        let here = self.current().span;
        let before = self.before().span;
        if before.source == here.source && before.end <= here.start {
            Span { start: before.end, ..before }
        } else {
            here
        }
    }

    /// Reads `{`, items, and `}`. An item that cannot be read is left out. `what` is what the braces enclose.
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

    /// True before what is only declared at the top level.
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

    /// Reports a declaration of the top level inside of something, once: if a `}` is missing, all that follow are.
    /// It is read where it is for its own errors, and so that what it declares is known.
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

    /// Goes behind the end of the statement or declaration that began at `start` and that an error is in: behind the
    /// next `;` or behind whole braces. It stays in front of a `}` that ends what is around it.
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
                // What goes on behind the braces was a list of values, as in `f({ a, b }, c)`.
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
