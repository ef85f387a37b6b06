//! Tables of texts, and how a page shows them.

use maud::{Markup, html};

/// A table of texts.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// The names of the columns.
    pub header: Vec<String>,
    /// The rows, each with a cell for every column.
    pub rows: Vec<Vec<String>>,
}

/// A text of more characters than this may be broken into lines.
const LONGEST_LINE: usize = 36;

impl Table {
    /// The table as HTML, as wide as the page. Columns of numbers stand on the right, and only long texts are broken.
    /// The class of a row is its last cell, by which a page colours verdicts.
    pub(crate) fn to_markup(&self) -> Markup {
        let classes: Vec<&str> = (0..self.header.len()).map(|column| self.class(column)).collect();
        html! {
            div.scroll {
                table {
                    @if self.header.iter().any(|cell| !cell.is_empty()) {
                        thead {
                            tr {
                                @for (cell, class) in self.header.iter().zip(&classes) { th class=(class) { (cell) } }
                            }
                        }
                    }
                    tbody {
                        @for row in &self.rows {
                            tr class=(row.last().map_or("", String::as_str)) {
                                @for (cell, class) in row.iter().zip(&classes) { td class=(class) { (cell) } }
                            }
                        }
                    }
                }
            }
        }
    }

    fn class(&self, column: usize) -> &'static str {
        let cells = || self.rows.iter().filter_map(|row| row.get(column));
        let is_number =
            |text: &String| text.is_empty() || text.starts_with(|c: char| c.is_ascii_digit() || "+-".contains(c));
        if cells().any(|cell| cell.chars().count() > LONGEST_LINE) {
            "long"
        } else if cells().all(is_number) {
            "number"
        } else {
            "word"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_on_the_right_and_long_texts_may_be_broken() {
        let row = |cells: [&str; 3]| cells.map(str::to_owned).to_vec();
        let header = row(["machine", "throughput", "what"]);
        let table =
            Table { header, rows: vec![row(["mp5", "100.0 %", &"long ".repeat(9)]), row(["b", "-", "differs"])] };
        let html = table.to_markup().into_string();
        assert!(html.contains("<td class=\"number\">100.0 %</td>"), "{html}");
        assert!(html.contains("<td class=\"word\">mp5</td>") && html.contains("<td class=\"long\">"), "{html}");
        assert!(html.contains("<tr class=\"differs\">"), "{html}");
    }
}
