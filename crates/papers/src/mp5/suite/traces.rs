//! The method `traces` of plans: contenders on traces of the published format, shipped or found in a folder.

use traffic::{Input, PublishedTrace};

use super::rules;
use super::streams::{MEASURES, record};
use crate::mp5::streams::{Contender, Pattern, PublishedShape, Stream, StreamPlan, resolution_stages, run_stream};
use diagnostics::Failure;
use experiments::plan::{Axis, Method};
use experiments::sweep::Job;
use plans::Record;

/// A trace, and how plans select it.
#[derive(Clone, Debug)]
pub(super) struct TraceSource {
    /// The name of its folder as published: the axis and the number of the stream.
    pub folder: String,
    /// The shape of the switch that it is for.
    pub shape: PublishedShape,
    /// The pattern of its flows.
    pub pattern: Pattern,
    /// The origin of its packets.
    pub origin: Origin,
}

/// The origin of a trace.
#[derive(Clone, Debug)]
pub(super) enum Origin {
    /// Files.
    Files {
        /// The file of flows.
        flows: Input,
        /// The file of packets.
        packets: Input,
        /// A hash of both.
        fingerprint: u64,
    },
    /// A generator: each seed gives another trace, as long as the published ones.
    Generated,
}

/// The number of packets per port in a published trace.
const PUBLISHED_LENGTH: u32 = 100;

/// The method for traces from files.
pub(super) struct Traces {
    name: &'static str,
    sources: Vec<TraceSource>,
}

impl TraceSource {
    /// Returns its name without the kind: the shape, as in the names of files.
    pub fn trace(&self) -> String {
        self.shape.to_string()
    }

    /// Reads the trace, or generates that of a seed.
    pub fn read(&self, seed: u64) -> Result<Stream, Failure> {
        let Origin::Files { flows, packets, .. } = &self.origin else {
            let (shape, pattern) = (self.shape, self.pattern);
            let plan = StreamPlan { shape, pattern, packets_per_port: PUBLISHED_LENGTH };
            return Ok(Stream::generate(&plan, seed));
        };
        let trace = PublishedTrace::read_for(&self.shape, flows, packets);
        let trace = trace.map_err(|(sources, diagnostics)| Failure::BadInput { sources, diagnostics })?;
        Ok(Stream::of_trace(self.shape, trace))
    }
}

/// Returns the distinct values of a property of sources, in order.
pub(super) fn distinct(values: impl Iterator<Item = String>) -> Vec<String> {
    let mut found = Vec::new();
    for value in values {
        if !found.contains(&value) {
            found.push(value);
        }
    }
    found
}

/// Returns the axes that select a source.
pub(super) fn source_axes(sources: &[TraceSource]) -> Vec<Axis> {
    vec![
        Axis::words("folder", distinct(sources.iter().map(|source| source.folder.clone()))),
        Axis::words("trace", distinct(sources.iter().map(TraceSource::trace))),
        Axis::words("pattern", Pattern::ALL.map(Pattern::name)),
    ]
}

/// Returns the source that a point selects.
pub(super) fn source_of<'s>(sources: &'s [TraceSource], point: &Record) -> Result<&'s TraceSource, String> {
    let word = |name: &str| point.word(name).unwrap_or_default();
    let found = sources.iter().find(|source| {
        source.folder == word("folder") && source.trace() == word("trace") && source.pattern.name() == word("pattern")
    });
    found.ok_or_else(|| format!("`{}` has no such trace", word("folder")))
}

impl Traces {
    pub fn new(name: &'static str, sources: Vec<TraceSource>) -> Self {
        Self { name, sources }
    }
}

impl Method for Traces {
    fn name(&self) -> &str {
        self.name
    }

    fn axes(&self) -> Vec<Axis> {
        let mut axes = source_axes(&self.sources);
        axes.push(Axis::words("contender", Contender::ALL.map(Contender::name)));
        axes.push(Axis::checked("rules", |text| rules::parse(text).map(drop)));
        axes
    }

    fn derived(&self) -> &[&str] {
        &["pipelines"]
    }

    fn measures(&self) -> &[&str] {
        &MEASURES
    }

    fn job<'j>(&'j self, point: &Record) -> Result<Job<'j>, String> {
        let source = source_of(&self.sources, point)?;
        let rules = rules::parse(point.word("rules").unwrap_or_default())?;
        let contender = point.word("contender").and_then(Contender::from_name).ok_or("there is no such contender")?;
        let key = point.clone().with("pipelines", source.shape.pipelines);
        Ok(Job::new(key, 1, move || {
            let stream = source.read(1)?;
            let depth = u64::from(source.shape.depth() + resolution_stages(rules));
            // The published simulator uses no random numbers; the paper's rules draw the initial map.
            Ok(record(&run_stream(&stream, &contender, rules, 1)?, depth))
        }))
    }

    fn inputs(&self) -> Vec<(String, String)> {
        let input = |source: &TraceSource| {
            let Origin::Files { fingerprint, .. } = source.origin else { return None };
            let name = format!("{}/{}_{}", source.folder, source.pattern.published_name(), source.trace());
            Some((name, format!("fnv1a64:{fingerprint:016x}")))
        };
        self.sources.iter().filter_map(input).collect()
    }
}
