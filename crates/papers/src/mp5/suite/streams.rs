//! The method `streams` of plans: contenders on generated streams like the published ones (section 4.3.1).

use super::rules;
use crate::mp5::bound::{bound, without_filling};
use crate::mp5::streams::{
    Contender, Pattern, PublishedShape, PublishedSizes, Stream, StreamOutcome, StreamPlan, resolution_stages,
    run_stream,
};
use experiments::plan::{Axis, Method};
use experiments::sweep::{Job, REPEATED_OVER};
use plans::Record;

/// The method for generated streams.
pub(super) struct Streams;

/// The shortest packet, in bytes: gaps between the published packets are counted in its length.
const SHORTEST: u32 = 64;

/// The name of the bound, which plans use like a contender.
const BOUND: &str = "bound";

/// The measures of a run on a stream.
pub(super) const MEASURES: [&str; 10] = [
    "throughput",
    "without_filling",
    "steady_throughput",
    "long_run",
    "largest_queue",
    "violations",
    "recirculations",
    "moves",
    "wasted_cycles",
    "stage_cycles",
];

impl Method for Streams {
    fn name(&self) -> &str {
        "streams"
    }

    fn axes(&self) -> Vec<Axis> {
        let contenders = Contender::ALL.map(Contender::name).into_iter().chain([BOUND]);
        vec![
            Axis::integers("pipelines", 1..=64),
            Axis::integers("stateful_stages", 0..=16),
            Axis::integers("register_size", 1..=1 << 20),
            Axis::integers("packet_size", 64..=9000),
            Axis::words("pattern", Pattern::ALL.map(Pattern::name)),
            Axis::words("contender", contenders),
            Axis::checked("rules", |text| rules::parse(text).map(drop)),
            Axis::integers("packets_per_port", 1..=10_000_000),
        ]
    }

    fn measures(&self) -> &[&str] {
        &MEASURES
    }

    fn job<'j>(&'j self, point: &Record) -> Result<Job<'j>, String> {
        let number = |name: &str| point.integer(name).and_then(|value| u32::try_from(value).ok()).unwrap_or_default();
        let word = |name: &str| point.word(name).unwrap_or_default();
        let shape = PublishedShape {
            stateful_stages: number("stateful_stages"),
            register_size: number("register_size"),
            packet_size: PublishedSizes::Fixed(number("packet_size")),
            ..PublishedShape::of_pipelines(number("pipelines").max(1))
        };
        if let Some(fault) = shape.faults().first() {
            return Err(fault.clone());
        }
        let size = number("packet_size");
        if size % SHORTEST != 0 {
            return Err(format!("a gap is whole slots of {SHORTEST} bytes, so that {size} bytes would run as fewer"));
        }
        let pattern = Pattern::from_name(word("pattern")).ok_or("there is no such pattern")?;
        let plan = StreamPlan { shape, pattern, packets_per_port: number("packets_per_port") };
        let rules = rules::parse(word("rules"))?;
        let seed = point.integer(REPEATED_OVER).unwrap_or(0);
        // The time of a run is proportional to the packets and the stages that they pass.
        let weight = u64::from(shape.ports) * u64::from(plan.packets_per_port);
        let contender = Contender::from_name(word("contender"));
        Ok(Job::new(point.clone(), weight, move || {
            let stream = Stream::generate(&plan, seed);
            let resolution = resolution_stages(rules);
            let depth = u64::from(shape.depth() + resolution);
            let Some(contender) = contender else {
                let bound = bound(&stream, resolution);
                // Departures within a window are limited only by the packets inside at its beginning, so the steady
                // rate has no bound of its own. In the long run its bound is that of the throughput without filling.
                return Ok(Record::new()
                    .with("throughput", bound.throughput)
                    .with("without_filling", bound.steady_throughput)
                    .with("long_run", bound.steady_throughput));
            };
            Ok(record(&run_stream(&stream, &contender, rules, seed)?, depth))
        }))
    }
}

/// Returns an outcome as measures.
pub(super) fn record(outcome: &StreamOutcome, depth: u64) -> Record {
    Record::new()
        .with("throughput", outcome.throughput)
        .with("without_filling", without_filling(outcome.last_arrival, outcome.last_departure, depth))
        .with("steady_throughput", outcome.steady_throughput)
        .with("long_run", outcome.steady_throughput)
        .with("largest_queue", outcome.largest_queue)
        .with("violations", outcome.violations)
        .with("recirculations", outcome.recirculations)
        .with("moves", outcome.moves)
        .with("wasted_cycles", outcome.wasted_cycles)
        .with("stage_cycles", outcome.stage_cycles)
        // Written as a word, so that tools that read numbers as floating point do not round it.
        .with("state", format!("{:016x}", outcome.state))
}
