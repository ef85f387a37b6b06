//! Programs fitted to machines with pipelines.

use passes::flatten::{Flattened, Options, flatten};
use passes::{Compiled, Observer, ResourceReport};

use super::LoadedProgram;
use crate::fit::fit;
use crate::machine::MachinePlan;
use diagnostics::Failure;

/// A program as a machine with pipelines runs it.
#[derive(Clone, Debug)]
pub struct FittedProgram {
    /// Its parser, its match-action part and its deparser; `None` for a program without a parser, which is the match-action
    /// part alone.
    pub flattened: Option<Flattened>,
    /// The match-action part, in stages.
    pub compiled: Compiled,
}

impl LoadedProgram {
    /// The program without calls, tables that run actions, stacks and exits, which is what pipelines take; `None` for a
    /// program without a parser, which has none of them.
    ///
    /// # Errors
    /// Everything that no pipeline can do.
    pub fn flatten(&self) -> Result<Option<Flattened>, Failure> {
        if !self.has_parser() {
            return Ok(None);
        }
        let options = Options { architecture: self.info.architecture(), ..Options::default() };
        flatten(&self.program, &options).map(Some).map_err(|findings| {
            let report = ResourceReport { program: self.program.name.clone(), findings, smallest: None };
            Failure::DoesNotFit(report.to_string())
        })
    }

    /// Fits the program to a machine, and tells `observer` of each step.
    ///
    /// # Errors
    /// Everything that no pipeline can do, or that this machine has not room for.
    pub fn fit(&self, plan: &MachinePlan, observer: &mut dyn Observer) -> Result<FittedProgram, Failure> {
        if self.has_parser() {
            observer.begins("flatten");
        }
        let flattened = self.flatten()?;
        let flat = flattened.as_ref().map_or(&*self.program, |flattened| &flattened.flat);
        let compiled = fit(flat, plan, observer)?;
        Ok(FittedProgram { flattened, compiled })
    }
}
