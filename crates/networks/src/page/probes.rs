//! The samples of probes over time: the queues of all ports that were sampled, and the rates of links.

use super::seconds;
use crate::results::Outcome;
use report::{Axis, Block, Curve, CurveChart, Figure, Quantity, Section, curves, panels};

/// So many curves are drawn over one pair of axes: those that reach highest.
const MOST_TOGETHER: usize = 6;
/// So many panels are in one figure.
const MOST_PANELS: usize = 40;
/// More ports than these are not named in a sentence.
const MOST_NAMED: usize = 24;

/// The samples of one kind of probe.
struct ProbeKind {
    heading: &'static str,
    /// The name of its figures.
    name: &'static str,
    axis: Axis,
    caption: &'static str,
    /// The words for a port on whose curve nothing ever happened.
    nothing: &'static str,
}

/// The sections of all kinds of probes that saw something.
pub(super) fn sections(outcome: &Outcome) -> Vec<Section> {
    let every = outcome.plan.probes.every.unwrap_or_default();
    let end = seconds(outcome.end);
    let queues = outcome.series.queues().into_iter().map(|(name, lengths)| {
        let mut points = vec![(0.0, 0.0)];
        points.extend(lengths.into_iter().map(|(at, bytes)| (seconds(at), bytes as f64)));
        // What a queue was last seen to be it is until the end.
        points.extend(points.last().map(|&(_, bytes)| (end, bytes)));
        curve(name, points)
    });
    let of_queues = ProbeKind {
        heading: "Queues",
        name: "queues",
        axis: Axis::new("queue with framing", Quantity::Bytes),
        caption: "What waited at a port when it was looked at",
        nothing: "no queue was seen at",
    };
    let rates = outcome.series.links().into_iter().map(|(name, carried)| {
        let mut from = 0.0;
        let step = |(at, bytes)| {
            let until = seconds(at);
            let point = (from, bytes as f64 * 8.0 / (until - from));
            from = until;
            point
        };
        let mut points: Vec<(f64, f64)> = carried.into_iter().map(step).collect();
        points.push((from, 0.0));
        curve(name, points)
    });
    let of_rates = ProbeKind {
        heading: "Rates",
        name: "rates",
        axis: Axis::new("rate with framing", Quantity::Rate),
        caption: "What a link carried between two looks",
        nothing: "nothing was carried from",
    };
    let every = Quantity::Time.text(every.seconds());
    let sections = [(of_queues, queues.collect()), (of_rates, rates.collect())];
    sections.into_iter().filter_map(|(kind, curves)| section(&kind, curves, end, &every)).collect()
}

fn curve(name: &str, points: Vec<(f64, f64)>) -> Curve {
    Curve { name: name.to_owned(), colour: 0, points }
}

fn section(kind: &ProbeKind, all: Vec<Curve>, end: f64, every: &str) -> Option<Section> {
    if all.is_empty() {
        return None;
    }
    let (some, none): (Vec<Curve>, Vec<Curve>) = all.into_iter().partition(|curve| curve.highest() > 0.0);
    let mut blocks = Vec::new();
    if !some.is_empty() {
        blocks.push(Block::Figures(vec![together(kind, &some, every)]));
    }
    if some.len() > 1 {
        let chunks = some.chunks(MOST_PANELS).zip(1..);
        let mut figures: Vec<Figure> =
            chunks.map(|(curves, number)| by_port(kind, (curves, number), some.len(), end)).collect();
        let others = figures.split_off(1);
        blocks.push(Block::Figures(figures));
        if !others.is_empty() {
            let ports = some.len() - MOST_PANELS;
            blocks.push(Block::Folded(format!("{ports} more ports"), vec![Block::Figures(others)]));
        }
    }
    if !none.is_empty() {
        blocks.push(Block::Note(String::new(), silent(kind, &none)));
    }
    Some(Section::new(kind.heading, blocks))
}

/// The curves that reach highest, over one pair of axes.
fn together(kind: &ProbeKind, all: &[Curve], every: &str) -> Figure {
    let mut highest = all.to_vec();
    // Sorting is stable: curves of one height stay in the order of their places.
    highest.sort_by(|a, b| b.highest().total_cmp(&a.highest()));
    highest.truncate(MOST_TOGETHER);
    highest.iter_mut().zip(0..).for_each(|(curve, colour)| curve.colour = colour);
    let which = match all.len() {
        count if count > MOST_TOGETHER => format!(" The {MOST_TOGETHER} that reach highest of {count}."),
        _ => String::new(),
    };
    let chart = CurveChart {
        curves: highest,
        x: Axis::new("time", Quantity::Time),
        y: kind.axis.clone(),
        are_steps: true,
        is_from_zero: true,
        marks: Vec::new(),
        published: Vec::new(),
    };
    Figure {
        name: kind.name.into(),
        title: format!("{} over time", kind.heading),
        caption: format!("{}, every {every}.{which}", kind.caption),
        svg: curves(&chart),
        is_wide: false,
    }
}

fn by_port(kind: &ProbeKind, (curves, number): (&[Curve], usize), all: usize, end: f64) -> Figure {
    let parts = all.div_ceil(MOST_PANELS);
    let part = if parts > 1 { format!(" ({number} of {parts})") } else { String::new() };
    Figure {
        name: format!("{}-by-port-{number}", kind.name),
        title: format!("{} of every port{part}", kind.heading),
        caption: String::new(),
        svg: panels(curves, end, &Axis::new("time", Quantity::Time), &kind.axis),
        is_wide: true,
    }
}

/// Says which ports have no curve, and why.
fn silent(kind: &ProbeKind, ports: &[Curve]) -> String {
    let names: Vec<&str> = ports.iter().take(MOST_NAMED).map(|curve| curve.name.as_str()).collect();
    let more = ports.len() - names.len();
    let more = if more > 0 { format!(" and {more} more ports") } else { String::new() };
    format!("Of the ports that were looked at, {} {}{more}.", kind.nothing, names.join(", "))
}
