//! Parses the text of a plan and reports every syntax error in it.

use diagnostics::{Diagnostic, Diagnostics, SourceId, Span};
use toml::de::DeTable;

/// Parses a text as TOML. Returns the table, as far as it could be read, and every syntax error at its place.
pub fn parse(text: &str, id: SourceId) -> (DeTable<'_>, Diagnostics) {
    let mut found = Diagnostics::new();
    let (table, errors) = DeTable::parse_recoverable(text);
    for error in errors {
        let range = error.span().unwrap_or(0..0);
        let message = error.message().lines().next().unwrap_or("this is not valid TOML").to_owned();
        let span = Span::new(id, range.start, range.end);
        found.push(Diagnostic::error(span, message).hint("a plan is TOML: name = value, under [tables]"));
    }
    (table.into_inner(), found)
}
