//! P4 programs fitted to machines with pipelines.

use passes::flatten::{Flattened, Options, flatten};
use passes::{Compiled, Observer, ResourceReport};

use super::PacketProgram;
use crate::failure::Failure;
use crate::fit::fit;
use crate::machine::MachinePlan;

/// A P4 program as a machine with pipelines runs it.
#[derive(Clone, Debug)]
pub struct FittedPacketProgram {
    /// Its parser, its match-action part and its deparser.
    pub flattened: Flattened,
    /// The match-action part, in stages.
    pub compiled: Compiled,
}

impl PacketProgram {
    /// The program without calls, tables that run actions, stacks and exits: what pipelines take.
    ///
    /// # Errors
    /// Everything that no pipeline can do.
    pub fn flatten(&self) -> Result<Flattened, Failure> {
        let options = Options { architecture: self.info.architecture(), ..Options::default() };
        flatten(&self.program, &options).map_err(|findings| {
            let report = ResourceReport { program: self.program.name.clone(), findings, smallest: None };
            Failure::DoesNotFit(report.to_string())
        })
    }

    /// Fits the program to a machine, and tells `observer` of each step.
    ///
    /// # Errors
    /// Everything that no pipeline can do, or that this machine has not room for.
    pub fn fit(&self, plan: &MachinePlan, observer: &mut dyn Observer) -> Result<FittedPacketProgram, Failure> {
        observer.begins("flatten");
        let flattened = self.flatten()?;
        let compiled = fit(&flattened.flat, plan, observer)?;
        Ok(FittedPacketProgram { flattened, compiled })
    }
}
