//! Networks of hosts and switches, in simulated time.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use diagnostics::Failure;
use files::{Earlier, OutputFolder, PlanText};
use networks::plan::read_with;
use networks::results::Summary;
use networks::{NetworkPlan, Outcome, Registry, files as result_files, is_result, run_to_the_end};

use crate::Table;

/// A network as a plan describes it: what is connected, how packets wait, what hosts want carried, and when it ends.
#[derive(Clone, Debug)]
pub struct Network {
    plan: NetworkPlan,
    threads: NonZeroUsize,
}

/// The results of running a network.
pub struct NetworkResults(Outcome);

impl Network {
    /// Reads a plan from its file.
    ///
    /// # Errors
    /// Everything that is wrong with the plan and the files that it names, each at its place.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, Failure> {
        Self::read_with(path, &Registry::default())
    }

    /// Reads a plan from its file. The plan may name everything in `registry`.
    ///
    /// # Errors
    /// Everything that is wrong with the plan and the files that it names, each at its place.
    pub fn read_with(path: impl AsRef<Path>, registry: &Registry) -> Result<Self, Failure> {
        Self::of(&PlanText::read(path.as_ref())?, registry)
    }

    /// Reads a plan from a text (TOML). Files that it names are looked for in the current folder.
    ///
    /// # Errors
    /// Everything that is wrong with the plan and the files that it names, each at its place.
    pub fn from_text(name: &str, text: &str) -> Result<Self, Failure> {
        Self::from_text_with(name, text, &Registry::default())
    }

    /// Reads a plan from a text (TOML). The plan may name everything in `registry`.
    ///
    /// # Errors
    /// Everything that is wrong with the plan and the files that it names, each at its place.
    pub fn from_text_with(name: &str, text: &str, registry: &Registry) -> Result<Self, Failure> {
        let [name, path, text] = [name, name, text].map(str::to_owned);
        Self::of(&PlanText { name, path, text, folder: PathBuf::new() }, registry)
    }

    fn of(plan: &PlanText, registry: &Registry) -> Result<Self, Failure> {
        Ok(Self { plan: read_with(plan, None, registry)?, threads: NonZeroUsize::MIN })
    }

    /// Sets the number of threads that run the network. The results are the same for any number.
    #[must_use]
    pub fn threads(mut self, threads: NonZeroUsize) -> Self {
        self.threads = threads;
        self
    }

    /// Returns the plan with all of its defaults, as TOML.
    pub fn plan(&self) -> &str {
        &self.plan.text
    }

    /// Runs the network to its end. Nothing is written but the captures that the plan asks for, which need
    /// [`Network::run_into`].
    ///
    /// # Errors
    /// A program that cannot be read or does not fit its switch, entries that it refuses, a plan that asks for
    /// captures.
    pub fn run(&self) -> Result<NetworkResults, Failure> {
        if !self.plan.probes.captures.is_empty() {
            return Err(Failure::plain("the plan asks for captures: say where with `run_into`"));
        }
        self.run_in(Path::new(""))
    }

    /// Runs the network to its end and writes all results into a folder: a page, tables, captures, a manifest.
    ///
    /// # Errors
    /// A program that cannot be read or does not fit its switch, entries that it refuses, a folder that cannot be
    /// written.
    pub fn run_into(&self, folder: impl AsRef<Path>) -> Result<NetworkResults, Failure> {
        let folder = folder.as_ref();
        let mut out = OutputFolder::take(folder, is_result)?;
        let results = self.run_in(folder)?;
        results.0.captures.iter().try_for_each(|capture| out.adopt(capture))?;
        out.finish_texts(&result_files(&results.0), Earlier::Goes)?;
        Ok(results)
    }

    fn run_in(&self, folder: &Path) -> Result<NetworkResults, Failure> {
        run_to_the_end(self.plan.clone(), folder, self.threads).map(NetworkResults)
    }
}

impl NetworkResults {
    /// Returns the run in a few numbers: flows, completion times, goodput, drops, counters.
    pub fn summary(&self) -> &Summary {
        &self.0.summary
    }

    /// Returns every table: flows, links, queues, counters, drops, and what else the plan asks for.
    pub fn tables(&self) -> impl Iterator<Item = Table<'_>> {
        self.0.tables.iter().map(Table::new)
    }

    /// Returns the table of a name, such as `flows`.
    pub fn table(&self, name: &str) -> Option<Table<'_>> {
        self.tables().find(|table| table.name() == name)
    }

    /// Returns true if every flow has finished.
    pub fn is_finished(&self) -> bool {
        self.0.unfinished.count == 0
    }

    /// Returns all that is known of the run.
    pub fn outcome(&self) -> &Outcome {
        &self.0
    }
}
