//! Programs in P4_14, which this does not read: the first declaration that P4_16 cannot have says so, and nothing else is
//! reported, for every other line would be an error.

use diagnostics::Diagnostic;

use super::{Parsed, Reader};
use crate::token::{Keyword, TokenKind};

/// Declarations that only P4_14 has.
const ONLY_THERE: [&str; 11] = [
    "header_type",
    "field_list",
    "field_list_calculation",
    "calculated_field",
    "primitive_action",
    "parser_exception",
    "parser_value_set",
    "extern_type",
    "extern_instance",
    "blackbox_type",
    "blackbox",
];
/// State, which P4_14 declares with its properties in braces, and P4_16 as an instance of an extern.
const STATE: [&str; 5] = ["counter", "meter", "register", "action_profile", "action_selector"];

impl Reader<'_> {
    /// Refuses a program in P4_14, by its first declaration that cannot be of P4_16.
    pub(super) fn refuse_older_language(&mut self) -> Parsed<()> {
        let Some(what) = self.older() else { return Ok(()) };
        let error = Diagnostic::error(self.current().span, format!("{what} is P4_14, and this reads P4_16"));
        self.report(error.hint("the public compiler translates it: `p4test --std p4-14 old.p4 --pp new.p4`"));
        self.stop();
        Err(super::Reported)
    }

    /// What the next declaration has that only P4_14 has.
    fn older(&self) -> Option<String> {
        if !self.is_name_at(1) {
            return None;
        }
        match &self.current().kind {
            TokenKind::Identifier(word) => self.older_word(word),
            TokenKind::Keyword(Keyword::Parser) if self.has_older_body() => {
                Some("a `parser` without parameters".to_owned())
            }
            TokenKind::Keyword(Keyword::Control) if self.has_older_body() => {
                Some("a `control` without parameters".to_owned())
            }
            // P4_16 has `=` behind the name of a property.
            TokenKind::Keyword(Keyword::Table)
                if self.ahead(2).is("{") && self.is_name_at(3) && (self.ahead(4).is("{") || self.ahead(4).is(":")) =>
            {
                Some("a `table` outside of a control".to_owned())
            }
            TokenKind::Keyword(Keyword::Header) if self.is_name_at(2) => Some("an instance of a header".to_owned()),
            TokenKind::Keyword(Keyword::Action) if self.has_untyped_parameter() => {
                Some("a parameter without a type".to_owned())
            }
            _ => None,
        }
    }

    fn older_word(&self, word: &str) -> Option<String> {
        if ONLY_THERE.contains(&word) && self.scopes.find(word, false).is_none() {
            return Some(format!("`{word}`"));
        }
        if STATE.contains(&word) && self.ahead(2).is("{") {
            return Some(format!("a `{word}` with properties"));
        }
        // `metadata type name;`
        (word == "metadata" && self.is_name_at(2)).then(|| "an instance of metadata".to_owned())
    }

    /// True for `parser name {` and `control name {` with statements, or nothing, behind the brace. A P4_16 author who
    /// forgets the parameters has declarations there.
    fn has_older_body(&self) -> bool {
        let first = self.ahead(3);
        let is_statement = match &first.kind {
            TokenKind::Keyword(Keyword::If | Keyword::Return) => true,
            TokenKind::Keyword(Keyword::Apply) | TokenKind::Identifier(_) => self.ahead(4).is("("),
            _ => first.is("}"),
        };
        self.ahead(2).is("{") && is_statement
    }

    /// True for `action name(parameter` where the parameter has no type.
    fn has_untyped_parameter(&self) -> bool {
        let TokenKind::Identifier(word) = &self.ahead(3).kind else { return false };
        let is_alone = self.ahead(4).is(",") || self.ahead(4).is(")");
        self.ahead(2).is("(") && is_alone && self.scopes.find(word, false).is_none()
    }
}
