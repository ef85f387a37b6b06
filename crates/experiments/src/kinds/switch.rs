//! The v1model switch, by the interpreter and by machine code.

use std::sync::Arc;

use equivalence::Reference;
use ir::interpret::PacketInterpreter;
use machines::Device;
use machines::v1model::{Parameters, Switch};
use native::Native;

use super::{Fitted, Kind, Settings};
use crate::failure::Failure;
use crate::memory_need::check_switches;
use crate::packet_programs::PacketProgram;

/// The switch whose blocks the interpreter runs.
pub(super) static V1MODEL: V1model = V1model;
/// The switch whose blocks machine code runs.
pub(super) static NATIVE: MachineCode = MachineCode;

pub(super) struct V1model;

pub(super) struct MachineCode;

impl Kind for V1model {
    fn name(&self) -> &'static str {
        "v1model"
    }

    fn about(&self) -> &'static str {
        "the switch that P4_16 programs are written for, run by the interpreter: the meaning of a program"
    }

    fn page(&self) -> &'static str {
        "docs/machines/v1model.md"
    }

    fn fit(&self, program: &PacketProgram, settings: &Settings) -> Result<Box<dyn Fitted>, Failure> {
        check_switches(&program.program, 1)?;
        Ok(Box::new(Interpreted { program: program.clone(), undefined: settings.undefined }))
    }
}

impl Kind for MachineCode {
    fn name(&self) -> &'static str {
        "native"
    }

    fn about(&self) -> &'static str {
        "the v1model switch run by machine code of this computer, which means the same and is much faster"
    }

    fn page(&self) -> &'static str {
        "docs/machines/native.md"
    }

    fn fit(&self, program: &PacketProgram, settings: &Settings) -> Result<Box<dyn Fitted>, Failure> {
        check_switches(&program.program, 1)?;
        let code = Native::compile(program.program.clone()).map_err(|reason| Failure::plain(reason.to_string()))?;
        Ok(Box::new(Compiled { program: program.clone(), code, undefined: settings.undefined }))
    }
}

struct Interpreted {
    program: PacketProgram,
    undefined: Option<u64>,
}

struct Compiled {
    program: PacketProgram,
    code: Native,
    undefined: Option<u64>,
}

fn parameters(undefined: Option<u64>, seed: u64) -> Parameters {
    Parameters { seed, undefined, ..Parameters::default() }
}

fn described(undefined: Option<u64>) -> Vec<(&'static str, String)> {
    vec![("undefined", undefined.map_or("zero".to_owned(), |seed| format!("random:{seed}")))]
}

impl Fitted for Interpreted {
    fn build(&self, seed: u64) -> Result<Box<dyn Device>, Failure> {
        let executor = PacketInterpreter::new(self.program.program.clone());
        Ok(Box::new(Switch::new(executor, Arc::clone(&self.program.info), parameters(self.undefined, seed))?))
    }

    fn reference(&self, switch: Switch<PacketInterpreter>) -> Result<Reference<'_>, Failure> {
        Ok(Reference::of_switch(&self.program.program, switch))
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        described(self.undefined)
    }
}

impl Fitted for Compiled {
    fn build(&self, seed: u64) -> Result<Box<dyn Device>, Failure> {
        let info = Arc::clone(&self.program.info);
        Ok(Box::new(Switch::new(self.code.clone(), info, parameters(self.undefined, seed))?))
    }

    fn reference(&self, switch: Switch<PacketInterpreter>) -> Result<Reference<'_>, Failure> {
        Ok(Reference::of_switch(&self.program.program, switch))
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        described(self.undefined)
    }
}
