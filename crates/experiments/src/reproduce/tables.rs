//! The tables that a plan asks for: means over the repetitions, one axis against another.

use super::Reproduced;
use crate::plan::TablePlan;
use crate::results::{Spread, repetitions};
use crate::sweep::Row;
use plans::Record;
use report::Table;

/// Every table of an experiment, under its title.
pub(super) fn of(reproduced: &Reproduced) -> Vec<(String, Table)> {
    let tables = &reproduced.experiment.tables;
    tables.iter().map(|plan| (plan.title.clone(), table(plan, &reproduced.rows))).collect()
}

fn table(plan: &TablePlan, rows: &[Row]) -> Table {
    let groups: Vec<(Record, Vec<&Row>)> =
        repetitions(rows).into_iter().filter(|(point, _)| plan.selection.selects(point)).collect();
    let points = || groups.iter().map(|(point, _)| point);
    let (lines, columns) = (combinations(&plan.rows, points()), combinations(&plan.columns, points()));
    // A measure whose numbers are all whole is shown without decimal places.
    let is_whole = |measure: &String| {
        let rows = groups.iter().flat_map(|(_, rows)| rows);
        rows.filter_map(|row| row.measures.number(measure)).all(|number| number.fract() == 0.0)
    };
    let measures: Vec<(&String, bool)> = plan.measures.iter().map(|measure| (measure, is_whole(measure))).collect();
    let mut header: Vec<String> = plan.rows.iter().map(|name| name.replace('_', " ")).collect();
    for column in &columns {
        let values: Vec<String> = column.iter().map(|(_, value)| value.to_string()).collect();
        for (measure, _) in &measures {
            // A single measure is in the title already.
            let measure =
                if measures.len() > 1 || columns.len() < 2 { measure.replace('_', " ") } else { String::new() };
            let parts = [values.join(", "), measure];
            header.push(parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(": "));
        }
    }
    let line = |line: &Record| {
        let mut cells: Vec<String> = line.iter().map(|(_, value)| value.to_string()).collect();
        for column in &columns {
            let key = column.iter().fold(line.clone(), |key, (name, value)| key.with(name, value.clone()));
            let of_cell =
                groups.iter().filter(|(point, _)| key.iter().all(|(name, value)| point.get(name) == Some(value)));
            let of_cell: Vec<&Row> = of_cell.flat_map(|(_, rows)| rows.iter().copied()).collect();
            cells.extend(measures.iter().map(|(measure, is_whole)| cell(measure, *is_whole, &of_cell)));
        }
        cells
    };
    Table { rows: lines.iter().map(line).collect(), header }
}

/// Formats the mean and standard deviation of a measure; a hyphen if there is no number.
fn cell(measure: &str, is_whole: bool, rows: &[&Row]) -> String {
    let numbers: Vec<f64> = rows.iter().filter_map(|row| row.measures.number(measure)).collect();
    match Spread::of(&numbers) {
        None => "-".to_owned(),
        Some(Spread { mean, minimum, maximum, .. }) if minimum == maximum => {
            if is_whole {
                format!("{mean:.0}")
            } else {
                format!("{mean:.4}")
            }
        }
        Some(spread) if is_whole => format!("{:.1} ± {:.1}", spread.mean, spread.standard_deviation),
        Some(spread) => format!("{:.4} ± {:.4}", spread.mean, spread.standard_deviation),
    }
}

/// Returns the combinations of values that points have on some axes, ordered by the values of the first axis in order
/// of appearance, then those of the second, and so on.
pub(super) fn combinations<'p>(axes: &[String], points: impl Iterator<Item = &'p Record> + Clone) -> Vec<Record> {
    let mut found: Vec<Record> = Vec::new();
    for point in points.clone() {
        let with = |record: Record, axis: &String| record.with(axis.as_str(), point.get(axis).cloned());
        let values = axes.iter().fold(Record::new(), with);
        if !found.contains(&values) {
            found.push(values);
        }
    }
    let place = |record: &Record| -> Vec<Option<usize>> {
        axes.iter().map(|axis| points.clone().position(|point| point.get(axis) == record.get(axis))).collect()
    };
    found.sort_by_cached_key(place);
    found
}
