//! Figures of what senders knew of flows over time, one for each quantity.

use std::collections::BTreeMap;

use super::seconds;
use crate::results::{Flow, FlowSample, Outcome};
use report::{Axis, Block, Curve, CurveChart, Figure, Quantity, Section, curves};

/// So many flows have curves: those of which the most bytes were acknowledged.
const MOST_FLOWS: usize = 6;

/// A quantity that senders know.
struct Known {
    /// The name of its figure.
    name: &'static str,
    title: &'static str,
    caption: &'static str,
    axis: Axis,
    /// Whether a value counts until the next sample, rather than being one point of a line.
    are_steps: bool,
    points: fn(&[FlowSample]) -> Vec<(f64, f64)>,
}

/// The section about flows over time; `None` if no flow was sampled.
pub(super) fn section(outcome: &Outcome) -> Option<Section> {
    let mut by_flow: BTreeMap<u32, Vec<FlowSample>> = BTreeMap::new();
    for sample in outcome.flow_series.samples() {
        by_flow.entry(sample.flow).or_default().push(*sample);
    }
    if by_flow.is_empty() {
        return None;
    }
    let count = by_flow.len();
    let mut flows: Vec<(u32, Vec<FlowSample>)> = by_flow.into_iter().collect();
    // Sorting is stable: of flows with the same number of bytes, those that started first come first.
    flows.sort_by_key(|(_, samples)| samples.last().map(|last| std::cmp::Reverse(last.state.acknowledged)));
    flows.truncate(MOST_FLOWS);
    flows.sort_by_key(|(flow, _)| *flow);
    let figures: Vec<Figure> = quantities().iter().filter_map(|known| figure(outcome, known, &flows)).collect();
    let every = Quantity::Time.text(outcome.plan.probes.every.unwrap_or_default().seconds());
    let which = match count {
        count if count > MOST_FLOWS => {
            format!(" Of {count} flows, the {MOST_FLOWS} are shown of which the most bytes were acknowledged.")
        }
        _ => String::new(),
    };
    let words = format!(
        "What the senders of flows knew of them, every {every}. A quantity that their transports do not have is not \
         shown, and where a flow is over, its curves go to 0.{which} All samples of all flows are in"
    );
    let blocks = vec![Block::File(words, "flow-series.csv".to_owned()), Block::Figures(figures)];
    Some(Section::new("Flows over time", blocks))
}

fn quantities() -> [Known; 5] {
    [
        Known {
            name: "flow-windows",
            title: "Congestion windows",
            caption: "How much a sender could have under way before more was acknowledged.",
            axis: Axis::new("congestion window", Quantity::Bytes),
            are_steps: true,
            points: |samples| states(samples, |sample| sample.state.window.map(|window| window as f64)),
        },
        Known {
            name: "flow-sending-rates",
            title: "Sending rates",
            caption: "The rate to which a sender limited itself.",
            axis: Axis::new("sending rate", Quantity::Rate),
            are_steps: true,
            points: |samples| states(samples, |sample| sample.state.rate.map(|rate| rate.bits_per_second() as f64)),
        },
        Known {
            name: "flow-rates",
            title: "Acknowledged rates",
            caption: "The bytes that were acknowledged between two samples, without headers, over the time between them.",
            axis: Axis::new("acknowledged", Quantity::Rate),
            are_steps: true,
            points: rates,
        },
        Known {
            name: "flow-round-trips",
            title: "Smoothed round-trip times",
            caption: "The time from sending a packet to its acknowledgement, as the sender had smoothed it.",
            axis: Axis::new("round trip", Quantity::Time),
            are_steps: true,
            points: |samples| states(samples, |sample| sample.state.round_trip.map(basis::Duration::seconds)),
        },
        Known {
            name: "flow-acknowledged",
            title: "Acknowledged bytes",
            caption: "The bytes of a flow of which the sender knew that they had arrived.",
            axis: Axis::new("acknowledged", Quantity::Bytes),
            are_steps: false,
            points: |samples| {
                let begin = samples.first().map(|first| (seconds(first.since), 0.0));
                let points = samples.iter().map(|sample| (seconds(sample.at), sample.state.acknowledged as f64));
                begin.into_iter().chain(points).collect()
            },
        },
    ]
}

/// The known values of a quantity, and 0 when the flow is over.
fn states(samples: &[FlowSample], value: fn(&FlowSample) -> Option<f64>) -> Vec<(f64, f64)> {
    let known = samples.iter().filter_map(|sample| Some((seconds(sample.at), value(sample)?)));
    let mut points: Vec<(f64, f64)> = known.collect();
    let over = samples.last().filter(|last| !points.is_empty() && value(last).is_none());
    points.extend(over.map(|last| (seconds(last.at), 0.0)));
    points
}

/// The rates between samples, each from the sample before on.
fn rates(samples: &[FlowSample]) -> Vec<(f64, f64)> {
    let known = samples.iter().filter(|sample| sample.at > sample.since);
    let mut points: Vec<(f64, f64)> = known.map(|sample| (seconds(sample.since), sample.bits_per_second())).collect();
    points.extend(samples.last().map(|last| (seconds(last.at), 0.0)));
    points
}

/// The figure of a quantity; `None` if no flow has it.
fn figure(outcome: &Outcome, known: &Known, flows: &[(u32, Vec<FlowSample>)]) -> Option<Figure> {
    let curve = |(colour, (flow, samples)): (usize, &(u32, Vec<FlowSample>))| Curve {
        name: name(outcome, &outcome.flows[*flow as usize]),
        colour,
        points: (known.points)(samples),
    };
    let all: Vec<Curve> = flows.iter().enumerate().map(curve).filter(|curve| !curve.points.is_empty()).collect();
    if all.is_empty() {
        return None;
    }
    let chart = CurveChart {
        curves: all,
        x: Axis::new("time", Quantity::Time),
        y: known.axis.clone(),
        are_steps: known.are_steps,
        is_from_zero: true,
        marks: Vec::new(),
        published: Vec::new(),
    };
    Some(Figure {
        name: known.name.into(),
        title: known.title.into(),
        caption: known.caption.into(),
        svg: curves(&chart),
        is_wide: false,
    })
}

/// The name of a flow: its sender, the number of the message, and its receiver.
pub(super) fn name(outcome: &Outcome, flow: &Flow) -> String {
    let stations = &outcome.plan.topology.stations;
    let host = |number: u32| stations.get(number as usize).map_or("nowhere", |station| station.name.as_str());
    format!("{}:{} → {}", host(flow.source), flow.message, host(flow.destination))
}
