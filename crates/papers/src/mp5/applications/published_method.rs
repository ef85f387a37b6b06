//! The methods `application-streams` and `application-queues` of plans, which use traces like those that represent the
//! applications in the artifact.

use super::application::Application;
use crate::mp5::streams::{Contender, Pattern, Rules, Stream, StreamOutcome, StreamPlan, run_stream};
use diagnostics::Failure;
use experiments::plan::{Axis, Method};
use experiments::sweep::{Job, REPEATED_OVER};
use plans::Record;

/// Runs a contender on a generated stream like the published streams of an application.
#[derive(Clone, Copy, Debug, Default)]
pub struct ApplicationStreamsMethod;

const MEASURES: [&str; 3] = ["throughput", "largest_queue", "offered"];

impl Method for ApplicationStreamsMethod {
    fn name(&self) -> &str {
        "application-streams"
    }

    fn axes(&self) -> Vec<Axis> {
        vec![
            Axis::words("application", Application::PUBLISHED.map(Application::name)),
            Axis::integers("pipelines", 1..=64),
            Axis::words("pattern", Pattern::ALL.map(Pattern::name)),
            Axis::words("contender", Contender::ALL.map(Contender::name)),
            Axis::checked("rules", |text| text.parse::<Rules>().map(drop)),
            Axis::integers("packets_per_port", 1..=1_000_000),
        ]
    }

    fn measures(&self) -> &[&str] {
        &MEASURES
    }

    fn job<'j>(&'j self, point: &Record) -> Result<Job<'j>, String> {
        let runs = Runs::of(point)?;
        let pipelines = point.integer("pipelines").and_then(|value| u32::try_from(value).ok()).unwrap_or(1).max(1);
        let pattern = point.word("pattern").and_then(Pattern::from_name).ok_or("there is no such pattern")?;
        Ok(Job::new(point.clone(), runs.weight(pipelines), move || {
            let outcome = runs.run(pipelines, pattern)?;
            let slots = outcome.last_arrival.max(1) * u64::from(pipelines);
            Ok(Record::new()
                .with("throughput", outcome.throughput)
                .with("largest_queue", outcome.largest_queue)
                .with("offered", outcome.packets as f64 / slots as f64))
        }))
    }
}

/// The largest queue "in any pipeline stage at any time across all experiment runs" (section 4.4): of the six numbers
/// of pipelines that Figure 8 has and both patterns, one stream each, as published.
#[derive(Clone, Copy, Debug, Default)]
pub struct ApplicationQueuesMethod;

/// The numbers of pipelines in Figure 8 of the paper.
const PIPELINES: [u32; 6] = [1, 2, 4, 8, 12, 16];

impl Method for ApplicationQueuesMethod {
    fn name(&self) -> &str {
        "application-queues"
    }

    fn axes(&self) -> Vec<Axis> {
        let axes = ApplicationStreamsMethod.axes().into_iter();
        axes.filter(|axis| axis.name != "pipelines" && axis.name != "pattern").collect()
    }

    fn measures(&self) -> &[&str] {
        &["largest_queue"]
    }

    fn job<'j>(&'j self, point: &Record) -> Result<Job<'j>, String> {
        let runs = Runs::of(point)?;
        let weight = PIPELINES.map(|pipelines| 2 * runs.weight(pipelines)).into_iter().sum();
        Ok(Job::new(point.clone(), weight, move || {
            let mut largest = 0;
            for pipelines in PIPELINES {
                for pattern in Pattern::ALL {
                    largest = largest.max(runs.run(pipelines, pattern)?.largest_queue);
                }
            }
            Ok(Record::new().with("largest_queue", largest))
        }))
    }
}

/// Runs of one application that differ in pipelines and pattern.
#[derive(Clone, Copy)]
struct Runs {
    application: Application,
    contender: Contender,
    rules: Rules,
    packets_per_port: u32,
    seed: u64,
}

impl Runs {
    fn of(point: &Record) -> Result<Self, String> {
        let word = |name: &str| point.word(name).unwrap_or_default();
        let packets = point.integer("packets_per_port").and_then(|value| u32::try_from(value).ok());
        Ok(Self {
            application: Application::from_name(word("application")).ok_or("there is no such application")?,
            contender: Contender::from_name(word("contender")).ok_or("there is no such contender")?,
            rules: word("rules").parse()?,
            packets_per_port: packets.unwrap_or_default(),
            seed: point.integer(REPEATED_OVER).unwrap_or(1),
        })
    }

    fn weight(&self, pipelines: u32) -> u64 {
        u64::from(super::ports(pipelines as usize)) * u64::from(self.packets_per_port)
    }

    fn run(&self, pipelines: u32, pattern: Pattern) -> Result<StreamOutcome, Failure> {
        let (shape, stages) = self.application.published_shape(pipelines);
        let plan = StreamPlan { shape, pattern, packets_per_port: self.packets_per_port };
        let stream = Stream::generate_in(&plan, stages, self.seed);
        run_stream(&stream, &self.contender, self.rules, self.seed)
    }
}
