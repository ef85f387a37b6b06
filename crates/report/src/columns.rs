//! Tables by column, each of one type: for CSV that other tools read without guessing, and for Parquet.

use std::fmt::Write;
use std::sync::Arc;

use super::csv::quoted;

/// A table with a name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Columns {
    /// The name of its file, without the ending.
    pub name: &'static str,
    /// Its columns, all of one length, each with its name.
    pub columns: Vec<(&'static str, Column)>,
}

/// A column.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// Whole numbers.
    Counts(Vec<u64>),
    /// Whole numbers, of which some are not known.
    Optional(Vec<Option<u64>>),
    /// Numbers; those that are not finite are not known.
    Numbers(Vec<f64>),
    /// Names, of which there are fewer than rows.
    Names {
        /// The names.
        names: Arc<[String]>,
        /// The index of the name in each row.
        rows: Vec<u32>,
    },
}

impl Columns {
    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |(_, column)| column.len())
    }

    /// The table as CSV (RFC 4180), the names of the columns first; what is not known is empty.
    pub fn to_csv(&self) -> String {
        let header: Vec<&str> = self.columns.iter().map(|(name, _)| *name).collect();
        let mut text = header.join(",");
        text.push('\n');
        // Few names stand in many rows.
        let quotes: Vec<Vec<String>> = self.columns.iter().map(|(_, column)| column.quoted_names()).collect();
        for row in 0..self.rows() {
            for (number, (_, column)) in self.columns.iter().enumerate() {
                if number > 0 {
                    text.push(',');
                }
                column.write_cell(&mut text, row, &quotes[number]);
            }
            text.push('\n');
        }
        text
    }
}

impl Column {
    /// A column of names, each row one of its own.
    pub fn of_names(names: impl IntoIterator<Item = String>) -> Self {
        let names: Arc<[String]> = names.into_iter().collect();
        let rows = (0..names.len() as u32).collect();
        Self::Names { names, rows }
    }

    fn len(&self) -> usize {
        match self {
            Self::Counts(values) => values.len(),
            Self::Optional(values) => values.len(),
            Self::Numbers(values) => values.len(),
            Self::Names { rows, .. } => rows.len(),
        }
    }

    fn quoted_names(&self) -> Vec<String> {
        match self {
            Self::Names { names, .. } => names.iter().map(|name| quoted(name)).collect(),
            _ => Vec::new(),
        }
    }

    fn write_cell(&self, text: &mut String, row: usize, names: &[String]) {
        match self {
            Self::Counts(values) => {
                let _ = write!(text, "{}", values[row]);
            }
            Self::Optional(values) => {
                let _ = values[row].map(|value| write!(text, "{value}"));
            }
            Self::Numbers(values) if values[row].is_finite() => {
                let _ = write!(text, "{}", values[row]);
            }
            Self::Numbers(_) => {}
            Self::Names { rows, .. } => text.push_str(&names[rows[row] as usize]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_is_an_empty_cell() {
        let names: Arc<[String]> = Arc::from(["a, b".to_owned(), "c".to_owned()]);
        let table = Columns {
            name: "t",
            columns: vec![
                ("place", Column::Names { names, rows: vec![1, 0, 1] }),
                ("at_ps", Column::Optional(vec![Some(u64::MAX), None, Some(0)])),
                ("share", Column::Numbers(vec![0.5, f64::NAN, 1e21])),
                ("packets", Column::Counts(vec![1, 2, 3])),
            ],
        };
        let csv =
            "place,at_ps,share,packets\nc,18446744073709551615,0.5,1\n\"a, b\",,,2\nc,0,1000000000000000000000,3\n";
        assert_eq!(table.to_csv(), csv);
        assert_eq!(Columns::default().rows(), 0);
    }
}
