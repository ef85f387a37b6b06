//! The comparison of a single published number with ours.

use serde::Serialize;

use super::Verdict;
use crate::plan::{Experiment, Published, Tolerance};
use crate::results::{Spread, repetitions};
use crate::sweep::Row;
use plans::Record;

/// A published number and our measurement.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// The point, without its repetition.
    pub point: Record,
    /// The name of the measure.
    pub measure: String,
    /// The published number.
    pub published: f64,
    /// Whether the published number was read from a picture.
    pub is_from_picture: bool,
    /// Our numbers over the repetitions.
    pub measured: Spread,
    /// Our mean minus the published number.
    pub deviation: f64,
    /// The greatest absolute deviation at which the number counts as reproduced.
    pub allowed: f64,
    /// The verdict.
    pub verdict: Verdict,
}

/// Compares every published number of an experiment with ours, in the order of the file, then of the points. Published
/// numbers for which no point was measured (as with --quick) are omitted.
pub fn comparisons(experiment: &Experiment, rows: &[Row]) -> Vec<Comparison> {
    let groups = repetitions(rows);
    let mut all = Vec::new();
    for published in &experiment.published {
        let selected = groups.iter().filter(|(point, _)| published.selection.selects(point));
        all.extend(selected.filter_map(|(point, rows)| comparison(experiment, published, point, rows)));
    }
    all
}

fn comparison(experiment: &Experiment, published: &Published, point: &Record, rows: &[&Row]) -> Option<Comparison> {
    let at = point.get(&published.axis)?;
    let &(_, number) = published.points.iter().find(|(value, _)| value == at)?;
    let measured: Vec<f64> = rows.iter().filter_map(|row| row.measures.number(&published.measure)).collect();
    let measured = Spread::of(&measured)?;
    let Tolerance { absolute, standard_errors, repetitions, .. } = experiment.tolerance;
    let others = if repetitions > 0.0 { repetitions } else { measured.count as f64 };
    let of_spread = || absolute.max(standard_errors * measured.error_of_difference(others));
    let allowed = published.tolerance.unwrap_or_else(of_spread);
    let deviation = measured.mean - number;
    let verdict = match published.is_landmark {
        true => Verdict::Landmark,
        false if deviation.abs() <= allowed => Verdict::Reproduced,
        false => Verdict::Differs,
    };
    Some(Comparison {
        point: point.clone(),
        measure: published.measure.clone(),
        published: number,
        is_from_picture: published.is_from_picture,
        measured,
        deviation,
        allowed,
        verdict,
    })
}
