//! The comparison of a published statement about many points with our numbers.

use serde::Serialize;

use super::Verdict;
use crate::plan::{ClaimPlan, Each, Experiment, Form};
use crate::results::{Spread, repetitions};
use crate::sweep::Row;
use plans::Record;

/// A published statement and our measurement.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClaimResult {
    /// The statement.
    pub says: String,
    /// The place in the publication.
    pub place: String,
    /// The published range.
    pub range: (f64, f64),
    /// Our numbers; `None` if no such points were measured.
    pub measured: Option<Spread>,
    /// The verdict: reproduced if our mean, or every one of our numbers, as the claim demands, is in the range.
    pub verdict: Verdict,
    /// A note for the reader.
    pub note: String,
}

/// Compares every claim of an experiment with our numbers.
pub fn claims(experiment: &Experiment, rows: &[Row]) -> Vec<ClaimResult> {
    experiment.claims.iter().map(|claim| result(claim, rows)).collect()
}

fn result(claim: &ClaimPlan, rows: &[Row]) -> ClaimResult {
    let means;
    let rows = match claim.each {
        Each::Seed => rows,
        Each::Mean => {
            means = mean_rows(rows, &claim.measure);
            &means
        }
    };
    let selected = rows.iter().filter(|row| claim.selection.selects(&row.key));
    let numbers: Vec<f64> = selected.filter_map(|row| number(claim, row, rows)).collect();
    let measured = Spread::of(&numbers);
    let verdict = match measured {
        None => Verdict::NotMeasured,
        Some(_) if claim.is_landmark => Verdict::Landmark,
        Some(spread) => {
            let (low, high) =
                if claim.is_for_every { (spread.minimum, spread.maximum) } else { (spread.mean, spread.mean) };
            let is_within = claim.range.0 <= low && high <= claim.range.1;
            match (claim.is_invariant, is_within) {
                (false, true) => Verdict::Reproduced,
                (false, false) => Verdict::Differs,
                (true, true) => Verdict::Holds,
                (true, false) => Verdict::Broken,
            }
        }
    };
    let ClaimPlan { says, place, range, note, .. } = claim;
    ClaimResult { says: says.clone(), place: place.clone(), range: *range, measured, verdict, note: note.clone() }
}

/// Returns one row per point, with means over its repetitions.
fn mean_rows(rows: &[Row], measure: &str) -> Vec<Row> {
    let mean = |(key, rows): (Record, Vec<&Row>)| {
        let numbers: Vec<f64> = rows.iter().filter_map(|row| row.measures.number(measure)).collect();
        let mean = Spread::of(&numbers).map(|spread| spread.mean);
        Row { key, measures: Record::new().with(measure, mean), ..Row::default() }
    };
    repetitions(rows).into_iter().map(mean).collect()
}

/// Returns the claim's number for one row; `None` if the row lacks the measure or a row to compare with.
fn number(claim: &ClaimPlan, row: &Row, rows: &[Row]) -> Option<f64> {
    let value = row.measures.number(&claim.measure)?;
    let other = match &claim.against {
        None => value,
        Some(against) => {
            let key = against.iter().fold(row.key.clone(), |key, (name, value)| key.with(name, value.clone()));
            rows.iter().find(|row| row.key == key)?.measures.number(&claim.measure)?
        }
    };
    debug_assert!(claim.form != Form::Value || claim.against.is_none(), "the reader refuses it");
    Some(claim.form.apply(value, other)).filter(|number| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sweep::REPEATED_OVER;

    fn row(pipelines: u64, seed: u64, throughput: f64) -> Row {
        let key = Record::new().with("pipelines", pipelines).with(REPEATED_OVER, seed);
        Row { key, measures: Record::new().with("throughput", throughput), ..Row::default() }
    }

    fn claim(each: Each) -> ClaimPlan {
        ClaimPlan {
            measure: "throughput".into(),
            selection: crate::plan::Selection { axes: vec![("pipelines".into(), vec![16u64.into()])] },
            against: Some(Record::new().with("pipelines", 1u64)),
            form: Form::Reduction,
            each,
            range: (0.2, 0.3),
            ..ClaimPlan::default()
        }
    }

    #[test]
    fn pairs_rows_of_one_seed_or_means_over_seeds() {
        let rows = [row(1, 1, 1.0), row(1, 2, 0.5), row(16, 1, 0.5), row(16, 2, 0.5), row(16, 3, 0.1)];
        let spread = |each| result(&claim(each), &rows).measured.expect("there are pairs");
        // Seed 3 has no partner and is ignored; the reductions of the two pairs are a half and zero.
        let seeds = spread(Each::Seed);
        assert_eq!((seeds.count, seeds.minimum, seeds.maximum), (2, 0.0, 0.5));
        let means = spread(Each::Mean);
        assert_eq!(means.count, 1);
        assert!((means.mean - (1.0 - (1.1 / 3.0) / 0.75)).abs() < 1e-12, "{means:?}");
    }

    #[test]
    fn an_invariant_holds_or_is_broken() {
        let rows = [row(1, 1, 1.0), row(16, 1, 0.75)];
        let verdict = |range| {
            let law = ClaimPlan { is_invariant: true, is_for_every: true, range, ..claim(Each::Seed) };
            result(&law, &rows).verdict
        };
        assert_eq!([verdict((0.2, 0.3)), verdict((0.0, 0.2))], [Verdict::Holds, Verdict::Broken]);
    }

    #[test]
    fn points_that_were_not_run_are_not_measured() {
        let result = result(&claim(Each::Seed), &[row(1, 1, 1.0)]);
        assert_eq!((result.verdict, result.measured), (Verdict::NotMeasured, None));
    }
}
