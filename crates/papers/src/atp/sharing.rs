//! The method `sharing`: jobs that share the aggregators of one switch, each by the same kind of index (figure 14).

use basis::Instant;
use experiments::plan::Axis;
use networks::NetworkMethod;
use networks::method::{Changes, Embedded};
use networks::results::Outcome;
use plans::{Record, Value};

use super::shipped;

/// The aggregators that the jobs of `sharing.toml` share.
const AGGREGATORS: u64 = 1976;

/// The jobs of `sharing.toml`, and the entries of their first aggregators.
const JOBS: [(&str, &str); 8] = [
    ("job.0", "job.0.first_aggregator"),
    ("job.1", "job.1.first_aggregator"),
    ("job.2", "job.2.first_aggregator"),
    ("job.3", "job.3.first_aggregator"),
    ("job.4", "job.4.first_aggregator"),
    ("job.5", "job.5.first_aggregator"),
    ("job.6", "job.6.first_aggregator"),
    ("job.7", "job.7.first_aggregator"),
];

/// The axis of the kind of index, and its value by which each job has a range of its own.
const INDEX: &str = "index";
const STATIC: &str = "static";
/// The axis of the number of jobs.
const COUNT: &str = "jobs";

pub(super) fn method() -> NetworkMethod {
    let network = "sharing.toml";
    NetworkMethod::new(
        "sharing",
        shipped::SHARING,
        (INDEX, &[("hash", network), (STATIC, network), ("linear", network)]),
    )
    .with_axes(vec![Axis::integers(COUNT, 1..=JOBS.len() as u64)], changes)
    .with_measures(&["goodput_gbps", "collisions"], measure)
}

/// Removes the jobs beyond those of the point, and divides the aggregators among the others if each has its own.
fn changes(point: &Record, _: &[Embedded]) -> Changes {
    let count = point.integer(COUNT).unwrap_or(1);
    let index = point.word(INDEX).unwrap_or_default();
    let mut fields: Vec<(&'static str, Value)> = vec![("job.index", index.into())];
    let kept = count as usize;
    // From the last on, as those behind one that is removed move up.
    fields.extend(JOBS[kept..].iter().rev().map(|&(job, _)| (job, Value::Missing)));
    if index == STATIC {
        let own = AGGREGATORS / count;
        fields.push(("job.aggregators", own.into()));
        fields.extend((0..).zip(&JOBS[..kept]).map(|(number, &(_, first))| (first, Value::Integer(number * own))));
    }
    Changes { fields, files: Vec::new() }
}

/// The goodput of a job, as its mean over jobs and workers: the sums of the tensors that were finished in the second half of the run. And
/// the share of gradient packets, by hops, that met a collision.
fn measure(outcome: &Outcome) -> Record {
    let end = outcome.plan.jobs.iter().filter_map(|job| job.schedule.end).min().unwrap_or_default();
    let half = Instant::from_picoseconds(end.picoseconds() / 2);
    let is_counted = |at: &Instant| (half..end).contains(at);
    let finished = outcome.jobs.tensors().filter(|tensor| tensor.finished.as_ref().is_some_and(is_counted));
    let bits: u64 = finished.map(|tensor| 32 * (tensor.values - tensor.missed)).sum();
    let receivers: usize = outcome.plan.jobs.iter().map(|job| job.workers.len()).sum();
    let hops = |kind: &str| outcome.summary.hops.get(kind).copied().unwrap_or_default() as f64;
    let collisions = hops("gradients that met a collision");
    let all = collisions + hops("gradients") + hops("gradients sent again");
    Record::new()
        .with("goodput_gbps", bits as f64 / end.since(half).seconds() / receivers as f64 / 1e9)
        .with("collisions", collisions / all)
}
