//! The goodput of flows over windows of time.

use super::seconds;
use crate::results::{Outcome, WindowFlow};
use report::{Axis, Bar, Block, Curve, CurveChart, Figure, Quantity, Section, curves, upright_bars};

/// More flows than these are drawn as a distribution only, and not each.
const MOST_BARS: usize = 64;

/// The section about windows; `None` if the plan has none.
pub(super) fn section(outcome: &Outcome) -> Option<Section> {
    let all = outcome.windows.flows(&outcome.flows);
    let figures = outcome.plan.probes.windows.iter().enumerate().map(|(number, window)| {
        let of_window: Vec<&WindowFlow> = all.iter().filter(|flow| flow.window == number).collect();
        let until = window.until.unwrap_or(outcome.end);
        let [from, until] = [window.from, until].map(|at| Quantity::Time.text(seconds(at)));
        let sum: f64 = of_window.iter().map(|flow| flow.bits_per_second).filter(|rate| rate.is_finite()).sum();
        Figure {
            name: format!("window-{}", number + 1),
            title: format!("Goodput per flow from {from} to {until}"),
            caption: format!(
                "The bytes of each flow that arrived within this time, over this time; {} in all.",
                Quantity::Rate.text(sum)
            ),
            svg: svg(outcome, &of_window),
            is_wide: false,
        }
    });
    let figures: Vec<Figure> = figures.collect();
    if figures.is_empty() {
        return None;
    }
    let words = "What arrived of flows within windows of time. Each flow of each window is a row of".to_owned();
    let mut blocks = vec![Block::File(words, "windows.csv".to_owned()), Block::Figures(figures)];
    for (table, words) in [
        ("window-queues", "What waited in queues, averaged over each window, is in"),
        ("window-registers", "Values of registers, and the part of each window during which conditions held, are in"),
        ("window-arrivals", "What arrived of each kind of packet in each window is in"),
    ] {
        if outcome.tables.iter().any(|known| known.name == table) {
            blocks.push(Block::File(words.to_owned(), format!("{table}.csv")));
        }
    }
    Some(Section::new("Averages", blocks))
}

fn svg(outcome: &Outcome, flows: &[&WindowFlow]) -> String {
    let goodput = Axis::new("goodput", Quantity::Rate);
    if flows.len() <= MOST_BARS {
        let bar = |flow: &&WindowFlow| {
            let label = format!("{} bytes, {}", flow.bytes, Quantity::Rate.text(flow.bits_per_second));
            let value = Some(flow.bits_per_second).filter(|rate| rate.is_finite());
            Bar { name: super::senders::name(outcome, &outcome.flows[flow.flow]), value, label, colour: 0 }
        };
        let bars: Vec<Bar> = flows.iter().map(bar).collect();
        return upright_bars(&bars, "flow, in the order in which they started", &goodput);
    }
    let rates = flows.iter().map(|flow| flow.bits_per_second).collect();
    curves(&CurveChart {
        curves: vec![Curve::distribution("flows", 0, rates)],
        x: goodput,
        y: Axis::new("fraction of flows", Quantity::Number),
        are_steps: true,
        is_from_zero: true,
        marks: Vec::new(),
        published: Vec::new(),
    })
}
