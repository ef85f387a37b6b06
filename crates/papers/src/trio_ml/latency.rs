//! The method `latency`: what one aggregation takes on the chip (figure 15).

use experiments::plan::Axis;
use networks::NetworkMethod;
use networks::method::{Changes, Embedded};
use networks::results::Outcome;
use plans::Record;

use super::{HEADERS, shipped};

/// The axis of the number of gradients in a packet.
const GRADIENTS: &str = "gradients";

/// What each packet takes of a link beside its own bytes: preamble, check sequence and gap (IEEE 802.3).
const FRAMING: u64 = 24;

pub(super) fn method() -> NetworkMethod {
    let networks = [("default", "latency.toml"), ("waiting", "latency-waiting.toml")];
    NetworkMethod::new("latency", shipped::LATENCY, ("program", &networks))
        .with_programs(shipped::PROGRAM)
        .with_axes(vec![Axis::integers(GRADIENTS, 1..=1024)], changes)
        .with_measures(&["latency_us", "rate_per_us"], measure)
}

/// Sets the number of gradients of a packet. A tensor is one packet.
fn changes(point: &Record, _: &[Embedded]) -> Changes {
    let gradients = point.integer(GRADIENTS).unwrap_or(1);
    let fields = vec![("job.0.gradients", gradients.into()), ("job.0.bytes", (4 * gradients).into())];
    Changes { fields, files: Vec::new() }
}

/// The time that a packet spends in the switch, from its arrival to the last bit of the result, in microseconds, as the mean over packets; and
/// gradients by that time.
fn measure(outcome: &Outcome) -> Record {
    let Some(cable) = outcome.plan.topology.cables.first() else { return Record::new() };
    let mut times = Vec::new();
    let mut gradients = 0;
    for tensor in outcome.jobs.tensors() {
        let Some(finished) = tensor.finished else { continue };
        gradients = tensor.values;
        let sending = cable.link.rate.time_of(HEADERS + 4 * tensor.values + FRAMING);
        let on_links = sending + cable.link.delay.times(2);
        times.push((finished.since(tensor.begun).seconds() - on_links.seconds()) * 1e6);
    }
    let mean = times.iter().sum::<f64>() / times.len() as f64;
    Record::new().with("latency_us", mean).with("rate_per_us", gradients as f64 / mean)
}
