//! The distribution of the times at which packets of each kind arrived.

use super::table;
use crate::results::{KINDS, Outcome, percentile};
use report::{Axis, Block, Curve, CurveChart, Figure, Quantity, Section, curves};

/// The section about arrivals; `None` if the plan asks for none, or if nothing arrived.
pub(super) fn section(outcome: &Outcome) -> Option<Section> {
    let arrivals = &outcome.arrivals;
    let kinds = (0..KINDS.len()).map(|kind| (KINDS[kind], arrivals.times(kind as u8)));
    let kinds: Vec<(&str, Vec<f64>)> = kinds.filter(|(_, times)| !times.is_empty()).collect();
    if kinds.is_empty() {
        return None;
    }
    let curve = |(colour, (kind, times)): (usize, &(&str, Vec<f64>))| Curve::distribution(*kind, colour, times.clone());
    let chart = CurveChart {
        curves: kinds.iter().enumerate().map(curve).collect(),
        x: Axis::new("time of arrival", Quantity::Time),
        y: Axis::new("fraction of the packets of a kind", Quantity::Number),
        are_steps: true,
        is_from_zero: true,
        marks: Vec::new(),
        published: Vec::new(),
    };
    let ports = match arrivals.ports() {
        [port] => port.clone(),
        ports => format!("the {} ports that are watched", ports.len()),
    };
    let figure = Figure {
        name: "arrivals".into(),
        title: "Times of arrival by kind of packet".into(),
        caption: format!("The fraction of all packets of a kind that had arrived by this time at {ports}."),
        svg: curves(&chart),
        is_wide: false,
    };
    let row = |(kind, times): &(&str, Vec<f64>)| {
        let of = |percent| Quantity::Time.text(percentile(times, percent).unwrap_or_default());
        let parts = [1, 10, 50, 90, 99, 100].map(of);
        [(*kind).to_owned(), times.len().to_string()].into_iter().chain(parts).collect()
    };
    let rows: Vec<Vec<String>> = kinds.iter().map(row).collect();
    let header = ["kind", "packets", "1 %", "10 %", "median", "90 %", "99 %", "last"];
    let words = "The time by which a part of the packets of a kind had arrived. Each packet is a row of".to_owned();
    let blocks = vec![
        Block::Figures(vec![figure]),
        Block::File(words, "arrivals.csv".to_owned()),
        Block::Table(table(header, rows)),
    ];
    Some(Section::new("Arrivals", blocks))
}
