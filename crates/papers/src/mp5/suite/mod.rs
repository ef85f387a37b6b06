//! The evaluation of MP5 (sections 4.3 and 4.4 of "Stateful Multi-Pipelined Programmable Switches", SIGCOMM 2022).

mod departures;
mod found;
mod rules;
mod shipped;
mod streams;
mod traces;

use std::path::Path;

pub use found::found_experiment;

use crate::mp5::applications::{
    ApplicationPredicatesMethod, ApplicationQueuesMethod, ApplicationStreamsMethod, ApplicationsMethod,
};
use crate::mp5::principles::PrinciplesMethod;
use crate::mp5::streams::{Pattern, Stream};
use departures::Departures;
use diagnostics::Failure;
use experiments::plan::{Experiment, Method};
use experiments::reproduce::Suite;
use streams::Streams;
use traces::{TraceSource, Traces};

/// Returns MP5's suite, and the experiment of the traces below a folder if one is given.
///
/// # Errors
/// Fails if the folder cannot be read or contains no trace.
pub fn suite(folder: Option<&Path>) -> Result<(Suite, Option<Experiment>), Failure> {
    let shipped: Vec<TraceSource> = shipped::traces();
    let departures = Departures::new(shipped.clone());
    let mut methods: Vec<Box<dyn Method>> = vec![
        Box::new(Streams),
        Box::new(Traces::new("traces", shipped)),
        Box::new(departures),
        Box::new(PrinciplesMethod),
        Box::new(ApplicationStreamsMethod),
        Box::new(ApplicationQueuesMethod),
        Box::new(ApplicationsMethod),
        Box::new(ApplicationPredicatesMethod),
    ];
    let found = match folder {
        None => None,
        Some(folder) => {
            let found = found::search(folder)?;
            let experiment = found_experiment(&found)?;
            methods.push(Box::new(Traces::new(found::METHOD, found.into_iter().map(|found| found.source).collect())));
            Some(experiment)
        }
    };
    let suite = Suite {
        name: "mp5",
        title: "MP5, reproduced",
        introduction: &[
            "The simulations of \u{201c}Stateful Multi-Pipelined Programmable Switches\u{201d} (SIGCOMM 2022, sections 4.3 \
             and 4.4), published numbers beside ours. Clock speed and chip area (section 4.2) and the points of the FPGA \
             prototype are left out.",
            "Two machines are compared with it. Under the paper's rules MP5 does what the paper's text says. Under the \
             artifact's rules it departs from that text wherever the published simulator does, and is then held against \
             the published numbers on the published traces. How much each departure matters is a table of its own.",
        ],
        apart: Some("rules"),
        methods,
        plans: shipped::PLANS,
        files: shipped::FILES,
    };
    Ok((suite, found))
}

/// A trace that is part of the project.
pub struct ShippedStream {
    /// The name of its packet file.
    pub name: String,
    /// The pattern of its flows.
    pub pattern: Pattern,
    /// The contents.
    pub stream: Stream,
}

/// Returns the first published stream for each number of pipelines and pattern.
///
/// # Errors
/// Fails if a shipped file is invalid, which tests rule out.
pub fn shipped_streams() -> Result<Vec<ShippedStream>, Failure> {
    let shipped = shipped::traces().into_iter().map(|source| {
        let name = source.shape.file_name(source.pattern.published_name());
        Ok(ShippedStream { name, pattern: source.pattern, stream: source.read(1)? })
    });
    shipped.collect()
}
