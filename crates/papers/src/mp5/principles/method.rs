//! The method `principles` of plans: contenders on streams.

use super::run::run_principle;
use super::states::States;
use crate::mp5::streams::{Contender, Pattern, PublishedShape, Rules, StreamPlan};
use experiments::plan::{Axis, Method};
use experiments::sweep::{Job, REPEATED_OVER};
use plans::Record;

/// Runs one contender on one generated stream; everything that a plan does not vary is the paper's default (section
/// 4.3.1): 64 ports, 16 stages, 512 indices, packets of 64 bytes.
#[derive(Clone, Copy, Debug, Default)]
pub struct PrinciplesMethod;

const MEASURES: [&str; 10] = [
    "throughput",
    "steady_throughput",
    "recirculations_per_packet",
    "moves",
    "largest_queue",
    "overtaking",
    "overtaken",
    "either",
    "displaced",
    "adjacent",
];

impl Method for PrinciplesMethod {
    fn name(&self) -> &str {
        "principles"
    }

    fn axes(&self) -> Vec<Axis> {
        vec![
            Axis::words("contender", Contender::ALL.map(Contender::name)),
            Axis::words("pattern", Pattern::ALL.map(Pattern::name)),
            Axis::words("states", States::ALL.map(States::name)),
            Axis::checked("rules", |text| text.parse::<Rules>().map(drop)),
            Axis::integers("pipelines", 1..=64),
            Axis::integers("stateful_stages", 1..=15),
            Axis::integers("packets_per_port", 1..=1_000_000),
        ]
    }

    fn measures(&self) -> &[&str] {
        &MEASURES
    }

    fn job<'j>(&'j self, point: &Record) -> Result<Job<'j>, String> {
        let word = |name: &str| point.word(name).ok_or_else(|| format!("`{name}` is missing"));
        let number = |name: &str| point.integer(name).ok_or_else(|| format!("`{name}` is missing"));
        let shape = PublishedShape {
            stateful_stages: number("stateful_stages")? as u32,
            ..PublishedShape::of_pipelines(number("pipelines")? as u32)
        };
        let pattern = Pattern::from_name(word("pattern")?).ok_or("no such pattern")?;
        let plan = StreamPlan { shape, pattern, packets_per_port: number("packets_per_port")? as u32 };
        let states = States::from_name(word("states")?).ok_or("no such states")?;
        let contender = Contender::from_name(word("contender")?).ok_or("no such contender")?;
        let rules: Rules = word("rules")?.parse()?;
        let seed = point.integer(REPEATED_OVER).unwrap_or(1);
        // A recirculated packet counts as a packet again.
        let rounds = if contender == Contender::Recirculating { u64::from(1 + shape.stateful_stages / 2) } else { 1 };
        let weight = u64::from(shape.ports) * u64::from(plan.packets_per_port) * rounds;
        Ok(Job::new(point.clone(), weight, move || {
            let run = run_principle(&states.stream(&plan, seed), &contender, rules, seed)?;
            let violations = run.violations;
            Ok(Record::new()
                .with("throughput", run.outcome.throughput)
                .with("steady_throughput", run.outcome.steady_throughput)
                .with("recirculations_per_packet", run.recirculations_per_packet())
                .with("moves", run.outcome.moves)
                .with("largest_queue", run.outcome.largest_queue)
                .with("overtaking", violations.overtaking)
                .with("overtaken", violations.overtaken)
                .with("either", violations.either)
                .with("displaced", violations.displaced)
                .with("adjacent", violations.adjacent))
        }))
    }
}
