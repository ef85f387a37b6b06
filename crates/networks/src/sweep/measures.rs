//! The measures of a run of a network: numbers by name.

use plans::Record;

use crate::results::{Outcome, Quantiles};

/// The measures that a sweep shows by default.
pub const USUAL_MEASURES: [&str; 2] = ["completion_time_us.p99", "total_goodput_gbps"];

/// The names of the measures that every run has. There is one more for each reason for which packets were dropped.
pub const MEASURES: [&str; 22] = [
    "flows",
    "delivered",
    "unfinished",
    "end_us",
    "total_goodput_gbps",
    "bytes_delivered",
    "completion_time_us.min",
    "completion_time_us.median",
    "completion_time_us.p99",
    "completion_time_us.max",
    "slowdown.min",
    "slowdown.median",
    "slowdown.p99",
    "slowdown.max",
    "flow_goodput_gbps.min",
    "flow_goodput_gbps.median",
    "flow_goodput_gbps.p99",
    "flow_goodput_gbps.max",
    "trims",
    "retransmissions",
    "drops",
    "packet_hops",
];

/// Returns the measures of a run: times in microseconds, rates in Gbit/s. Quantiles are missing if there is no flow.
pub fn measures(outcome: &Outcome) -> Record {
    let summary = &outcome.summary;
    let mut record = Record::new()
        .with("flows", summary.flows)
        .with("delivered", summary.delivered)
        .with("unfinished", outcome.unfinished.count)
        .with("end_us", summary.end_us)
        .with("total_goodput_gbps", summary.total_goodput_bits_per_second / 1e9)
        .with("bytes_delivered", summary.bytes_delivered);
    for (name, quantiles, unit) in [
        ("completion_time_us", summary.completion_time_us, 1.0),
        ("slowdown", summary.slowdown, 1.0),
        ("flow_goodput_gbps", summary.goodput_bits_per_second, 1e9),
    ] {
        let number = |of: fn(&Quantiles) -> f64| quantiles.as_ref().map_or(f64::NAN, |all| of(all) / unit);
        record = record
            .with(format!("{name}.min"), number(|all| all.minimum))
            .with(format!("{name}.median"), number(|all| all.median))
            .with(format!("{name}.p99"), number(|all| all.p99))
            .with(format!("{name}.max"), number(|all| all.maximum));
    }
    record = record
        .with("trims", summary.trims)
        .with("retransmissions", summary.counters.get("retransmissions").copied().unwrap_or_default())
        .with("drops", summary.drops.values().sum::<u64>());
    for (reason, count) in &summary.drops {
        record = record.with(format!("drops.{}", reason.replace(' ', "_")), *count);
    }
    record.with("packet_hops", summary.packet_hops)
}
