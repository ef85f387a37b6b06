//! What a run comes to: when headers arrived, how fast flows were, and how much was trimmed.

use std::collections::BTreeSet;

use networks::results::{KINDS, Outcome, percentile};
use plans::Record;

/// The measures beside the usual ones. Times are in microseconds, goodputs in Gbit/s.
pub(super) const MEASURES: [&str; 38] = [
    "goodput_gbps",
    "goodput_gbps.min",
    "goodput_gbps.max",
    "alone_gbps.min",
    "alone_gbps.max",
    "shared_gbps.min",
    "shared_gbps.max",
    "fairness",
    "trims",
    "deflected",
    "deflection_drops",
    "deflection_queue",
    "returned",
    "lost",
    "accounted",
    "headers",
    "header_us.mean",
    "header_us.p0",
    "header_us.p5",
    "header_us.p10",
    "header_us.p15",
    "header_us.p20",
    "header_us.p25",
    "header_us.p30",
    "header_us.p35",
    "header_us.p40",
    "header_us.p45",
    "header_us.p50",
    "header_us.p55",
    "header_us.p60",
    "header_us.p65",
    "header_us.p70",
    "header_us.p75",
    "header_us.p80",
    "header_us.p85",
    "header_us.p90",
    "header_us.p95",
    "header_us.p100",
];

/// What begins the names of the percentiles.
const PERCENTILE: &str = "header_us.p";

/// Takes the measures from the outcome of a run.
pub(super) fn measure(outcome: &Outcome) -> Record {
    let (alone, shared) = goodputs(outcome);
    let all: Vec<f64> = alone.iter().chain(&shared).copied().collect();
    let sum: f64 = all.iter().sum();
    let squares: f64 = all.iter().map(|goodput| goodput * goodput).sum();
    let headers = headers(outcome);
    let least = |goodputs: &[f64]| goodputs.iter().copied().reduce(f64::min).unwrap_or(f64::NAN);
    let most = |goodputs: &[f64]| goodputs.iter().copied().reduce(f64::max).unwrap_or(f64::NAN);
    let [trimmed, returned] = ["data trimmed", "data returned to sender"].map(|kind| arrived(outcome, kind));
    let summary = &outcome.summary;
    let counter = |name: &str| summary.counters.get(name).copied().unwrap_or_default();
    let lost = lost(outcome, trimmed + returned);
    let record = Record::new()
        .with("goodput_gbps", sum / all.len() as f64)
        .with("goodput_gbps.min", least(&all))
        .with("goodput_gbps.max", most(&all))
        .with("alone_gbps.min", least(&alone))
        .with("alone_gbps.max", most(&alone))
        .with("shared_gbps.min", least(&shared))
        .with("shared_gbps.max", most(&shared))
        // Jain, Chiu and Hawe, 1984: 1 if all are equal.
        .with("fairness", sum * sum / (all.len() as f64 * squares))
        .with("trims", trimmed)
        .with("deflected", counter("deflected"))
        .with("deflection_drops", summary.drops.get("no room at the deflection port").copied().unwrap_or_default())
        .with("deflection_queue", deflection_queue(outcome))
        .with("returned", returned)
        .with("lost", lost)
        .with("accounted", u64::from(outcome.defect.is_none() && lost <= reasons(outcome)))
        .with("headers", headers.len())
        .with("header_us.mean", headers.iter().sum::<f64>() / headers.len() as f64);
    let modes = super::modes::measure(outcome);
    let record = modes.iter().fold(record, |record, (name, value)| record.with(name, value.clone()));
    MEASURES
        .iter()
        .filter_map(|name| Some((name, name.strip_prefix(PERCENTILE)?.parse().ok()?)))
        .fold(record, |record, (name, percent)| record.with(*name, percentile(&headers, percent).unwrap_or(f64::NAN)))
}

/// The number of packets of a kind that arrived at hosts.
fn arrived(outcome: &Outcome, kind: &str) -> u64 {
    let kind = KINDS.iter().position(|&known| known == kind).map(|kind| kind as u8);
    outcome.arrivals.all().iter().filter(|arrival| Some(arrival.kind) == kind).count() as u64
}

/// The number of data packets that neither arrived, whole or as headers, nor can be under way.
fn lost(outcome: &Outcome, headers: u64) -> u64 {
    let sent = outcome.summary.counters.get("data_packets_sent").copied().unwrap_or_default();
    let under_way = outcome.summary.packets.in_flight;
    sent.saturating_sub(arrived(outcome, "data") + headers + under_way)
}

/// The number of packets that were dropped for want of room or of a port, as opposed to those that a program drops because
/// it has trimmed them.
fn reasons(outcome: &Outcome) -> u64 {
    outcome.summary.drops.iter().filter(|(reason, _)| *reason != "dropped by the program").map(|(_, count)| count).sum()
}

/// The most packets that waited in front of a port that recirculates, of which a chip has one in each pipe; ports of
/// hosts have smaller numbers.
fn deflection_queue(outcome: &Outcome) -> u64 {
    let hosts = outcome.plan.topology.hosts().len();
    let recirculates = |name: &str| {
        let port = name.split_once(':').and_then(|(_, port)| port.split('/').next()?.parse::<usize>().ok());
        port.is_some_and(|port| port >= hosts)
    };
    let queues = outcome.series.queues();
    let averages = outcome.queue_averages();
    let own = averages.iter().filter(|average| recirculates(queues[average.queue].0));
    own.map(|average| average.most_packets).max().unwrap_or_default()
}

/// The goodputs of flows over the plan's window, in Gbit/s: of those that have their receiver alone, and of the others.
fn goodputs(outcome: &Outcome) -> (Vec<f64>, Vec<f64>) {
    let flows = &outcome.flows;
    let of_window = outcome.windows.flows(flows).into_iter().filter(|flow| flow.window == 0);
    let sharing = |receiver| flows.iter().filter(|flow| flow.destination == receiver).count();
    let (alone, shared): (Vec<_>, Vec<_>) = of_window.partition(|flow| sharing(flows[flow.flow].destination) == 1);
    let gigabits = |flows: Vec<networks::results::WindowFlow>| -> Vec<f64> {
        flows.iter().map(|flow| flow.bits_per_second / 1e9).collect()
    };
    (gigabits(alone), gigabits(shared))
}

/// The times in microseconds, in ascending order, at which headers arrived. The header of a packet that was sent and trimmed
/// again does not count again.
fn headers(outcome: &Outcome) -> Vec<f64> {
    let trimmed = KINDS.iter().position(|&kind| kind == "data trimmed").map(|kind| kind as u8);
    let mut known = BTreeSet::new();
    let mut times = Vec::new();
    for arrival in outcome.arrivals.all().iter().filter(|arrival| Some(arrival.kind) == trimmed) {
        let packet = (arrival.source, arrival.identity.message, arrival.identity.sequence);
        if known.insert(packet) {
            times.push(arrival.at.picoseconds() as f64 / 1e6);
        }
    }
    times
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_twentieth_percentile_is_measured() {
        let percents: Vec<usize> =
            MEASURES.iter().filter_map(|name| name.strip_prefix(PERCENTILE)?.parse().ok()).collect();
        assert_eq!(percents, (0..=100).step_by(5).collect::<Vec<_>>());
    }
}
