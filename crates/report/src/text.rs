//! Tables for a terminal.

use crate::Table;

/// Returns a table as lines of text: columns of numbers are aligned to the right, all others to the left.
pub fn to_text(table: &Table) -> String {
    let rows = || std::iter::once(&table.header).chain(&table.rows);
    let width = |column: usize| rows().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..table.header.len()).map(width).collect();
    let is_number = |column: usize| table.rows.iter().all(|row| row[column].starts_with(|c: char| c.is_ascii_digit()));
    let numbers: Vec<bool> = (0..table.header.len()).map(is_number).collect();
    let mut text = String::new();
    for row in rows() {
        let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, &width))| {
            if numbers[column] { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
        });
        text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_numbers_are_aligned_to_the_right() {
        let row = |cells: [&str; 3]| cells.map(str::to_owned).to_vec();
        let rows = vec![row(["mp5", "7", "-"]), row(["banzai", "1200.5", "9"])];
        let table = Table { header: row(["machine", "rate", "x"]), rows };
        assert_eq!(to_text(&table), "machine    rate  x\nmp5           7  -\nbanzai   1200.5  9\n");
    }
}
