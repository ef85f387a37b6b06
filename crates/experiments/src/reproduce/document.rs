//! The report: what was reproduced and what not, then every experiment with its figures, its numbers and its text.
//!
//! One HTML file without anything outside of it; it reads in light and dark and on a phone.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::summary::{Counts, claim_table, comparison_table, counts, counts_by};
use super::{Reproduced, Suite, figures, tables};
use crate::comparison::Verdict;
use report::{Figure, Table};

/// The report.
pub(super) struct Document {
    html: String,
}

/// More rows than this are for the table on disk, not for a page.
const MOST_ROWS: usize = 240;
/// More rows than this are folded away.
const OPEN_ROWS: usize = 12;

const STYLE: &str = include_str!("document.css");

impl Document {
    /// As HTML.
    pub fn to_html(&self) -> String {
        self.html.clone()
    }
}

/// The report of what came of a suite's experiments.
pub(super) fn of(suite: &Suite, experiments: &[Reproduced], manifest: String, is_quick: bool) -> Document {
    let laws = experiments.iter().flat_map(|reproduced| &reproduced.claims);
    let laws: Vec<Verdict> = laws.map(|claim| claim.verdict).collect();
    let count = |verdict| laws.iter().filter(|&&other| other == verdict).count();
    let (hold, broken) = (count(Verdict::Holds), count(Verdict::Broken));
    let all = experiments.iter().map(counts).fold(Counts::default(), |sum, counts| Counts {
        reproduced: sum.reproduced + counts.reproduced,
        different: sum.different + counts.different,
    });
    let apart = |axis: &str| -> Vec<String> {
        let words = |(value, Counts { reproduced, different }): (String, Counts)| {
            format!("{axis} {value}: {reproduced} of {}", reproduced + different)
        };
        counts_by(axis, experiments).into_iter().map(words).collect()
    };
    let apart = suite.apart.map(apart).unwrap_or_default();
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (suite.title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                header {
                    h1 { (suite.title) }
                    @for sentence in suite.introduction { p { (sentence) } }
                    p.total {
                        strong { (all.reproduced) " of " (all.reproduced + all.different) }
                        " published numbers and statements are reproduced within their tolerances."
                    }
                    @if hold + broken > 0 {
                        p { "Of " (hold + broken) " laws of our own that every run must keep, " (hold) " hold." }
                    }
                    @if is_quick {
                        p { "A quick run: fewer seeds and shorter streams than the texts below speak of." }
                    }
                    @if !apart.is_empty() {
                        p { "Of the numbers alone: " (apart.join("; ")) "." }
                    }
                }
                (overview(experiments))
                @for reproduced in experiments { (section(suite, reproduced)) }
                section {
                    details { summary { "Manifest: what it takes to make the same bytes again" } pre { (manifest) } }
                }
            }
        }
    };
    Document { html: page.into_string() }
}

/// The experiments at a glance.
fn overview(experiments: &[Reproduced]) -> Markup {
    html! {
        nav {
            @for reproduced in experiments {
                @let counts = counts(reproduced);
                a.card href=(format!("#{}", reproduced.experiment.name)) {
                    span.place { (reproduced.experiment.source.place) }
                    span.title { (reproduced.experiment.title) }
                    (meter(counts))
                }
            }
        }
    }
}

/// A bar of what is reproduced, with its numbers.
fn meter(Counts { reproduced, different }: Counts) -> Markup {
    let all = reproduced + different;
    if all == 0 {
        return html! { span.count { "nothing published to hold it against" } };
    }
    let share = 100 * reproduced / all;
    html! {
        span.meter { span style=(format!("width:{share}%")) {} }
        span.count { (reproduced) " of " (all) " reproduced" }
    }
}

fn section(suite: &Suite, reproduced: &Reproduced) -> Markup {
    let experiment = &reproduced.experiment;
    let explanations = suite.method(experiment).map(|method| method.explanations()).unwrap_or_default();
    html! {
        section id=(experiment.name) {
            h2 { (experiment.title) }
            p.source { (experiment.source.paper) ", " (experiment.source.place) }
            @if !experiment.hypothesis.is_empty() { p { b { "Expected. " } (experiment.hypothesis) } }
            div.figures { @for figure in figures::of(reproduced) { (picture(&figure)) } }
            @for (title, rows) in tables::of(reproduced) { h3 { (title) } (table(&rows, true)) }
            @if !explanations.is_empty() {
                dl { @for (term, meaning) in &explanations { dt { (term) } dd { (meaning) } } }
            }
            @if !reproduced.claims.is_empty() {
                h3 { "What the text says" }
                (table(&claim_table(&reproduced.claims), true))
                @for claim in reproduced.claims.iter().filter(|claim| !claim.note.is_empty()) {
                    p.note { b { (claim.says) ": " } (claim.note) }
                }
            }
            @if !reproduced.comparisons.is_empty() {
                h3 { "Published numbers beside ours" }
                (numbers(reproduced))
            }
            @if !experiment.tolerance.why.is_empty() {
                p.note { b { "Tolerance. " } (experiment.tolerance.why) }
            }
            @if !experiment.differs.is_empty() {
                h3 { "Where ours differs, and why" }
                @for paragraph in experiment.differs.split("\n\n") { p { (paragraph) } }
            }
            p.note {
                (reproduced.rows.len()) " runs: "
                a href=(format!("{}.csv", experiment.name)) { (experiment.name) ".csv" }
            }
        }
    }
}

fn picture(figure: &Figure) -> Markup {
    html! { figure { figcaption { (figure.title) } (PreEscaped(&figure.svg)) } }
}

/// The table of an experiment's numbers: those that differ first, if there are too many for a page.
fn numbers(reproduced: &Reproduced) -> Markup {
    let comparisons = &reproduced.comparisons;
    let shown: Vec<_> = if comparisons.len() > MOST_ROWS {
        let differing = comparisons.iter().filter(|comparison| comparison.verdict == Verdict::Differs);
        differing.take(MOST_ROWS).cloned().collect()
    } else {
        comparisons.clone()
    };
    let numbers = table(&comparison_table(&shown), shown.len() <= OPEN_ROWS);
    html! {
        @if shown.len() < comparisons.len() {
            p.note {
                "Of " (comparisons.len()) " numbers, the " (shown.len()) " that differ are shown; all are in "
                a href="summary.csv" { "summary.csv" } "."
            }
        }
        @if !shown.is_empty() { (numbers) }
    }
}

fn table(table: &Table, is_open: bool) -> Markup {
    let is_number = |column: usize| {
        let digits =
            |text: &String| text.is_empty() || text.starts_with(|c: char| c.is_ascii_digit() || "+-".contains(c));
        table.rows.iter().all(|row| digits(&row[column]))
    };
    let classes: Vec<&str> = (0..table.header.len()).map(|at| if is_number(at) { "number" } else { "word" }).collect();
    html! {
        details open[is_open] {
            summary { (table.rows.len()) " rows" }
            div.scroll {
                table {
                    thead { tr { @for (cell, class) in table.header.iter().zip(&classes) { th class=(class) { (cell) } } } }
                    tbody {
                        @for row in &table.rows {
                            tr class=(row.last().map_or("", String::as_str)) {
                                @for (cell, class) in row.iter().zip(&classes) { td class=(class) { (cell) } }
                            }
                        }
                    }
                }
            }
        }
    }
}
