//! Rows as CSV (RFC 4180).

use std::collections::BTreeSet;

use plans::Value;
use report::{Table, to_csv};

use crate::sweep::Row;

/// Returns rows as CSV with a column for every axis and every measure, one row per job.
pub fn rows_to_csv(rows: &[Row]) -> String {
    let mut header: Vec<String> = Vec::new();
    let mut known = BTreeSet::new();
    let keys = rows.iter().flat_map(|row| row.key.iter());
    for (name, _) in keys.chain(rows.iter().flat_map(|row| row.measures.iter())) {
        if known.insert(name) {
            header.push(name.to_owned());
        }
    }
    let cells = |row: &Row| header.iter().map(|name| row.get(name).map(Value::to_string).unwrap_or_default()).collect();
    to_csv(&Table { rows: rows.iter().map(cells).collect(), header })
}

#[cfg(test)]
mod tests {
    use super::*;
    use plans::Record;

    #[test]
    fn rows_have_empty_cells_for_missing_values() {
        let key = Record::new().with("k", 1u64);
        let rows = [
            Row { key: key.clone(), measures: Record::new().with("rate", 0.5), ..Row::default() },
            Row {
                key: key.with("k", 2u64),
                measures: Record::new().with("name", "a, \"b\"").with("rate", f64::NAN),
                ..Row::default()
            },
        ];
        assert_eq!(rows_to_csv(&rows), "k,rate,name\n1,0.5,\n2,,\"a, \"\"b\"\"\"\n");
    }
}
