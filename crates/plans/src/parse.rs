//! A plan's text as a table of TOML, with everything that is wrong with its syntax.

use diagnostics::{Diagnostic, Diagnostics, SourceId, Span};
use toml::de::DeTable;

/// The table that a text is, as far as it could be read, and every mistake of syntax at its place.
pub fn parse(text: &str, id: SourceId) -> (DeTable<'_>, Diagnostics) {
    let mut found = Diagnostics::new();
    let (table, errors) = DeTable::parse_recoverable(text);
    for error in errors {
        let range = error.span().unwrap_or(0..0);
        let message = error.message().lines().next().unwrap_or("this is not TOML").to_owned();
        let span = Span::new(id, range.start, range.end);
        found.push(Diagnostic::error(span, message).hint("a plan is TOML: name = value, under [tables]"));
    }
    (table.into_inner(), found)
}
