//! The method `validation`: flows at line rate to each of two hosts through the chip (section 6.4, figures 10 to 12).
//!
//! The paper's flows come from a second switch and heed nobody. Here they are messages of NDP that are sent as a whole in
//! their first windows; what is pulled meanwhile is sent again instead of what would be new, at the same rate.

mod courses;
mod measures;

use basis::Random;
use experiments::plan::Axis;
use experiments::sweep::REPEATED_OVER;
use networks::NetworkMethod;
use plans::{Record, Value};

use super::shipped;
use super::switches::settings;
use courses::{COURSES, timeline};
use measures::{MEASURES, measure};

/// The method.
pub(super) fn method() -> NetworkMethod {
    let plans = [
        ("tofino", "validation.toml"),
        // Only the pipe of which a packet was deflected is notified.
        ("notify-one-pipe", "validation.toml"),
        ("ideal", "validation-ideal.toml"),
    ];
    NetworkMethod::new("validation", shipped::VALIDATION, ("switch", &plans))
        .with_programs(shipped::CHIP)
        // How many flows each of the two hosts gets, and from how many pipes they come.
        .with_axis_of_files(Axis::integers("flows", 1..=4).usually(4u64))
        .with_axis_of_files(Axis::integers("pipes", 1..=4).usually(4u64))
        // How long after each other the flows to one host begin.
        .with_axis_of_files(Axis::integers("apart_us", 0..=10_000).usually(0u64))
        .with_fields(Axis::integers("us", 20..=100_000), |time| {
            vec![("end.at", Value::from(format!("{} us", time.integer().unwrap_or_default())))]
        })
        // By how much packets arrive later than a steady sender sends them; with 0, senders stay in step.
        .with_fields(Axis::integers("jitter_ns", 0..=10_000).usually(120u64), |most| match most.integer() {
            Some(most @ 1..) => vec![("fault.0.most", Value::from(format!("{most} ns")))],
            _ => vec![("fault.0", Value::Missing)],
        })
        .with_axes(settings::axes(), settings::changes)
        .with_files_by_point(|_, point| connections(point))
        .with_measures(&MEASURES, measure)
        .with_timeline(&[], &COURSES, timeline)
}

/// The hosts behind a pipe, but for those that only receive.
const PORTS: u64 = 16;
/// The number of hosts to which flows go, and the first of them.
const RECEIVERS: u64 = 2;
const FIRST: u64 = 64;
/// The payload of a flow in bytes: 20,000 full packets.
const BYTES: u64 = 20_000 * 1436;
/// Within this time in picoseconds, that of one packet, each flow begins later, by the seed.
const LATER: u64 = 120_000;

/// The connection matrix of a point. The flows to a host come from different pipes as far as these reach.
fn connections(point: &Record) -> String {
    let axis = |name: &str| point.integer(name).unwrap_or_default();
    let (flows, pipes, apart) = (axis("flows"), axis("pipes").max(1), axis("apart_us") * 1_000_000);
    let mut random = Random::new(point.integer(REPEATED_OVER).unwrap_or(1));
    let mut text = format!("Nodes 80\nConnections {}\n", RECEIVERS * flows);
    for number in 0..RECEIVERS * flows {
        let (flow, receiver) = (number / RECEIVERS, number % RECEIVERS);
        let source = flow % pipes * PORTS + flow / pipes * RECEIVERS + receiver;
        let start = flow * apart + random.below(LATER);
        text.push_str(&format!("{source}->{} id {} start {start} size {BYTES}\n", FIRST + receiver, number + 1));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sources(flows: u64, pipes: u64) -> Vec<u64> {
        let text = connections(&Record::new().with("flows", flows).with("pipes", pipes).with("apart_us", 7u64));
        let source = |line: &str| line.split_once("->").and_then(|(source, _)| source.parse().ok());
        text.lines().filter_map(source).collect()
    }

    #[test]
    fn flows_come_from_as_many_pipes_as_are_asked_for() {
        assert_eq!(sources(4, 4), [0, 1, 16, 17, 32, 33, 48, 49]);
        assert_eq!(sources(4, 2), [0, 1, 16, 17, 2, 3, 18, 19]);
        assert_eq!(sources(4, 1), [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(sources(2, 4), [0, 1, 16, 17]);
    }

    #[test]
    fn the_matrix_of_the_plan_is_that_of_a_point() {
        let point = Record::new().with("flows", 4u64).with("pipes", 4u64).with("apart_us", 0u64);
        let (_, text) = shipped::VALIDATION.iter().find(|(name, _)| *name == "validation.cm").expect("a matrix");
        assert_eq!(connections(&point), *text);
    }
}
