//! The method `switches`: hosts that send to a few others at once through one switch of 64 ports, which trims in one of
//! several ways (sections 6.1 to 6.3, figures 5 to 9).
//!
//! A way to trim is a plan of a network that differs from `ideal.toml` in its `[switch]`, and settings of it: a word of the
//! axis `switch`, and one more line of every figure.

mod measures;
mod modes;
pub(super) mod settings;

use experiments::plan::Axis;
use networks::NetworkMethod;
use plans::Value;

use super::shipped;
use measures::{MEASURES, measure};

/// The payload in bytes of a packet of 1500 bytes, of which NDP and what is below it take 64.
const PAYLOAD: u64 = 1436;

/// The method. The usual values of its axes are the one configuration of all rows.
pub(super) fn method() -> NetworkMethod {
    NetworkMethod::new("switches", shipped::SWITCHES, ("switch", settings::SWITCHES))
        .with_programs(shipped::CHIP)
        .with_field(Axis::integers("senders", 1..=64), "workload.0.senders")
        .with_field(Axis::integers("receivers", 1..=64).usually(16u64), "workload.0.receivers")
        .with_field(Axis::integers("first_receiver", 0..=79).usually(64u64), "workload.0.first_receiver")
        .with_field(Axis::integers("first_window", 1..=100_000).usually(1000u64), "transport.first_window")
        .with_fields(Axis::integers("packets", 1..=100_000).usually(20_000u64), |packets| {
            let bytes = PAYLOAD * packets.integer().unwrap_or_default();
            vec![("workload.0.bytes", Value::from(bytes))]
        })
        .with_fields(Axis::integers("us", 20..=100_000).usually(500u64), |time| {
            let time = text(time, "us");
            vec![("end.at", time.clone()), ("probes.window.0.until", time)]
        })
        .with_fields(Axis::integers("delay_ns", 1..=10_000).usually(500u64), |delay| {
            vec![("link.delay", text(delay, "ns"))]
        })
        .with_fields(Axis::integers("framing", 0..=100).usually(0u64), |framing| {
            vec![("link.framing", text(framing, "B"))]
        })
        .with_fields(Axis::integers("spread_ns", 0..=100_000).usually(120u64), |spread| {
            vec![("workload.0.spread", text(spread, "ns"))]
        })
        .with_fields(Axis::integers("jitter_ns", 0..=10_000).usually(120u64), |jitter| match jitter.integer() {
            Some(0) => vec![("fault.0", Value::Missing)],
            _ => vec![("fault.0.most", text(jitter, "ns"))],
        })
        .with_axes(settings::axes(), settings::changes)
        .with_measures(&MEASURES, measure)
        .with_measures(&modes::MEASURES, measure)
        .with_timeline(&modes::STATES, &[], modes::timeline)
}

/// A number with its unit, as plans write it.
fn text(number: &Value, unit: &str) -> Value {
    Value::from(format!("{} {unit}", number.integer().unwrap_or_default()))
}
