//! The method `switches`: hosts that send to a few others at once through one switch of 64 ports, which trims in one of
//! several ways (sections 6.1 to 6.3, figures 5 to 9).
//!
//! A way to trim is a plan of a network that differs from `ideal.toml` in its `[switch]`: another discipline, or a machine
//! with its program, entries and chip. It is a word of the axis `switch`, and one more line of every figure.

mod measures;
mod modes;

use experiments::plan::Axis;
use networks::NetworkMethod;
use plans::Value;

use super::shipped;
use measures::{MEASURES, measure};

/// The axis that says how the switch trims, and the plan of each way.
const SWITCHES: (&str, &[(&str, &str)]) = ("switch", &[("ideal", "ideal.toml")]);

/// The payload in bytes of a packet of 1500 bytes, of which NDP and what is below it take 64.
const PAYLOAD: u64 = 1436;

/// The method. All axes but the first set fields of the plan.
pub(super) fn method() -> NetworkMethod {
    NetworkMethod::new("switches", shipped::SWITCHES, SWITCHES)
        .with_field(Axis::integers("senders", 1..=64), "workload.0.senders")
        .with_field(Axis::integers("receivers", 1..=64), "workload.0.receivers")
        .with_field(Axis::integers("first_window", 1..=100_000), "transport.first_window")
        .with_fields(Axis::integers("packets", 1..=100_000), |packets| {
            let bytes = PAYLOAD * packets.integer().unwrap_or_default();
            vec![("workload.0.bytes", Value::from(bytes))]
        })
        .with_fields(Axis::integers("us", 20..=100_000), |time| {
            let time = text(time, "us");
            vec![("end.at", time.clone()), ("probes.window.0.until", time)]
        })
        .with_fields(Axis::integers("data_queue", 1..=10_000), |packets| {
            vec![("switch.limit", text(packets, "packets"))]
        })
        .with_field(Axis::words("service", ["bytes", "packets", "strict"]), "switch.service")
        .with_fields(Axis::integers("delay_ns", 1..=10_000), |delay| vec![("link.delay", text(delay, "ns"))])
        .with_fields(Axis::integers("framing", 0..=100), |framing| vec![("link.framing", text(framing, "B"))])
        .with_fields(Axis::integers("spread_ns", 0..=100_000), |spread| vec![("workload.0.spread", text(spread, "ns"))])
        .with_measures(&MEASURES, measure)
        .with_measures(&modes::MEASURES, measure)
        .with_timeline(&modes::STATES, &[], modes::timeline)
}

/// A number with its unit, as plans write it.
fn text(number: &Value, unit: &str) -> Value {
    Value::from(format!("{} {unit}", number.integer().unwrap_or_default()))
}
