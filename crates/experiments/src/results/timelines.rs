//! The intervals of a run over time, as a table.

use plans::Value;
use report::{Table, to_csv};

use crate::sweep::Row;

/// Returns what was so over time in all runs that tell it, as CSV: the key of the run; the place, what was so, from when until
/// when in picoseconds; or for numbers over time what they are, their name, when in picoseconds, and the number. `None` if no
/// run tells it.
pub fn timelines_to_csv(rows: &[Row]) -> Option<String> {
    let with_timeline: Vec<&Row> = rows.iter().filter(|row| !row.timeline.is_empty()).collect();
    let mut header: Vec<String> = with_timeline.first()?.key.iter().map(|(name, _)| name.to_owned()).collect();
    header.extend(["row", "state", "from_ps", "until_ps", "value"].map(str::to_owned));
    let mut lines = Vec::new();
    for row in with_timeline {
        let timeline = &row.timeline;
        let name = |names: &[String], number: u32| names.get(number as usize).cloned().unwrap_or_default();
        for interval in &timeline.intervals {
            let mut line: Vec<String> = row.key.iter().map(|(_, value): (_, &Value)| value.to_string()).collect();
            line.extend([name(&timeline.rows, interval.row), name(&timeline.states, interval.state)]);
            line.extend([interval.from, interval.until].map(|at| at.to_string()));
            line.push(String::new());
            lines.push(line);
        }
        for course in &timeline.courses {
            for (at, value) in &course.points {
                let mut line: Vec<String> = row.key.iter().map(|(_, value): (_, &Value)| value.to_string()).collect();
                line.extend([course.of.clone(), course.name.clone(), at.to_string(), String::new(), value.to_string()]);
                lines.push(line);
            }
        }
    }
    Some(to_csv(&Table { header, rows: lines }))
}
