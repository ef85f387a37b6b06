//! Fits programs to machines with pipelines.

use passes::flatten::{Flattened, Options, flatten};
use passes::{Compiled, Finding, Observer, ResourceReport};

use super::LoadedProgram;
use crate::fit::fit;
use crate::machine::MachinePlan;
use diagnostics::Failure;

/// A program in the form in which a machine with pipelines runs it.
#[derive(Clone, Debug)]
pub struct FittedProgram {
    /// The parser, the match-action part and the deparser; `None` for a program without a parser, which consists of the
    /// match-action part only.
    pub flattened: Option<Flattened>,
    /// The match-action part, compiled into stages.
    pub compiled: Compiled,
}

impl LoadedProgram {
    /// Fails with a resource report if the program is one of threads, which a machine does not run for this reason.
    pub(crate) fn refuse_threads(&self, reason: &str) -> Result<(), Failure> {
        if !self.has_threads() {
            return Ok(());
        }
        let findings = vec![Finding::new(reason).note("a run-to-completion chip runs them")];
        let report = ResourceReport { program: self.program.name.clone(), findings, smallest: None };
        Err(Failure::DoesNotFit(report.to_string()))
    }

    /// Returns the program in the flat form that pipelines take, without calls, tables that run actions, header stacks
    /// and exits; `None` for a program without a parser, which is flat already.
    ///
    /// # Errors
    /// If the program does something that no pipeline can do; the failure is a resource report.
    pub fn flatten(&self) -> Result<Option<Flattened>, Failure> {
        self.refuse_threads("a pipeline cannot run threads, which go on for as many instructions as they need")?;
        if !self.has_parser() {
            return Ok(None);
        }
        let options = Options { architecture: self.info.architecture(), ..Options::default() };
        flatten(&self.program, &options).map(Some).map_err(|findings| {
            let report = ResourceReport { program: self.program.name.clone(), findings, smallest: None };
            Failure::DoesNotFit(report.to_string())
        })
    }

    /// Fits the program to a machine, and notifies `observer` of each pass.
    ///
    /// # Errors
    /// If the program does something that no pipeline can do, or needs more than this machine has; the failure is a
    /// resource report.
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
