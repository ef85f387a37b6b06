//! The figures in a build's results, found by what their names end with, so that builds of different age can be compared.

use serde_json::{Map, Value};

/// The direction in which a figure improves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    /// A rate.
    HigherIsFaster,
    /// A time, or memory.
    LowerIsFaster,
}

/// A measured figure.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Figure {
    /// The part, the row and the figure.
    pub(super) name: String,
    pub(super) value: f64,
    pub(super) direction: Direction,
}

/// Returns all figures of a build's results, in the order of their names' parts.
pub(super) fn figures(results: &Value) -> Vec<Figure> {
    let mut found = Vec::new();
    walk(results, &mut Vec::new(), &mut |names, value| {
        if let (Some(direction), Some(value)) = (direction(names), value.as_f64().filter(|value| *value > 0.0)) {
            found.push(Figure { name: names.join(" "), value, direction });
        }
    });
    found
}

/// Returns the results other than figures that two builds do not have in common: the name, and both values.
pub(super) fn differences(this: &Value, other: &Value) -> Vec<(String, Value, Value)> {
    let [this, other] = [this, other].map(results);
    let of = |name: &str| other.iter().find(|(own, _)| own == name).map(|(_, value)| value);
    let differs = |(name, value): &(String, Value)| {
        let other = of(name).filter(|other| *other != value)?;
        Some((name.clone(), value.clone(), other.clone()))
    };
    this.iter().filter_map(differs).collect()
}

/// Returns the exact results: whole numbers and texts. Other numbers are measured, or computed from what was measured.
fn results(results: &Value) -> Vec<(String, Value)> {
    let mut found = Vec::new();
    walk(results, &mut Vec::new(), &mut |names, value| {
        let is_exact = value.is_string() || value.is_boolean() || value.is_u64() || value.is_i64();
        if is_exact && direction(names).is_none() {
            found.push((names.join(" "), value.clone()));
        }
    });
    found
}

/// Returns the direction of a figure by its name; `None` for other results.
fn direction(names: &[String]) -> Option<Direction> {
    // A spread has its median below its name.
    let mut names = names.iter().rev().filter(|name| !matches!(name.as_str(), "median" | "lowest" | "highest"));
    let name = names.next()?;
    if name.ends_with("per_second") || name.ends_with("_per_core_second") {
        Some(Direction::HigherIsFaster)
    } else if ["seconds", "nanoseconds", "peak_bytes", "resident_bytes"].iter().any(|end| name.ends_with(end)) {
        Some(Direction::LowerIsFaster)
    } else {
        None
    }
}

fn walk(value: &Value, names: &mut Vec<String>, tell: &mut dyn FnMut(&[String], &Value)) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                names.push(name.clone());
                walk(member, names, tell);
                names.pop();
            }
        }
        Value::Array(rows) => {
            for (number, row) in rows.iter().enumerate() {
                names.push(row_name(number, row.as_object()));
                walk(row, names, tell);
                names.pop();
            }
        }
        leaf => tell(names, leaf),
    }
}

/// The members that say which row it is, in the order in which people would say them.
const NAMES: [&str; 9] =
    ["path", "plan", "program", "machine", "rules", "executor", "protocol", "pipelines", "pattern"];

/// Returns the number of a row, and what its members say it is.
fn row_name(number: usize, row: Option<&Map<String, Value>>) -> String {
    let texts = NAMES.iter().filter_map(|name| match row?.get(*name)? {
        Value::String(text) => Some(text.clone()),
        Value::Number(count) => Some(format!("{name} {count}")),
        _ => None,
    });
    let texts: Vec<String> = texts.collect();
    if texts.is_empty() { format!("#{number}") } else { format!("#{number} ({})", texts.join(", ")) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn rates_and_times_are_figures_and_counts_are_results() {
        let results = json!({
            "routers": [{"executor": "native", "routes": 16, "bare_packets_per_second": 5.5, "forwarded": 12}],
            "networks": [{"plan": "incast", "seconds": 0.25, "peak_bytes": 1000, "events": 7}],
            "controllers": {"write_seconds": {"median": 0.5}},
            "live": null,
        });
        let found = figures(&results);
        let named = |name: &str| found.iter().find(|figure| figure.name == name).map(|figure| figure.direction);
        assert_eq!(named("routers #0 (native) bare_packets_per_second"), Some(Direction::HigherIsFaster));
        assert_eq!(named("networks #0 (incast) seconds"), Some(Direction::LowerIsFaster));
        assert_eq!(named("networks #0 (incast) peak_bytes"), Some(Direction::LowerIsFaster));
        assert_eq!(named("controllers write_seconds median"), Some(Direction::LowerIsFaster));
        assert_eq!(found.len(), 4, "{found:?}");
    }

    #[test]
    fn results_that_differ_are_told_with_both_values() {
        let of =
            |events: u64, seconds: f64| json!({"networks": [{"plan": "incast", "seconds": seconds, "events": events}]});
        assert_eq!(differences(&of(7, 0.2), &of(7, 0.3)), []);
        let expected = ("networks #0 (incast) events".to_owned(), json!(7), json!(8));
        assert_eq!(differences(&of(7, 0.2), &of(8, 0.2)), [expected]);
    }
}
