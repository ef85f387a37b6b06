//! The papers whose results are reproduced.

use std::path::Path;

use diagnostics::Failure;
use experiments::plan::Experiment;
use experiments::reproduce::Suite;

use crate::{mp5, trimming};

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
pub static ALL: [Paper; 2] = [
    Paper {
        name: "mp5",
        title: "Stateful Multi-Pipelined Programmable Switches (SIGCOMM 2022)",
        suite: mp5::suite::suite,
    },
    Paper {
        name: "trimming",
        title: "Implementing packet trimming support in hardware (sections 6.1, 6.2 and 6.5)",
        suite: without_traces_of_trimming,
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

fn without_traces_of_trimming(traces: Option<&Path>) -> Result<(Suite, Option<Experiment>), Failure> {
    match traces {
        Some(_) => Err(Failure::plain("trimming has no published traces: leave out --traces".to_owned())),
        None => Ok((trimming::suite(), None)),
    }
}
