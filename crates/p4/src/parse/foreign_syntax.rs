//! Syntax of other languages: C, Python and P4_14. It is reported by its name and read as what it means, so that no
//! consequences are reported.

use diagnostics::{Diagnostic, did_you_mean};

use super::{Parsed, Reader};
use crate::ast::{Expression, ExpressionKind, Name, Statement};
use crate::token::TokenKind;

/// The properties of a table that are lists in braces.
const LISTS: [&str; 3] = ["key", "actions", "entries"];

impl Reader<'_> {
    /// Reports `elif (...)` and `while (...)`, unless a function has this name.
    pub(super) fn foreign_statement(&mut self) -> Option<Parsed<Statement>> {
        let token = self.current();
        let TokenKind::Identifier(word) = &token.kind else { return None };
        if !self.ahead(1).is("(") || self.scopes.find(word, false).is_some() {
            return None;
        }
        let hint = match &**word {
            "elif" | "elsif" | "elseif" => "write `else if`",
            "while" => "a loop is written `for (first; condition; step) { ... }`",
            _ => return None,
        };
        self.report(Diagnostic::error(token.span, format!("there is no `{word}` in P4")).hint(hint));
        Some(self.nested(Self::choice))
    }

    /// Reads a condition behind its `(`, and reports an assignment, which was meant as a comparison.
    pub(super) fn condition(&mut self) -> Parsed<Expression> {
        let condition = self.bracketed(Self::expression)?;
        if let Some(sign) = self.take("=") {
            self.report(Diagnostic::error(sign, "nothing is assigned in a condition").hint("`==` compares"));
            self.bracketed(Self::expression)?;
        }
        Ok(condition)
    }

    /// Reports `x++;` and `x--;`.
    pub(super) fn refuse_counting(&mut self) -> Option<Parsed<()>> {
        let next = self.ahead(1);
        let (sign, last) = match () {
            () if self.is("++") && next.is(";") => ("+", self.current().span),
            () if self.is("-") && next.is("-") && next.touches_previous => ("-", next.span),
            () => return None,
        };
        let error = Diagnostic::error(self.current().span.to(last), format!("there is no `{sign}{sign}` in P4"));
        Some(self.fail(error.hint(format!("`{sign}= 1` counts"))))
    }

    /// Reports `1.5`: a number, a dot and a number.
    pub(super) fn refuse_fraction(&mut self, whole: &Expression) -> Option<Parsed<Expression>> {
        let part = self.ahead(1);
        if !matches!((&whole.kind, &part.kind), (ExpressionKind::Integer(_), TokenKind::Integer(_))) {
            return None;
        }
        let error = Diagnostic::error(whole.span.to(part.span), "there are no fractions in P4");
        Some(self.fail(error.hint("numbers are whole, as those of the hardware; scale them: 15 tenths")))
    }

    /// Returns the property that a misspelt name before `= {` or `{` was meant as, and reports the name.
    pub(super) fn meant_property(&mut self, name: &Name) -> Option<&'static str> {
        let text = &*name.text;
        if LISTS.contains(&text) || !(self.is("{") || (self.is("=") && self.ahead(1).is("{"))) {
            return None;
        }
        let error = Diagnostic::error(name.span, format!("a table has no property `{text}`"));
        let (meant, hint) = match text {
            "reads" => ("key", "that is P4_14; here it is `key = { value: match_kind; }`".to_owned()),
            _ => LISTS.iter().find_map(|&list| Some((list, did_you_mean(text, [list])?)))?,
        };
        self.report(error.hint(hint));
        Some(meant)
    }
}
