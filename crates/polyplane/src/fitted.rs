//! A program that a machine can hold.

use diagnostics::Failure;
use workbench::{FitReport, kinds};

use crate::{Device, Machine, Program};

/// A program fitted to a machine.
pub struct Fitted {
    program: Program,
    machine: Machine,
    fitted: Box<dyn kinds::Fitted>,
}

impl Fitted {
    pub(crate) fn new(program: &Program, machine: &Machine) -> Result<Self, Failure> {
        let fitted = machine.kind().fit(program.loaded(), &machine.settings())?;
        Ok(Self { program: program.clone(), machine: machine.clone(), fitted })
    }

    /// Returns the program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Returns the machine.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Returns the program stage by stage, with what it needs of the machine, if the machine has stages.
    pub fn report(&self) -> Option<FitReport> {
        Some(FitReport::of(self.fitted.compiled()?, self.fitted.plan()?))
    }

    /// Builds a machine that runs the program. Its tables are as the program begins, and its random numbers come from
    /// seed 0.
    ///
    /// # Errors
    /// If the machine cannot be built.
    pub fn device(&self) -> Result<Device, Failure> {
        self.device_with_seed(0)
    }

    /// Builds a machine that runs the program and whose random numbers come from a seed.
    ///
    /// # Errors
    /// If the machine cannot be built.
    pub fn device_with_seed(&self, seed: u64) -> Result<Device, Failure> {
        Ok(Device::new(self.fitted.build(seed)?))
    }
}
