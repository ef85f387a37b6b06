//! Means over seeds, with confidence intervals.

use experiments::results::{Spread, repetitions};
use experiments::sweep::Row;
use plans::Record;
use report::{Table, to_csv};

/// Means of every measure at every point, taken over the axis `seed`.
#[derive(Clone, Debug, Default)]
pub struct Means {
    /// The points in order, without their seeds.
    pub points: Vec<(Record, Vec<Mean>)>,
}

/// The mean of a measure at a point.
#[derive(Clone, Debug, PartialEq)]
pub struct Mean {
    /// The measure.
    pub measure: String,
    /// Its mean and spread over seeds.
    pub spread: Spread,
}

impl Means {
    /// Computes the means of the rows of a sweep.
    pub fn of(rows: &[Row]) -> Self {
        let point = |(key, rows): (Record, Vec<&Row>)| {
            let mut measures: Vec<&str> = Vec::new();
            for (name, _) in rows.iter().flat_map(|row| row.measures.iter()) {
                if !measures.contains(&name) {
                    measures.push(name);
                }
            }
            let mean = |measure: &str| {
                let numbers: Vec<f64> = rows.iter().filter_map(|row| row.measures.number(measure)).collect();
                Some(Mean { measure: measure.to_owned(), spread: Spread::of(&numbers)? })
            };
            (key, measures.into_iter().filter_map(mean).collect())
        };
        Self { points: repetitions(rows).into_iter().map(point).collect() }
    }

    /// Returns the means as CSV: a row for each point and measure.
    pub fn to_csv(&self) -> String {
        let axes = self.axes();
        let statistics = ["measure", "seeds", "mean", "confidence_95", "minimum", "maximum"];
        let header = axes.iter().copied().chain(statistics).map(str::to_owned).collect();
        let mut rows = Vec::new();
        for (key, means) in &self.points {
            for Mean { measure, spread } in means {
                let mut row: Vec<String> = axes.iter().map(|axis| value(key, axis)).collect();
                row.push(measure.clone());
                row.push(spread.count.to_string());
                row.push(spread.mean.to_string());
                row.push(spread.confidence().map(|half| half.to_string()).unwrap_or_default());
                row.extend([spread.minimum, spread.maximum].map(|number| number.to_string()));
                rows.push(row);
            }
        }
        to_csv(&Table { header, rows })
    }

    /// Returns some measures as a table for people: a row for each point, each mean with its confidence interval.
    pub fn table(&self, measures: &[String]) -> Table {
        let axes = self.axes();
        let header = axes.iter().map(|axis| (*axis).to_owned()).chain(["seeds".to_owned()]);
        let row = |(key, means): &(Record, Vec<Mean>)| {
            let seeds = means.iter().map(|mean| mean.spread.count).max().unwrap_or(0);
            let mean = |measure: &String| match means.iter().find(|mean| mean.measure == *measure) {
                Some(Mean { spread, .. }) => in_words(spread),
                None => String::new(),
            };
            let values = axes.iter().map(|axis| value(key, axis)).chain([seeds.to_string()]);
            values.chain(measures.iter().map(mean)).collect()
        };
        let rows = self.points.iter().map(row).collect();
        Table { header: header.chain(measures.iter().cloned()).collect(), rows }
    }

    /// Returns the names of the axes, without the seed.
    pub fn axes(&self) -> Vec<&str> {
        self.points.first().map(|(key, _)| key.iter().map(|(name, _)| name).collect()).unwrap_or_default()
    }

    /// Returns the names of all measures.
    pub fn measures(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for mean in self.points.iter().flat_map(|(_, means)| means) {
            if !names.contains(&mean.measure.as_str()) {
                names.push(&mean.measure);
            }
        }
        names
    }
}

fn value(key: &Record, axis: &str) -> String {
    key.get(axis).map(ToString::to_string).unwrap_or_default()
}

/// Formats a mean with its confidence interval, such as `12.25 ± 0.31`.
fn in_words(spread: &Spread) -> String {
    let short = |number: f64| {
        let places = if number.abs() >= 1000.0 { 1 } else { 3 };
        let text = format!("{number:.places$}");
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
    };
    match spread.confidence() {
        Some(half) => format!("{} ± {}", short(spread.mean), short(half)),
        None => short(spread.mean),
    }
}
