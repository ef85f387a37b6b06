//! The comparison of two builds as a table for a terminal.

use report::{Table, to_text};

use super::{ComparedFigure, Comparison};

/// Returns the comparison as a table, and a line for each result that differs.
pub fn as_text(comparison: &Comparison) -> String {
    let row = |figure: &ComparedFigure| {
        vec![
            figure.name.clone(),
            number(figure.this),
            number(figure.other),
            format!("{:.3}", figure.ratio),
            format!("{:.3} to {:.3}", figure.interval.low, figure.interval.high),
            figure.verdict().to_owned(),
        ]
    };
    let header = ["figure", "this build", "the other", "times as fast", "interval", ""].map(str::to_owned);
    let table = Table { header: header.into(), rows: comparison.figures.iter().map(row).collect() };
    let pairs = comparison.pairs;
    let mut text = to_text(&table);
    text += &format!("\nmedians of {pairs} pairs; the ratio is taken within each pair");
    text += if pairs < 6 { ", and the interval has all of them\n" } else { "; the interval has a confidence of 95%\n" };
    for (name, this, other) in &comparison.different_results {
        text += &format!("the results differ: {name} is {this} here and {other} there\n");
    }
    text
}

/// Returns a number with four digits that count.
fn number(value: f64) -> String {
    let digits = if value > 0.0 { (3 - value.log10().floor() as i32).clamp(0, 9) as usize } else { 0 };
    format!("{value:.digits$}")
}
