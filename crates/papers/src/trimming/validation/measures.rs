//! What arrives at the first of the two hosts: how packets were trimmed, how flows share its port, and what happens when the
//! second flow begins.

use networks::results::{Arrival, KINDS, Outcome};
use plans::Record;

/// The measures beside the usual ones. Times are in microseconds, rates in Gbit/s of whole packets.
pub(super) const MEASURES: [&str; 24] = [
    "accounted",
    "lost",
    "whole",
    "trimmed_in_ingress",
    "trimmed_deflected",
    "ingress_over_deflected",
    "throughput_gbps.1",
    "throughput_gbps.2",
    "throughput_gbps.3",
    "throughput_gbps.4",
    "fairness.2",
    "fairness.3",
    "fairness.4",
    "smallest_share.2",
    "smallest_share.3",
    "smallest_share.4",
    "largest_transient",
    "overflow_us",
    "ingress_trim_us",
    "response_us",
    "deflected_first",
    "lead_us",
    "drained_us",
    "queue.max",
];

/// The first of the two hosts.
const HOST: u32 = 64;
/// So many packets make the trace of section 6.4.
const TRACE: usize = 20_000;
/// The code point by which the plan marks what was deflected.
pub(super) const DEFLECTED: u8 = 12;
/// The bits of a whole packet.
const BITS: f64 = 12_000.0;
/// What is told of shares begins so long after a flow has, in microseconds.
const SETTLED: f64 = 20.0;
/// The time in microseconds over which transients are averaged.
pub(super) const BIN: f64 = 20.0;
/// A packet can overtake so many of its sender's.
const OVERTAKEN: u32 = 20;
/// What was overtaken comes within this time in microseconds; what comes later was sent again.
const SOON: f64 = 5.0;
/// A queue of no more packets than this is drained: one leaves while the next one comes.
const DRAINED: u64 = 2;

/// A packet of data at the host, whole or as a header.
pub(super) struct Data<'o> {
    /// Microseconds.
    pub at: f64,
    pub is_whole: bool,
    pub arrival: &'o Arrival,
}

pub(super) fn measure(outcome: &Outcome) -> Record {
    let data = data(outcome);
    let trace = &data[..data.len().min(TRACE)];
    let count = |is: &dyn Fn(&Data<'_>) -> bool| trace.iter().filter(|data| is(data)).count();
    let is_deflected = |data: &Data<'_>| !data.is_whole && data.arrival.code_point == Some(DEFLECTED);
    let (in_ingress, deflected) = (count(&|data| !data.is_whole && !is_deflected(data)), count(&is_deflected));
    let record = Record::new()
        .with("accounted", u64::from(outcome.defect.is_none()))
        .with("lost", lost(outcome))
        .with("whole", count(&|data| data.is_whole))
        .with("trimmed_in_ingress", in_ingress)
        .with("trimmed_deflected", deflected)
        .with("ingress_over_deflected", in_ingress as f64 / deflected as f64);
    let record = shares(outcome, &data, record);
    second_flow(outcome, &data, record)
}

/// The packets of data at the host in the order of time.
pub(super) fn data(outcome: &Outcome) -> Vec<Data<'_>> {
    let prefix = format!("{}:", outcome.plan.topology.stations[HOST as usize].name);
    let port = outcome.arrivals.ports().iter().position(|name| name.starts_with(&prefix));
    let of_host = outcome.arrivals.all().iter().filter(|arrival| Some(arrival.port as usize) == port);
    of_host.filter_map(Data::of).collect()
}

impl<'o> Data<'o> {
    /// Returns a packet of data, whole or trimmed; `None` for other kinds.
    fn of(arrival: &'o Arrival) -> Option<Self> {
        let is_whole = match KINDS[usize::from(arrival.kind)] {
            "data" => true,
            "data trimmed" => false,
            _ => return None,
        };
        Some(Self { at: microseconds(arrival), is_whole, arrival })
    }
}

fn microseconds(arrival: &Arrival) -> f64 {
    arrival.at.picoseconds() as f64 / 1e6
}

/// The packets that no program asked to drop, but that were dropped: what the program drops it has trimmed.
fn lost(outcome: &Outcome) -> u64 {
    let by_others = outcome.summary.drops.iter().filter(|(reason, _)| **reason != "dropped by the program");
    by_others.map(|(_, count)| *count).sum()
}

/// When the flows to the host began, in microseconds, and who sends them.
pub(super) fn begun(outcome: &Outcome) -> Vec<(f64, u32)> {
    let to_host = outcome.flows.iter().filter(|flow| flow.destination == HOST);
    to_host.map(|flow| (flow.started.picoseconds() as f64 / 1e6, flow.source)).collect()
}

/// The throughput of each source between two times in microseconds, in Gbit/s.
pub(super) fn throughputs(data: &[Data<'_>], sources: &[(f64, u32)], (from, until): (f64, f64)) -> Vec<f64> {
    let [first, end] = [from, until].map(|at| data.partition_point(|data| data.at < at));
    let whole = |source: u32| {
        let of_source = data[first..end].iter().filter(|data| data.is_whole && data.arrival.source == source);
        of_source.count() as f64 * BITS / (until - from) / 1e3
    };
    sources.iter().map(|&(_, source)| whole(source)).collect()
}

/// How the flows that are there share the port, from when one has begun until the next one does.
fn shares(outcome: &Outcome, data: &[Data<'_>], mut record: Record) -> Record {
    let begun = begun(outcome);
    let end = outcome.end.picoseconds() as f64 / 1e6;
    let mut largest: f64 = 0.0;
    for flows in 1..=begun.len() {
        let from = begun[flows - 1].0 + SETTLED;
        let until = begun.get(flows).map_or(end, |(start, _)| *start);
        if until < from + BIN {
            continue;
        }
        let of_flows = throughputs(data, &begun[..flows], (from, until));
        let sum: f64 = of_flows.iter().sum();
        let squares: f64 = of_flows.iter().map(|rate| rate * rate).sum();
        let share = |rate: f64, sum: f64| rate * flows as f64 / sum;
        record = record.with(format!("throughput_gbps.{flows}"), sum);
        if flows > 1 {
            let smallest = of_flows.iter().map(|&rate| share(rate, sum)).fold(f64::INFINITY, f64::min);
            record = record
                // Jain, Chiu and Hawe, 1984: 1 if all are equal.
                .with(format!("fairness.{flows}"), sum * sum / (flows as f64 * squares))
                .with(format!("smallest_share.{flows}"), smallest);
        }
        let bins = ((until - from) / BIN) as usize;
        for bin in 0..bins {
            let from = from + bin as f64 * BIN;
            for rate in throughputs(data, &begun[..flows], (from, from + BIN)) {
                largest = largest.max((share(rate, sum) - 1.0).abs());
            }
        }
    }
    // How far a flow ever is from its share, as a part of that.
    record.with("largest_transient", if largest > 0.0 { largest } else { f64::NAN })
}

/// What happens when the second flow begins: when the first header arrives that was deflected, and the first that was trimmed in
/// ingress, both after the first packet of the second flow.
fn second_flow(outcome: &Outcome, data: &[Data<'_>], record: Record) -> Record {
    // The plan samples one queue, that of data at the host's port.
    let lengths = outcome.series.lengths().into_iter().next().unwrap_or_default();
    let record = record.with("queue.max", lengths.iter().map(|(_, length)| length.packets).max());
    let begun = begun(outcome);
    let [_, (_, second), ..] = begun[..] else { return record };
    let Some(start) = data.iter().find(|data| data.arrival.source == second).map(|data| data.at) else { return record };
    let headers = || data.iter().filter(|data| !data.is_whole && data.at >= start);
    let deflected = || headers().filter(|data| data.arrival.code_point == Some(DEFLECTED));
    let in_ingress = headers().find(|data| data.arrival.code_point != Some(DEFLECTED));
    let after = |data: Option<&Data<'_>>| data.map(|data| data.at - start);
    let record = record.with("overflow_us", after(deflected().next())).with("ingress_trim_us", after(in_ingress));
    let Some(trimmed) = in_ingress else { return record };
    let response = deflected().next().map(|data| trimmed.at - data.at);
    // Packets that its sender sent shortly before it, and that arrive after it.
    let sequence = trimmed.arrival.identity.sequence.unwrap_or_default();
    let just_before = sequence.saturating_sub(OVERTAKEN)..sequence;
    let is_overtaken = |data: &&Data<'_>| {
        let is_of_same = data.is_whole && data.arrival.source == trimmed.arrival.source;
        is_of_same && data.arrival.identity.sequence.is_some_and(|sequence| just_before.contains(&sequence))
    };
    let soon = trimmed.at..trimmed.at + SOON;
    let last_overtaken = data.iter().rfind(|data| is_overtaken(data) && soon.contains(&data.at));
    let drained = lengths.iter().find(|(at, length)| {
        let at = at.picoseconds() as f64 / 1e6;
        at > trimmed.at && length.packets <= DRAINED
    });
    record
        .with("response_us", response)
        .with("deflected_first", deflected().take_while(|data| data.at < trimmed.at).count())
        .with("lead_us", last_overtaken.map(|data| data.at - trimmed.at))
        .with("drained_us", drained.map(|(at, _)| at.picoseconds() as f64 / 1e6 - start))
}
