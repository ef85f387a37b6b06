//! Detection of programs in P4_14, which this front end does not read. The first declaration that is not P4_16 is
//! reported, and nothing else, because every other line would be an error.

use diagnostics::Diagnostic;

use super::{Parsed, Reader};
use crate::token::{Keyword, TokenKind};

/// Keywords of declarations that only P4_14 has.
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
/// Stateful objects, which P4_14 declares with properties in braces, and P4_16 as instances of externs.
const STATE: [&str; 5] = ["counter", "meter", "register", "action_profile", "action_selector"];

impl Reader<'_> {
    /// Reports a program in P4_14 at its first declaration that is not P4_16.
    pub(super) fn refuse_p4_14(&mut self) -> Parsed<()> {
        let Some(what) = self.p4_14_construct() else { return Ok(()) };
        let error = Diagnostic::error(self.current().span, format!("{what} is P4_14, and this reads P4_16"));
        self.report(error.hint("the public compiler translates it: `p4test --std p4-14 old.p4 --pp new.p4`"));
        self.stop();
        Err(super::Reported)
    }

    /// Returns the P4_14 construct that the next declaration is or contains, if there is one.
    fn p4_14_construct(&self) -> Option<String> {
        if !self.is_name_at(1) {
            return None;
        }
        match &self.current().kind {
            TokenKind::Identifier(word) => self.p4_14_word(word),
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

    fn p4_14_word(&self, word: &str) -> Option<String> {
        if ONLY_THERE.contains(&word) && self.scopes.find(word, false).is_none() {
            return Some(format!("`{word}`"));
        }
        if STATE.contains(&word) && self.ahead(2).is("{") {
            return Some(format!("a `{word}` with properties"));
        }
        // `metadata type name;`
        (word == "metadata" && self.is_name_at(2)).then(|| "an instance of metadata".to_owned())
    }

    /// Returns true for `parser name {` and `control name {` followed by statements or nothing. If only the parameters
    /// of P4_16 were forgotten, declarations would follow.
    fn has_older_body(&self) -> bool {
        let first = self.ahead(3);
        let is_statement = match &first.kind {
            TokenKind::Keyword(Keyword::If | Keyword::Return) => true,
            TokenKind::Keyword(Keyword::Apply) | TokenKind::Identifier(_) => self.ahead(4).is("("),
            _ => first.is("}"),
        };
        self.ahead(2).is("{") && is_statement
    }

    /// Returns true for `action name(parameter` where the parameter has no type.
    fn has_untyped_parameter(&self) -> bool {
        let TokenKind::Identifier(word) = &self.ahead(3).kind else { return false };
        let is_alone = self.ahead(4).is(",") || self.ahead(4).is(")");
        self.ahead(2).is("(") && is_alone && self.scopes.find(word, false).is_none()
    }
}
