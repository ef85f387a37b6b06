//! The papers whose results are reproduced.

use std::path::Path;

use diagnostics::Failure;
use experiments::plan::Experiment;
use experiments::reproduce::Suite;

use crate::{atp, mp5, trimming, trio_ml};

/// A paper, and how its suite is made.
#[derive(Debug)]
pub struct Paper {
    /// The name by which the command knows it.
    pub name: &'static str,
    /// Its title, and where it was published.
    pub title: &'static str,
    suite: MakeSuite,
}

/// Makes a suite, with the experiment of the traces below a folder if there is one.
type MakeSuite = fn(Option<&Path>) -> Result<(Suite, Option<Experiment>), Failure>;

/// Every paper.
pub static ALL: [Paper; 4] = [
    Paper {
        name: "mp5",
        title: "Stateful Multi-Pipelined Programmable Switches (SIGCOMM 2022)",
        suite: mp5::suite::suite,
    },
    Paper {
        name: "trimming",
        title: "Implementing packet trimming support in hardware (sections 6.1, 6.2 and 6.5)",
        suite: |traces| without_traces("trimming", trimming::suite, traces),
    },
    Paper {
        name: "atp",
        title: "ATP: In-network Aggregation for Multi-tenant Learning (NSDI 2021; section 5.4.2)",
        suite: |traces| without_traces("atp", atp::suite, traces),
    },
    Paper {
        name: "trio-ml",
        title: "Using Trio: aggregation and stragglers (SIGCOMM 2022; sections 6.2 and 6.3)",
        suite: |traces| without_traces("trio-ml", trio_ml::suite, traces),
    },
];

impl Paper {
    /// The paper's suite, and the experiment of the traces below a folder, if one is given.
    ///
    /// # Errors
    /// A folder that cannot be read, in which there is no trace, or of a paper that has published no traces.
    pub fn suite(&self, traces: Option<&Path>) -> Result<(Suite, Option<Experiment>), Failure> {
        (self.suite)(traces)
    }
}

/// Returns the suite of a paper that has published no traces.
fn without_traces(
    name: &str,
    suite: fn() -> Suite,
    traces: Option<&Path>,
) -> Result<(Suite, Option<Experiment>), Failure> {
    match traces {
        Some(_) => Err(Failure::plain(format!("{name} has no published traces: leave out --traces"))),
        None => Ok((suite(), None)),
    }
}
