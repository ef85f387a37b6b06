//! Figures of flows: when they were finished, and how fast they were.

use crate::results::{Flow, Outcome};
use report::{Axis, Bar, Curve, CurveChart, Figure, Quantity, curves, upright_bars};

/// More flows than these are drawn as a distribution only, and not each.
const MOST_BARS: usize = 64;

/// The figures of flows.
pub(super) fn figures(outcome: &Outcome) -> Vec<Figure> {
    vec![completion_times(&outcome.flows), goodputs(outcome)]
}

fn completion_times(flows: &[Flow]) -> Figure {
    let times = flows.iter().filter_map(|flow| Some(flow.completion_time()?.seconds())).collect();
    let chart = CurveChart {
        curves: vec![Curve::distribution("flows", 0, times)],
        x: Axis::new("flow completion time", Quantity::Time),
        y: Axis::new("fraction of flows", Quantity::Number),
        are_steps: true,
        is_from_zero: false,
        marks: Vec::new(),
        published: Vec::new(),
    };
    Figure {
        name: "completion-times".into(),
        title: "Flow completion times".into(),
        caption: "The fraction of the delivered flows that finished within this time.".into(),
        svg: curves(&chart),
        is_wide: false,
    }
}

fn goodputs(outcome: &Outcome) -> Figure {
    let flows = &outcome.flows;
    let goodput = Axis::new("goodput", Quantity::Rate);
    let (svg, caption) = if flows.len() <= MOST_BARS {
        let bars: Vec<Bar> = flows.iter().map(|flow| bar(outcome, flow)).collect();
        let svg = upright_bars(&bars, "flow, in the order in which they started", &goodput);
        let caption = "The bytes of each flow over the time from its start to its delivery.";
        let others = " Flows in orange were not delivered: the bytes that arrived, over the time until the end.";
        let are_delivered = flows.iter().all(|flow| flow.delivered.is_some());
        (svg, format!("{caption}{}", if are_delivered { "" } else { others }))
    } else {
        let goodputs = flows.iter().filter_map(Flow::goodput).collect();
        let chart = CurveChart {
            curves: vec![Curve::distribution("flows", 0, goodputs)],
            x: goodput,
            y: Axis::new("fraction of flows", Quantity::Number),
            are_steps: true,
            is_from_zero: true,
            marks: Vec::new(),
            published: Vec::new(),
        };
        (curves(&chart), "The fraction of the delivered flows with at most this goodput.".to_owned())
    };
    let (name, title) = ("goodput".to_owned(), "Goodput per flow".to_owned());
    Figure { name, title, caption, svg, is_wide: false }
}

fn bar(outcome: &Outcome, flow: &Flow) -> Bar {
    let stations = &outcome.plan.topology.stations;
    let host = |number: u32| stations.get(number as usize).map_or("nowhere", |station| station.name.as_str());
    let value = flow.goodput_so_far(outcome.end);
    let goodput = value.map_or("no goodput".to_owned(), |goodput| Quantity::Rate.text(goodput));
    let (label, colour) = match flow.delivered {
        Some(_) => (goodput, 0),
        None => (format!("not delivered: {} bytes arrived, {goodput}", flow.arrived.unwrap_or(0)), 1),
    };
    let (source, destination, bytes) = (host(flow.source), host(flow.destination), flow.bytes);
    Bar { name: format!("{source} → {destination}, {bytes} bytes"), value, label, colour }
}
