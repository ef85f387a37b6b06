//! Results of sweeps: rows and timelines as CSV, and statistics over repetitions.

mod csv;
mod spread;
mod timelines;

pub use csv::rows_to_csv;
pub use spread::Spread;
pub use timelines::timelines_to_csv;

use plans::Record;

use crate::sweep::{REPEATED_OVER, Row};

/// Groups rows that differ only in their repetition, in the order of the first row of each group.
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
