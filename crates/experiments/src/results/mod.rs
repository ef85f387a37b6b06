//! Results: rows as tables that other tools open, and what repetitions have in common.

mod columns;
mod csv;
#[cfg(feature = "parquet")]
mod parquet;
mod spread;

pub use columns::{Column, Columns};
pub use csv::{rows_to_csv, to_csv};
#[cfg(feature = "parquet")]
pub use parquet::to_parquet;
pub use spread::Spread;

use crate::sweep::{REPEATED_OVER, Record, Row};

/// Rows that differ only in their repetition, together, in the order of their first ones.
pub fn repetitions(rows: &[Row]) -> Vec<(Record, Vec<&Row>)> {
    let mut groups: Vec<(Record, Vec<&Row>)> = Vec::new();
    let mut places = std::collections::BTreeMap::new();
    for row in rows {
        let key = row.key.clone().without(REPEATED_OVER);
        let place = *places.entry(key.to_string()).or_insert_with(|| {
            groups.push((key, Vec::new()));
            groups.len() - 1
        });
        groups[place].1.push(row);
    }
    groups
}
