//! Tables as text for people.

use std::fmt::{self, Write};

/// Writes rows in columns; numbers, which are all but the first column and the last `texts`, are aligned to the right.
///
/// # Errors
/// Fails if `f` does.
pub fn columns(f: &mut fmt::Formatter<'_>, rows: &[Vec<String>], texts: usize) -> fmt::Result {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..count).map(|column| width(column).unwrap_or(0)).collect();
    for row in rows {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            let gap = if column == 0 { "" } else { "  " };
            let width = widths[column];
            let is_text = column == 0 || column + texts >= count;
            let _ = match is_text {
                true => write!(line, "{gap}{cell:<width$}"),
                false => write!(line, "{gap}{cell:>width$}"),
            };
        }
        writeln!(f, "{}", line.trim_end())?;
    }
    Ok(())
}
