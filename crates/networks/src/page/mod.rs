//! The page of a run: what came of it in tables and figures, for people.

mod arrivals;
mod flows;
mod links;
mod probes;
mod registers;
mod senders;
mod windows;

use super::results::{Outcome, Summary};
use basis::Instant;
use report::{Block, Page, Quantity, Section, Table};

/// The page of a run, but for its manifest.
pub(super) fn of(outcome: &Outcome) -> Page {
    let summary = &outcome.summary;
    let sentence = format!("{}. Seed {}.", summary.network, outcome.plan.seed);
    let mut sections = vec![Section::new("Results", results(summary))];
    if let Some(defect) = &outcome.defect {
        sections.insert(0, Section::new("Packets were not conserved", vec![Block::Text(defect.clone())]));
    }
    if !outcome.jobs.wrong().is_empty() {
        sections.insert(0, Section::new("Wrong sums", vec![Block::Text(outcome.jobs.wrong())]));
    }
    if outcome.unfinished_tensors.count > 0 {
        sections.push(Section::new("Unfinished tensors", vec![Block::Text(outcome.unfinished_tensors.text())]));
    }
    if outcome.unfinished.count > 0 {
        sections.push(Section::new("Unfinished", vec![Block::Text(outcome.unfinished.text())]));
    }
    sections.push(Section::new("Flows", vec![Block::Figures(flows::figures(outcome))]));
    sections.push(Section::new("Links", links::blocks(outcome)));
    sections.extend(links::high_waters(outcome));
    sections.extend(probes::sections(outcome));
    sections.extend(senders::section(outcome));
    sections.extend(windows::section(outcome));
    sections.extend(arrivals::section(outcome));
    sections.extend(registers::section(outcome));
    let counters = summary.counters.iter().filter(|(_, value)| **value > 0);
    let counters: Vec<Vec<String>> =
        counters.map(|(name, value)| vec![(*name).to_owned(), value.to_string()]).collect();
    let plan = vec![
        folded("Counters, summed over all stations", Block::Table(table(["counter", "sum"], counters))),
        folded("Plan, with all defaults", Block::Text(outcome.plan.text.clone())),
    ];
    sections.push(Section::new("Details", plan));
    Page {
        title: outcome.plan.title.clone(),
        summary: vec![Block::Paragraph(String::new(), sentence)],
        cards: Vec::new(),
        sections,
        manifest: String::new(),
    }
}

fn results(summary: &Summary) -> Vec<Block> {
    let spread = |name: &str, quantiles: Option<super::results::Quantiles>, text: &dyn Fn(f64) -> String| {
        let numbers = quantiles.map(|of| [of.minimum, of.median, of.p99, of.maximum]);
        let cells = numbers.map_or([const { String::new() }; 4], |numbers| numbers.map(text));
        std::iter::once(name.to_owned()).chain(cells).collect::<Vec<String>>()
    };
    let quantiles = table(
        ["of all flows", "minimum", "median", "99th percentile", "maximum"],
        vec![
            spread("completion time", summary.completion_time_us, &|us| Quantity::Time.text(us * 1e-6)),
            spread("slowdown", summary.slowdown, &|times| format!("{} ×", Quantity::Number.text(times))),
            spread("goodput", summary.goodput_bits_per_second, &|rate| Quantity::Rate.text(rate)),
        ],
    );
    let of_quantiles = ["network", "completion time", "slowdown", "flow goodput"];
    let rows = summary.rows().into_iter().filter(|(name, _)| !of_quantiles.contains(name));
    let rows = rows.map(|(name, value)| match name {
        "end" => vec![name.to_owned(), format!("{} ({})", Quantity::Time.text(summary.end_us * 1e-6), summary.ended)],
        _ => vec![name.to_owned(), value],
    });
    let terms = [
        ("completion time", "the time from the start of a flow until its receiver has every byte"),
        ("slowdown", "completion time over the time that the flow would take if it were alone in the network"),
        ("goodput", "bytes of messages, without headers, over the time"),
        ("hops", "packets put on links: a packet counts once for each link on its way"),
    ];
    let quantiles = if summary.delivered > 0 {
        Block::Table(quantiles)
    } else {
        Block::Paragraph(String::new(), "No flow was delivered.".to_owned())
    };
    vec![
        quantiles,
        Block::Table(table(["", ""], rows.collect())),
        Block::Terms(terms.map(|(term, meaning)| (term.to_owned(), meaning.to_owned())).to_vec()),
    ]
}

fn table<const N: usize>(header: [&str; N], rows: Vec<Vec<String>>) -> Table {
    Table { header: header.map(str::to_owned).to_vec(), rows }
}

fn folded(words: &str, block: Block) -> Block {
    Block::Folded(words.to_owned(), vec![block])
}

/// A time in seconds, as figures take it.
fn seconds(at: Instant) -> f64 {
    at.since(Instant::ZERO).seconds()
}
