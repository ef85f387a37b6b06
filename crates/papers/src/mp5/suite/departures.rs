//! The method `departures` of plans: the effect of each departure of the published simulator from the paper's text,
//! added alone to the paper's rules or removed alone from the artifact's.

use super::rules;
use super::traces::{Origin, TraceSource, source_axes, source_of};
use crate::mp5::streams::{Contender, Pattern, PublishedShape, run_stream};
use experiments::plan::{Axis, Method};
use experiments::sweep::Job;
use plans::Record;

/// The method that changes one departure at a time.
pub(super) struct Departures {
    sources: Vec<TraceSource>,
}

/// The name of the folder in the keys of generated traces.
const GENERATED: &str = "generated";

/// The word for unchanged rules, to compare with.
const NOTHING: &str = "none";

impl Departures {
    /// Makes the method for the traces of `sources` and generated ones of the default shape.
    pub fn new(mut sources: Vec<TraceSource>) -> Self {
        for pattern in Pattern::ALL {
            let (folder, shape) = (GENERATED.to_owned(), PublishedShape::DEFAULT);
            sources.push(TraceSource { folder, shape, pattern, origin: Origin::Generated });
        }
        Self { sources }
    }
}

impl Method for Departures {
    fn name(&self) -> &str {
        "departures"
    }

    fn axes(&self) -> Vec<Axis> {
        let mut axes = source_axes(&self.sources);
        axes.push(Axis::words("contender", Contender::ALL.map(Contender::name)));
        axes.push(Axis::words("rules", ["paper", "artifact"]));
        axes.push(Axis::words("turned", rules::departures().into_iter().chain([NOTHING])));
        axes
    }

    fn explanations(&self) -> Vec<(String, String)> {
        rules::explanations()
    }

    fn measures(&self) -> &[&str] {
        &["throughput", "throughput_change", "largest_queue", "largest_queue_change"]
    }

    fn job<'j>(&'j self, point: &Record) -> Result<Job<'j>, String> {
        let source = source_of(&self.sources, point)?;
        let word = |name: &str| point.word(name).unwrap_or_default().to_owned();
        let (base, departure) = (word("rules"), word("turned"));
        let turned = if departure == NOTHING { base.clone() } else { rules::turned(&base, &departure) };
        let plain = rules::parse(&base)?;
        let changed = rules::parse(&turned)?;
        let contender = point.word("contender").and_then(Contender::from_name).ok_or("there is no such contender")?;
        let seed = point.integer(experiments::sweep::REPEATED_OVER).unwrap_or(1);
        Ok(Job::new(point.clone(), 1, move || {
            let stream = source.read(seed)?;
            let before = run_stream(&stream, &contender, plain, seed)?;
            let after = run_stream(&stream, &contender, changed, seed)?;
            let queue_change = after.largest_queue as f64 - before.largest_queue as f64;
            Ok(Record::new()
                .with("throughput", after.throughput)
                .with("throughput_change", after.throughput - before.throughput)
                .with("largest_queue", after.largest_queue)
                .with("largest_queue_change", queue_change))
        }))
    }
}
