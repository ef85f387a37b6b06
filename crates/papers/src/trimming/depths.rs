//! The method `depths`: an incast through a Tofino 2, whose ingress trims by the depth of queues (section 3, "Trimming in
//! ingress").

use experiments::plan::Axis;
use networks::NetworkMethod;
use networks::results::Outcome;
use plans::{Record, Value};

use super::shipped;

/// The measures beside the usual ones.
const MEASURES: [&str; 5] = ["accounted", "deflected", "deflection_queue", "headers", "headers_over_deflected"];

/// The payload in bytes of a packet of 1500 bytes.
const PAYLOAD: u64 = 1436;

/// The method.
pub(super) fn method() -> NetworkMethod {
    NetworkMethod::new("depths", shipped::DEPTHS, ("switch", &[("tofino-2", "tofino-2.toml")]))
        .with_programs(shipped::CHIP_2)
        .with_field(Axis::integers("senders", 1..=64).usually(64u64), "workload.0.senders")
        .with_field(Axis::integers("receivers", 1..=64).usually(1u64), "workload.0.receivers")
        .with_fields(Axis::integers("packets", 1..=100_000), |packets| {
            vec![("workload.0.bytes", Value::from(PAYLOAD * packets.integer().unwrap_or_default()))]
        })
        .with_fields(Axis::integers("spread_ns", 0..=100_000), |spread| {
            vec![("workload.0.spread", Value::from(format!("{} ns", spread.integer().unwrap_or_default())))]
        })
        .with_measures(&MEASURES, measure)
}

/// Takes the measures from the outcome of a run: packets that were deflected, the longest queue of them, and headers that
/// arrived.
fn measure(outcome: &Outcome) -> Record {
    let hosts = outcome.plan.topology.hosts().len();
    let recirculates = |name: &str| {
        let port = name.split_once(':').and_then(|(_, port)| port.split('/').next()?.parse::<usize>().ok());
        port.is_some_and(|port| port >= hosts)
    };
    let queues = outcome.series.queues();
    let lengths = outcome.series.lengths();
    let of_deflected = queues.iter().zip(&lengths).filter(|((name, _), _)| recirculates(name));
    let longest = of_deflected.flat_map(|(_, lengths)| lengths).map(|(_, length)| length.packets).max();
    let trimmed = networks::results::KINDS.iter().position(|&kind| kind == "data trimmed").map(|kind| kind as u8);
    let headers = trimmed.map_or(0, |kind| outcome.arrivals.times(kind).len());
    let deflected = outcome.summary.counters.get("deflected").copied().unwrap_or_default();
    Record::new()
        .with("accounted", u64::from(outcome.defect.is_none()))
        .with("deflected", deflected)
        .with("deflection_queue", longest.unwrap_or_default())
        .with("headers", headers)
        .with("headers_over_deflected", headers as f64 / deflected as f64)
}
