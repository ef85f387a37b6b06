//! The result files of a sweep: points and means as CSV, a figure for each measure, and a page.

use experiments::results::rows_to_csv;
use experiments::sweep::Row;
use files::Manifest;
use plans::{Record, Value};
use report::{Axis, Block, COLOURS, Chart, ChartLine, Figure, Page, Point, Quantity, Section, chart};

use super::axis::Axis as SweepAxis;
use super::{Means, Sweep};

/// The result files of a sweep.
#[derive(Clone, Debug)]
pub struct Document {
    /// The names and texts of the files, without the manifest.
    pub files: Vec<(String, String)>,
    /// The manifest: version, plan, axes, hashes of inputs and results.
    pub manifest: Manifest,
}

/// The axis over which means are taken.
const SEED: &str = "seed";

/// Returns whether a sweep may write a file of this name.
pub fn is_sweep_result(name: &str) -> bool {
    ["index.html", "points.csv", "means.csv", "plan.toml"].contains(&name) || name.ends_with(".svg")
}

/// Makes the result files of a sweep, with a figure for each of `measures`.
pub fn document(sweep: &Sweep, rows: &[Row], measures: &[String]) -> Document {
    let means = Means::of(rows);
    let figures: Vec<Figure> = measures.iter().filter_map(|measure| figure(sweep, &means, measure)).collect();
    let mut files = vec![
        ("points.csv".to_owned(), rows_to_csv(rows)),
        ("means.csv".to_owned(), means.to_csv()),
        ("plan.toml".to_owned(), sweep.plan.text.clone()),
    ];
    files.extend(figures.iter().map(|figure| (format!("{}.svg", figure.name), figure.svg.clone())));
    let mut manifest = Manifest::of_inputs("sweep", &[(sweep.plan.path.clone(), sweep.plan.text.clone())]);
    for SweepAxis { field, values } in &sweep.axes {
        let values: Vec<String> = values.iter().map(Value::to_string).collect();
        manifest.parameter("over", &format!("{field}={}", values.join(",")));
    }
    files.iter().for_each(|(name, text)| manifest.output(name, text.as_bytes()));
    let seeds = sweep.axes.iter().find(|axis| axis.field == SEED).map_or(1, |axis| axis.values.len());
    let over = match seeds {
        1 => "One seed: there is no spread.".to_owned(),
        seeds => format!("Means over {seeds} seeds, with 95% confidence intervals by Student's t distribution."),
    };
    let summary = format!("{} points of {}. {over}", rows.len(), sweep.plan.path);
    let page = Page {
        title: format!("Sweep of {}", sweep.plan.name),
        summary: vec![Block::Paragraph(String::new(), summary)],
        cards: Vec::new(),
        sections: vec![
            Section::new("Means", vec![Block::Table(means.table(measures)), Block::Figures(figures)]),
            Section::new("Plan", vec![Block::Text(sweep.plan.text.clone())]),
        ],
        manifest: manifest.to_text(),
    };
    files.push(("index.html".to_owned(), page.to_html()));
    Document { files, manifest }
}

/// A measure over the first axis that has several values and is not the seed, a line for each combination of the
/// others.
fn figure(sweep: &Sweep, means: &Means, measure: &str) -> Option<Figure> {
    let axes: Vec<&SweepAxis> = sweep.axes.iter().filter(|axis| axis.field != SEED && axis.values.len() > 1).collect();
    // An axis of numbers is preferred for the abscissa; words name the lines of the chart.
    let is_number = |axis: &SweepAxis| axis.values.iter().all(|value| value.number().is_some());
    let x = *axes.iter().find(|axis| is_number(axis)).or(axes.first())?;
    let others: Vec<&str> = axes.iter().filter(|axis| axis.field != x.field).map(|axis| axis.field.as_str()).collect();
    let of_line = |key: &Record| others.iter().map(|axis| key.get(axis).cloned()).collect::<Vec<_>>();
    let mut lines: Vec<(Vec<Option<Value>>, ChartLine)> = Vec::new();
    for (key, all) in &means.points {
        let (Some(mean), Some(at)) = (all.iter().find(|mean| mean.measure == measure), key.get(&x.field)) else {
            continue;
        };
        let Some(place) = x.values.iter().position(|value| value == at) else { continue };
        let half = mean.spread.confidence().unwrap_or(0.0);
        let point = Point { place, y: mean.spread.mean, low: mean.spread.mean - half, high: mean.spread.mean + half };
        let line = of_line(key);
        let number = lines.iter().position(|(known, _)| *known == line).unwrap_or_else(|| {
            let words: Vec<String> = line.iter().flatten().map(Value::to_string).collect();
            let name = if words.is_empty() { "mean".to_owned() } else { words.join(", ") };
            let colour = lines.len() % COLOURS;
            lines.push((line, ChartLine { name, points: Vec::new(), colour, is_published: false }));
            lines.len() - 1
        });
        lines[number].1.points.push(point);
    }
    for (_, line) in &mut lines {
        line.points.sort_by_key(|point| point.place);
    }
    let svg = chart(&Chart {
        values: x.values.iter().map(Value::to_string).collect(),
        is_ordered: is_number(x),
        lines: lines.into_iter().map(|(_, line)| line).collect(),
        x_label: x.field.clone(),
        y: Axis { label: measure.to_owned(), quantity: Quantity::Number },
    });
    let title = format!("{measure} over {}", x.field);
    Some(Figure { name: measure.replace(['.', ' '], "-"), title, svg, ..Figure::default() })
}
