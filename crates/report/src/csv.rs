//! Tables as CSV (RFC 4180), one line of names first.

use crate::Table;

/// A table as CSV.
pub fn to_csv(table: &Table) -> String {
    let mut text = String::new();
    for row in std::iter::once(&table.header).chain(&table.rows) {
        let cells: Vec<String> = row.iter().map(|cell| quoted(cell)).collect();
        text.push_str(&cells.join(","));
        text.push('\n');
    }
    text
}

/// RFC 4180, section 2, rules 5 to 7.
pub(super) fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\n', '\r']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.to_owned() }
}
