//! The method `recovery`: servers that wait for one that straggles (figure 14).

use basis::Random;
use experiments::plan::Axis;
use experiments::sweep::REPEATED_OVER;
use networks::NetworkMethod;
use networks::method::{Changes, Embedded};
use networks::results::{Outcome, TensorAtWorker};
use plans::Record;

use super::shipped;

/// The axis of the timeout, in milliseconds: `block_exp` of the job, and the time in which timer threads scan all blocks once.
const TIMEOUT: &str = "timeout_ms";

pub(super) fn method() -> NetworkMethod {
    NetworkMethod::new("recovery", shipped::RECOVERY, ("switch", &[("aggregator", "recovery.toml")]))
        .with_axes(vec![Axis::integers(TIMEOUT, 1..=255)], changes)
        .with_measures(&["recovery_ms", "fastest_ms", "slowest_ms"], measure)
}

/// Sets the timeout, and when the packets are sent: at any moment of a scan, by the seed.
fn changes(point: &Record, _: &[Embedded]) -> Changes {
    let timeout = point.integer(TIMEOUT).unwrap_or(10);
    let start = Random::new(point.integer(REPEATED_OVER).unwrap_or(1)).below(timeout * 1_000_000);
    let fields = vec![
        ("job.0.expiry", timeout.into()),
        ("switch.interval", format!("{timeout} ms").into()),
        ("job.0.start", format!("{start} ns").into()),
    ];
    Changes { fields, files: Vec::new() }
}

/// The time from a server's packets to their results, in milliseconds: the mean over servers, the shortest and the longest.
fn measure(outcome: &Outcome) -> Record {
    let time = |tensor: &TensorAtWorker| Some(tensor.finished?.since(tensor.begun).seconds() * 1e3);
    let times: Vec<f64> = outcome.jobs.tensors().filter_map(time).collect();
    let mean = times.iter().sum::<f64>() / times.len() as f64;
    Record::new()
        .with("recovery_ms", mean)
        .with("fastest_ms", times.iter().copied().fold(f64::NAN, f64::min))
        .with("slowest_ms", times.iter().copied().fold(f64::NAN, f64::max))
}
