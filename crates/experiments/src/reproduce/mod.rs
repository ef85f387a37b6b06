//! Reproducing published results: running plans, comparing with the published numbers, drawing and writing the report.
//!
//! A [`Suite`] holds the plans, methods and published numbers of a paper; [`reproduce`] runs its experiments.

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

/// The reproduction of a paper: its plans, methods and published numbers.
pub struct Suite {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its title, in one line.
    pub title: &'static str,
    /// The introduction of the report, in a few sentences.
    pub introduction: &'static [&'static str],
    /// An axis whose values the summary counts separately, as they are expected to give different results.
    pub apart: Option<&'static str>,
    /// The methods that plans can use.
    pub methods: Vec<Box<dyn Method>>,
    /// The file names and texts of the plans.
    pub plans: &'static [(&'static str, &'static str)],
    /// The file names and texts of published numbers that plans name.
    pub files: &'static [(&'static str, &'static str)],
}

/// The results of one experiment.
#[derive(Clone, Debug)]
pub struct Reproduced {
    /// The plan.
    pub experiment: Experiment,
    /// One row per job, in the order of the plan.
    pub rows: Vec<Row>,
    /// The comparisons of published numbers with ours.
    pub comparisons: Vec<Comparison>,
    /// The comparisons of published statements with our numbers.
    pub claims: Vec<ClaimResult>,
}

impl Suite {
    /// Reads the suite's own experiments.
    ///
    /// # Errors
    /// Fails with diagnostics if a plan is invalid.
    pub fn experiments(&self, is_quick: bool) -> Result<Vec<Experiment>, Failure> {
        let read = |(file, text): &(&str, &str)| self.read(file.trim_end_matches(".toml"), file, text, is_quick);
        self.plans.iter().map(read).collect()
    }

    /// Reads a plan for this suite's methods.
    ///
    /// # Errors
    /// Fails with a diagnostic for everything that is wrong.
    pub fn read(&self, name: &str, path: &str, text: &str, is_quick: bool) -> Result<Experiment, Failure> {
        plan::read(name, path, text, is_quick, &self.methods, self.files)
    }

    /// Returns the method of an experiment that was read for this suite.
    pub(crate) fn method(&self, experiment: &Experiment) -> Result<&dyn Method, Failure> {
        let found = self.methods.iter().find(|method| method.name() == experiment.method);
        found.map(|method| &**method).ok_or_else(|| Failure::plain(format!("no method `{}`", experiment.method)))
    }
}
