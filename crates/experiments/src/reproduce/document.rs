//! The report: what was reproduced and what not, then every experiment with its figures, its numbers and its text.

use super::summary::{Counts, claim_table, comparison_table, counts, counts_by};
use super::{Reproduced, Suite, figures, tables};
use crate::comparison::Verdict;
use report::{Block, Card, Page, Section, Table};

/// More rows than this are for the table on disk, not for a page.
const MOST_ROWS: usize = 240;
/// More rows than this are folded away.
const OPEN_ROWS: usize = 12;

/// The report of what came of a suite's experiments.
pub(super) fn of(suite: &Suite, experiments: &[Reproduced], manifest: String, is_quick: bool) -> Page {
    Page {
        title: suite.title.to_owned(),
        summary: summary(suite, experiments, is_quick),
        cards: experiments.iter().map(card).collect(),
        sections: experiments.iter().map(|reproduced| section(suite, reproduced)).collect(),
        manifest,
    }
}

fn paragraph(text: impl Into<String>) -> Block {
    Block::Paragraph(String::new(), text.into())
}

fn summary(suite: &Suite, experiments: &[Reproduced], is_quick: bool) -> Vec<Block> {
    let mut blocks: Vec<Block> = suite.introduction.iter().map(|&sentence| paragraph(sentence)).collect();
    let all = experiments.iter().map(counts).fold(Counts::default(), |sum, counts| Counts {
        reproduced: sum.reproduced + counts.reproduced,
        different: sum.different + counts.different,
    });
    blocks.push(Block::Paragraph(
        format!("{} of {}", all.reproduced, all.reproduced + all.different),
        "published numbers and statements are reproduced within their tolerances.".to_owned(),
    ));
    let laws = || experiments.iter().flat_map(|reproduced| &reproduced.claims);
    let count = |verdict| laws().filter(|claim| claim.verdict == verdict).count();
    let (hold, broken) = (count(Verdict::Holds), count(Verdict::Broken));
    if hold + broken > 0 {
        let all = hold + broken;
        blocks.push(paragraph(format!("Laws of our own that every run must keep: {hold} of {all} hold.")));
    }
    if is_quick {
        let words = "A quick run: fewer seeds and shorter streams than the texts below speak of.";
        blocks.push(paragraph(words));
    }
    let apart = |axis: &str| -> Vec<String> {
        let words = |(value, Counts { reproduced, different }): (String, Counts)| {
            format!("{axis} {value}: {reproduced} of {}", reproduced + different)
        };
        counts_by(axis, experiments).into_iter().map(words).collect()
    };
    let apart = suite.apart.map(apart).unwrap_or_default();
    if !apart.is_empty() {
        blocks.push(paragraph(format!("Of the numbers alone: {}.", apart.join("; "))));
    }
    blocks
}

/// An experiment at a glance.
fn card(reproduced: &Reproduced) -> Card {
    let experiment = &reproduced.experiment;
    let Counts { reproduced: same, different } = counts(reproduced);
    let all = same + different;
    let words =
        if all == 0 { "nothing published to compare with".to_owned() } else { format!("{same} of {all} reproduced") };
    Card {
        section: experiment.name.clone(),
        place: experiment.source.place.clone(),
        title: experiment.title.clone(),
        share: Some((same, all)),
        words,
    }
}

fn section(suite: &Suite, reproduced: &Reproduced) -> Section {
    let experiment = &reproduced.experiment;
    let mut blocks = Vec::new();
    if !experiment.hypothesis.is_empty() {
        blocks.push(Block::Paragraph("Expected.".to_owned(), experiment.hypothesis.clone()));
    }
    blocks.push(Block::Figures(figures::of(reproduced)));
    for (title, table) in tables::of(reproduced) {
        blocks.extend([Block::Heading(title), Block::Table(table)]);
    }
    let explanations = suite.method(experiment).map(|method| method.explanations()).unwrap_or_default();
    if !explanations.is_empty() {
        blocks.push(Block::Terms(explanations));
    }
    if !reproduced.claims.is_empty() {
        blocks.extend([Block::Heading("What the text says".to_owned()), Block::Table(claim_table(&reproduced.claims))]);
        let notes = reproduced.claims.iter().filter(|claim| !claim.note.is_empty());
        blocks.extend(notes.map(|claim| Block::Note(format!("{}:", claim.says), claim.note.clone())));
    }
    blocks.extend(numbers(reproduced));
    if !experiment.tolerance.why.is_empty() {
        blocks.push(Block::Note("Tolerance.".to_owned(), experiment.tolerance.why.clone()));
    }
    if !experiment.differs.is_empty() {
        blocks.push(Block::Heading("Where ours differs, and why".to_owned()));
        blocks.extend(experiment.differs.split("\n\n").map(paragraph));
    }
    blocks.push(Block::File(format!("{} runs:", reproduced.rows.len()), format!("{}.csv", experiment.name)));
    Section {
        id: experiment.name.clone(),
        heading: experiment.title.clone(),
        source: format!("{}, {}", experiment.source.paper, experiment.source.place),
        blocks,
    }
}

/// An experiment's numbers beside the published ones: those that differ, if there are too many for a page.
fn numbers(reproduced: &Reproduced) -> Vec<Block> {
    let comparisons = &reproduced.comparisons;
    if comparisons.is_empty() {
        return Vec::new();
    }
    let mut blocks = vec![Block::Heading("Published numbers beside ours".to_owned())];
    let shown: Vec<_> = if comparisons.len() > MOST_ROWS {
        let differing = comparisons.iter().filter(|comparison| comparison.verdict == Verdict::Differs);
        differing.take(MOST_ROWS).cloned().collect()
    } else {
        comparisons.clone()
    };
    if shown.len() < comparisons.len() {
        let words = format!("Of {} numbers, {} that differ are shown; all are in", comparisons.len(), shown.len());
        blocks.push(Block::File(words, "summary.csv".to_owned()));
    }
    if !shown.is_empty() {
        blocks.push(folded(comparison_table(&shown)));
    }
    blocks
}

/// A table, folded away if it is long.
fn folded(table: Table) -> Block {
    if table.rows.len() <= OPEN_ROWS {
        return Block::Table(table);
    }
    Block::Folded(format!("{} rows", table.rows.len()), vec![Block::Table(table)])
}
