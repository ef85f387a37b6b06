//! Tables of results.

use report::{Column, Columns};

/// A table of results, by column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Table<'t>(&'t Columns);

impl<'t> Table<'t> {
    pub(crate) fn new(columns: &'t Columns) -> Self {
        Self(columns)
    }

    /// Returns the name of the table: that of its file, without the ending.
    pub fn name(&self) -> &'static str {
        self.0.name
    }

    /// Returns the names of the columns.
    pub fn columns(&self) -> impl Iterator<Item = &'static str> + use<'t> {
        self.0.columns.iter().map(|(name, _)| *name)
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.0.rows()
    }

    /// Returns the numbers of a column, a row each: `None` where the number is not known. `None` instead of a column if
    /// there is no column of this name, or if it holds names.
    pub fn numbers(&self, column: &str) -> Option<Vec<Option<f64>>> {
        Some(match self.column(column)? {
            Column::Counts(values) => values.iter().map(|&value| Some(value as f64)).collect(),
            Column::Optional(values) => values.iter().map(|value| value.map(|value| value as f64)).collect(),
            Column::Numbers(values) => values.iter().map(|&value| value.is_finite().then_some(value)).collect(),
            Column::Names { .. } => return None,
        })
    }

    /// Returns the texts of a column of names, a row each; `None` if there is no column of this name, or if it holds
    /// numbers.
    pub fn texts(&self, column: &str) -> Option<Vec<&'t str>> {
        let Column::Names { names, rows } = self.column(column)? else { return None };
        Some(rows.iter().map(|&row| names[row as usize].as_str()).collect())
    }

    /// Returns the table as CSV (RFC 4180), the names of the columns first.
    pub fn to_csv(&self) -> String {
        self.0.to_csv()
    }

    fn column(&self, name: &str) -> Option<&'t Column> {
        self.0.columns.iter().find(|(own, _)| *own == name).map(|(_, column)| column)
    }
}
