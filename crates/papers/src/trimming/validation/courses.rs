//! What figures 11 and 12 draw: the throughput of flows over time, and the packets of the first flow when the second begins.

use std::collections::BTreeSet;

use experiments::sweep::{Course, Timeline};
use networks::results::Outcome;

use super::measures::{BIN, DEFLECTED, Data, begun, data, throughputs};

pub(super) const COURSES: [&str; 2] = [THROUGHPUT, PACKETS];
const THROUGHPUT: &str = "throughput";
const PACKETS: &str = "packets";

/// Figure 12 shows so many microseconds.
const SHOWN: f64 = 14.0;

/// What figures draw of a run.
pub(super) fn timeline(outcome: &Outcome) -> Timeline {
    let data = data(outcome);
    let mut courses = throughput(outcome, &data);
    courses.extend(packets(outcome, &data));
    Timeline { end: outcome.end.picoseconds(), courses, ..Timeline::default() }
}

fn picoseconds(at: f64) -> u64 {
    (at * 1e6).round() as u64
}

/// The throughput of each flow to the host in Gbit/s, averaged over bins.
fn throughput(outcome: &Outcome, data: &[Data<'_>]) -> Vec<Course> {
    let begun = begun(outcome);
    let bins = (outcome.end.picoseconds() as f64 / 1e6 / BIN) as usize;
    let mut flows: Vec<Course> = (1..=begun.len())
        .map(|flow| Course {
            of: THROUGHPUT.to_owned(),
            name: format!("flow {flow}"),
            are_marks: false,
            points: Vec::new(),
        })
        .collect();
    for bin in 0..bins {
        let from = bin as f64 * BIN;
        let rates = throughputs(data, &begun, (from, from + BIN));
        for (flow, rate) in flows.iter_mut().zip(rates) {
            flow.points.push((picoseconds(from), rate));
        }
    }
    flows
}

/// The packets of the first flow from the first of the second flow on: times of arrival, and how many packets their sender sent
/// since then.
fn packets(outcome: &Outcome, data: &[Data<'_>]) -> Vec<Course> {
    let [(_, first), (_, second), ..] = begun(outcome)[..] else { return Vec::new() };
    let Some(start) = data.iter().find(|data| data.arrival.source == second).map(|data| data.at) else {
        return Vec::new();
    };
    // What was trimmed is sent again, and is not shown again.
    let mut known = BTreeSet::new();
    let is_new = |data: &&Data<'_>| data.arrival.source == first && known.insert(data.arrival.identity.sequence);
    let of_first: Vec<&Data<'_>> =
        data.iter().filter(is_new).filter(|data| (start..start + SHOWN).contains(&data.at)).collect();
    let Some(begin) = of_first.first().and_then(|data| data.arrival.identity.sequence) else { return Vec::new() };
    let course = |name: &str, is: &dyn Fn(&Data<'_>) -> bool| {
        let point = |data: &&Data<'_>| {
            let sequence = data.arrival.identity.sequence.filter(|_| is(data))?;
            Some((picoseconds(data.at - start), f64::from(sequence.checked_sub(begin)?)))
        };
        let points = of_first.iter().filter_map(point).collect();
        Course { of: PACKETS.to_owned(), name: name.to_owned(), are_marks: true, points }
    };
    let is_deflected = |data: &Data<'_>| data.arrival.code_point == Some(DEFLECTED);
    vec![
        course("data", &|data| data.is_whole),
        course("deflected and trimmed", &|data| !data.is_whole && is_deflected(data)),
        course("trimmed in ingress", &|data| !data.is_whole && !is_deflected(data)),
    ]
}
