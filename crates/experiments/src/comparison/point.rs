//! A published number beside ours.

use serde::Serialize;

use super::Verdict;
use crate::plan::{Experiment, Published, Tolerance};
use crate::results::{Spread, repetitions};
use crate::sweep::Row;
use plans::Record;

/// One published number, and what we measured.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// Which point, without its repetition.
    pub point: Record,
    /// Of which measure.
    pub measure: String,
    /// What was published.
    pub published: f64,
    /// It was read from a picture.
    pub is_from_picture: bool,
    /// Ours, over the repetitions.
    pub measured: Spread,
    /// The mean of ours minus the published.
    pub deviation: f64,
    /// How large the deviation may be.
    pub allowed: f64,
    /// What that makes.
    pub verdict: Verdict,
}

/// Every published number of an experiment beside ours, in the order of the file, then of the points. A published number
/// for which no point was measured (as with --quick) does not appear.
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
