//! The method `traces`: contenders on traces of the published format, shipped or found in a folder.

use traffic::{Input, PublishedTrace};

use super::rules;
use super::streams::{MEASURES, record};
use crate::mp5::streams::{Contender, Pattern, PublishedShape, Stream, StreamPlan, resolution_stages, run_stream};
use diagnostics::Failure;
use experiments::plan::{Accepts, Axis, Method};
use experiments::sweep::Job;
use plans::Record;

/// Where a trace lies.
#[derive(Clone, Debug)]
pub(super) struct TraceSource {
    /// The folder that it lies in, as published: the axis and the number of the stream.
    pub folder: String,
    /// What it is for.
    pub shape: PublishedShape,
    /// Which flows its packets belong to.
    pub pattern: Pattern,
    /// Where it comes from.
    pub origin: Origin,
}

/// Where a trace comes from.
#[derive(Clone, Debug)]
pub(super) enum Origin {
    /// From files.
    Files {
        /// The file of flows.
        flows: Input,
        /// The file of packets.
        packets: Input,
        /// A hash of both.
        fingerprint: u64,
    },
    /// It is generated, another one for each seed, as long as the published ones.
    Generated,
}

/// How many packets a port of a published trace has.
const PUBLISHED_LENGTH: u32 = 100;

/// Traces from files.
pub(super) struct Traces {
    name: &'static str,
    sources: Vec<TraceSource>,
}

impl TraceSource {
    /// Its name without the kind: the shape, as in the names of files.
    pub fn trace(&self) -> String {
        self.shape.to_string()
    }

    /// Reads it, or generates that of a seed.
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

/// The different values of something that sources have, in order.
pub(super) fn distinct(values: impl Iterator<Item = String>) -> Vec<String> {
    let mut found = Vec::new();
    for value in values {
        if !found.contains(&value) {
            found.push(value);
        }
    }
    found
}

/// The axes that name a source.
pub(super) fn source_axes(sources: &[TraceSource]) -> Vec<Axis> {
    vec![
        Axis::words("folder", distinct(sources.iter().map(|source| source.folder.clone()))),
        Axis::words("trace", distinct(sources.iter().map(TraceSource::trace))),
        Axis::words("pattern", Pattern::ALL.map(Pattern::name)),
    ]
}

/// The source that a point names.
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
        axes.push(Axis { name: "rules", accepts: Accepts::Checked(|text| rules::parse(text).map(drop)) });
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
            // The published simulator draws nothing; the paper's rules draw the first map.
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
