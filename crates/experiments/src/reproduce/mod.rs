//! Reproducing published results: plans are run, compared with what was published, drawn and written.
//!
//! Nothing here knows a paper. A [`Suite`] is a paper's plans, methods and published numbers;

mod document;
mod figures;
mod run;
mod summary;
mod tables;

pub use run::{Reproduction, Settings, Watcher, reproduce};
pub use summary::{broken, claim_table, comparison_table, counts, overview_table};

use crate::comparison::{ClaimResult, Comparison};
use crate::plan::{self, Experiment, Method};
use crate::sweep::Row;
use diagnostics::Failure;

/// A paper's results as far as we reproduce them.
pub struct Suite {
    /// What the command calls it.
    pub name: &'static str,
    /// What it is, in a line.
    pub title: &'static str,
    /// What a reader should know first, in a few sentences.
    pub introduction: &'static [&'static str],
    /// An axis by whose values the summary counts apart, as they promise different things.
    pub apart: Option<&'static str>,
    /// What can be measured.
    pub methods: Vec<Box<dyn Method>>,
    /// The plans' files and texts.
    pub plans: &'static [(&'static str, &'static str)],
    /// Files of published numbers that plans name, and their texts.
    pub files: &'static [(&'static str, &'static str)],
}

/// What came of one experiment.
#[derive(Clone, Debug)]
pub struct Reproduced {
    /// The plan.
    pub experiment: Experiment,
    /// A row a job, in the order of the plan.
    pub rows: Vec<Row>,
    /// Published numbers beside ours.
    pub comparisons: Vec<Comparison>,
    /// Published statements beside ours.
    pub claims: Vec<ClaimResult>,
}

impl Suite {
    /// The suite's own experiments.
    ///
    /// # Errors
    /// What is wrong with a plan.
    pub fn experiments(&self, is_quick: bool) -> Result<Vec<Experiment>, Failure> {
        let read = |(file, text): &(&str, &str)| self.read(file.trim_end_matches(".toml"), file, text, is_quick);
        self.plans.iter().map(read).collect()
    }

    /// Reads a plan for this suite's methods.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn read(&self, name: &str, path: &str, text: &str, is_quick: bool) -> Result<Experiment, Failure> {
        plan::read(name, path, text, is_quick, &self.methods, self.files)
    }

    /// The method of an experiment that was read for this suite.
    pub(crate) fn method(&self, experiment: &Experiment) -> Result<&dyn Method, Failure> {
        let found = self.methods.iter().find(|method| method.name() == experiment.method);
        found.map(|method| &**method).ok_or_else(|| Failure::plain(format!("no method `{}`", experiment.method)))
    }
}
