//! Tables of comparisons and claims with their verdicts.

use super::Reproduced;
use crate::comparison::{ClaimResult, Comparison, Verdict};
use crate::results::Spread;
use report::Table;

/// The number of comparisons and claims of an experiment, by verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// The number that are reproduced.
    pub reproduced: usize,
    /// The number that differ.
    pub different: usize,
}

/// Counts verdicts on what was published; landmarks, unmeasured numbers and invariants of our own are not counted.
pub fn counts(reproduced: &Reproduced) -> Counts {
    let verdicts = reproduced.comparisons.iter().map(|comparison| comparison.verdict);
    let mut counts = Counts::default();
    for verdict in verdicts.chain(reproduced.claims.iter().map(|claim| claim.verdict)) {
        match verdict {
            Verdict::Reproduced => counts.reproduced += 1,
            Verdict::Differs => counts.different += 1,
            Verdict::Landmark | Verdict::NotMeasured | Verdict::Holds | Verdict::Broken => {}
        }
    }
    counts
}

/// Returns the invariants of our own that do not hold.
pub fn broken(experiments: &[Reproduced]) -> Vec<&ClaimResult> {
    let claims = experiments.iter().flat_map(|reproduced| &reproduced.claims);
    claims.filter(|claim| claim.verdict == Verdict::Broken).collect()
}

/// Counts the numbers (not the statements) of all experiments separately for each value of an axis.
pub(super) fn counts_by(axis: &str, experiments: &[Reproduced]) -> Vec<(String, Counts)> {
    let mut apart: Vec<(String, Counts)> = Vec::new();
    for comparison in experiments.iter().flat_map(|reproduced| &reproduced.comparisons) {
        let Some(value) = comparison.point.get(axis).map(ToString::to_string) else { continue };
        let place = apart.iter().position(|(known, _)| *known == value).unwrap_or_else(|| {
            apart.push((value, Counts::default()));
            apart.len() - 1
        });
        match comparison.verdict {
            Verdict::Reproduced => apart[place].1.reproduced += 1,
            Verdict::Differs => apart[place].1.different += 1,
            Verdict::Landmark | Verdict::NotMeasured | Verdict::Holds | Verdict::Broken => {}
        }
    }
    apart
}

fn header(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

/// Returns a table with one row per experiment.
pub fn overview_table(experiments: &[Reproduced]) -> Table {
    let row = |reproduced: &Reproduced| {
        let Counts { reproduced: same, different } = counts(reproduced);
        let largest = reproduced.comparisons.iter().filter(|comparison| comparison.verdict != Verdict::Landmark);
        let largest = largest.max_by(|a, b| a.deviation.abs().total_cmp(&b.deviation.abs()));
        let largest = largest.map_or("-".to_owned(), |comparison| {
            format!("{} ({})", signed(comparison.deviation), comparison.measure.replace('_', " "))
        });
        vec![
            reproduced.experiment.name.clone(),
            reproduced.experiment.title.clone(),
            if same + different == 0 { "-".to_owned() } else { format!("{same} of {}", same + different) },
            largest,
            reproduced.rows.len().to_string(),
        ]
    };
    Table {
        header: header(&["name", "what", "reproduced", "largest deviation", "runs"]),
        rows: experiments.iter().map(row).collect(),
    }
}

/// Returns a table with one row per published number; axes on which all points agree have no column.
pub fn comparison_table(comparisons: &[Comparison]) -> Table {
    let axes = telling_axes(comparisons);
    let mut names: Vec<String> = axes.iter().map(|axis| axis.replace('_', " ")).collect();
    names.extend(header(&["measure", "published", "measured", "±", "deviation", "allowed", "verdict"]));
    let row = |comparison: &Comparison| {
        let mut cells: Vec<String> =
            axes.iter().map(|axis| comparison.point.get(axis).map(ToString::to_string).unwrap_or_default()).collect();
        let mark = if comparison.is_from_picture { " (picture)" } else { "" };
        cells.extend([
            comparison.measure.replace('_', " "),
            format!("{}{mark}", number(comparison.published)),
            number(comparison.measured.mean),
            spread(&comparison.measured),
            signed(comparison.deviation),
            if comparison.verdict == Verdict::Landmark { "-".to_owned() } else { number(comparison.allowed) },
            comparison.verdict.to_string(),
        ]);
        cells
    };
    Table { header: names, rows: comparisons.iter().map(row).collect() }
}

/// Returns a table with one row per statement.
pub fn claim_table(claims: &[ClaimResult]) -> Table {
    let row = |claim: &ClaimResult| {
        let range = format!("{} to {}", number(claim.range.0), number(claim.range.1));
        let measured = claim.measured.map_or(["-".to_owned(), "-".to_owned()], |spread| {
            [number(spread.mean), format!("{} to {}", number(spread.minimum), number(spread.maximum))]
        });
        let [mean, ours] = measured;
        vec![claim.says.clone(), claim.place.clone(), range, mean, ours, claim.verdict.to_string()]
    };
    Table {
        header: header(&["statement", "where", "published", "mean", "from … to", "verdict"]),
        rows: claims.iter().map(row).collect(),
    }
}

/// Returns every comparison and claim of every experiment with unrounded numbers, for programs.
pub(super) fn all(experiments: &[Reproduced]) -> Table {
    let names = [
        "experiment",
        "kind",
        "what",
        "measure",
        "published_low",
        "published_high",
        "count",
        "mean",
        "standard_deviation",
        "minimum",
        "maximum",
        "deviation",
        "allowed",
        "verdict",
    ];
    let mut rows = Vec::new();
    for reproduced in experiments {
        let name = &reproduced.experiment.name;
        let measured = |spread: Option<Spread>| match spread {
            None => vec![String::new(); 5],
            Some(spread) => {
                let numbers = [spread.mean, spread.standard_deviation, spread.minimum, spread.maximum];
                let count = std::iter::once(spread.count.to_string());
                count.chain(numbers.iter().map(ToString::to_string)).collect()
            }
        };
        for comparison in &reproduced.comparisons {
            let mut row = vec![name.clone(), "number".to_owned(), comparison.point.to_string()];
            row.push(comparison.measure.clone());
            row.extend([comparison.published.to_string(), comparison.published.to_string()]);
            row.extend(measured(Some(comparison.measured)));
            row.extend([comparison.deviation.to_string(), comparison.allowed.to_string()]);
            row.push(comparison.verdict.to_string());
            rows.push(row);
        }
        for claim in &reproduced.claims {
            let mut row = vec![name.clone(), "claim".to_owned(), claim.says.clone(), String::new()];
            row.extend([claim.range.0.to_string(), claim.range.1.to_string()]);
            row.extend(measured(claim.measured));
            row.extend([String::new(), String::new(), claim.verdict.to_string()]);
            rows.push(row);
        }
    }
    Table { header: header(&names), rows }
}

fn telling_axes(comparisons: &[Comparison]) -> Vec<String> {
    let Some(first) = comparisons.first() else { return Vec::new() };
    let tells = |name: &str| comparisons.iter().any(|other| other.point.get(name) != first.point.get(name));
    first.point.iter().map(|(name, _)| name).filter(|name| tells(name)).map(str::to_owned).collect()
}

/// Formats a number with four decimal places, or none if it is whole.
fn number(value: f64) -> String {
    if value.fract() == 0.0 { format!("{value:.0}") } else { format!("{value:.4}") }
}

fn signed(value: f64) -> String {
    let text = number(value);
    if value > 0.0 { format!("+{text}") } else { text }
}

fn spread(spread: &Spread) -> String {
    if spread.count > 1 { number(spread.standard_deviation) } else { "-".to_owned() }
}
