//! Parses the text of a plan and reports every syntax error in it.

use diagnostics::{Diagnostic, Diagnostics, SourceId, Span};
use toml::de::DeTable;

/// Parses a text as TOML. Returns the table, as far as it could be read, and every syntax error at its place.
pub fn parse(text: &str, id: SourceId) -> (DeTable<'_>, Diagnostics) {
    let mut found = Diagnostics::new();
    let (table, errors) = DeTable::parse_recoverable(text);
    // The end of a table that is there again, whose keys are all said to be there again too.
    let mut end_of_repeated = 0;
    for error in errors {
        let range = error.span().unwrap_or(0..0);
        if error.message().starts_with(DUPLICATE) {
            if range.start < end_of_repeated {
                continue;
            }
            end_of_repeated = end_of_table(text, range.start);
        }
        let message = error.message().lines().next().unwrap_or("this is not valid TOML").to_owned();
        let span = Span::new(id, range.start, range.end);
        found.push(Diagnostic::error(span, message).hint("the file is TOML: name = value, under [tables]"));
    }
    (table.into_inner(), found)
}

/// How the parser begins its message about a key that is there again.
const DUPLICATE: &str = "duplicate key";

/// Returns the end of the table whose header, `[table]`, has an offset in it; 0 if none has.
fn end_of_table(text: &str, offset: usize) -> usize {
    let start = text[..offset].rfind('\n').map_or(0, |end| end + 1);
    if !text[start..].trim_start().starts_with('[') {
        return 0;
    }
    let mut end = start;
    for (number, line) in text[start..].split_inclusive('\n').enumerate() {
        if number > 0 && line.trim_start().starts_with('[') {
            break;
        }
        end += line.len();
    }
    end
}

#[cfg(test)]
mod tests {
    use diagnostics::Sources;

    use super::*;

    fn messages(text: &str) -> Vec<String> {
        let (_, found) = parse(text, Sources::new().add("plan.toml", text));
        found.iter().map(|found| format!("{}: {}", found.span.map_or(0, |span| span.start), found.message)).collect()
    }

    #[test]
    fn a_table_that_is_there_again_is_one_mistake() {
        assert_eq!(messages("[a]\nx = 1\ny = 2\n[a]\nx = 1\ny = 2\n[b]\n"), ["17: duplicate key"]);
        assert_eq!(messages("[a]\nx = 1\n[a]\nx = 1\n[b]\nz = 1\nz = 2\n"), ["11: duplicate key", "30: duplicate key"]);
        assert_eq!(messages("x = 1\nx = 2\ny = 1\ny = 2\n"), ["6: duplicate key", "18: duplicate key"]);
    }
}
