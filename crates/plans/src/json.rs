//! JSON with the place of every value, for files of others that are not TOML.

use diagnostics::{Diagnostic, SourceId, Span};
use jsonc_parser::common::Range;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

pub use jsonc_parser::ast;
pub use jsonc_parser::common::Ranged;

/// Parses a text as JSON. Only RFC 8259 is accepted, without extensions, so that other readers of the file agree.
///
/// # Errors
/// Returns the first mistake at its place, or that the text is empty.
pub fn parse(text: &str, source: SourceId) -> Result<ast::Value<'_>, Diagnostic> {
    let options = ParseOptions {
        allow_comments: false,
        allow_loose_object_property_names: false,
        allow_trailing_commas: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    match parse_to_ast(text, &CollectOptions::default(), &options) {
        Ok(parsed) => parsed.value.ok_or_else(|| Diagnostic::without_place("the file is empty; an object is expected")),
        Err(error) => {
            let message = format!("this is not JSON: {}", error.kind().to_string().to_lowercase());
            Err(Diagnostic::error(place(error.range(), source), message))
        }
    }
}

/// Returns the place of a range of a text.
pub fn place(range: Range, source: SourceId) -> Span {
    Span::new(source, range.start, range.end)
}
