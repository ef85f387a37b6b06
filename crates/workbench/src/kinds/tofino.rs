//! The chip for programs of the Tofino Native Architecture.

use std::sync::Arc;

use diagnostics::Failure;
use ir::interpret::PacketInterpreter;
use machines::Device;
use machines::tofino::{Tofino, TofinoParameters};
use native::Native;
use passes::{Finding, ResourceReport};

use super::{Accepts, Fitted, MachineKind, MachineOption, Settings};
use crate::memory_need::check_switches;
use crate::program::LoadedProgram;

/// The chip, whose blocks run as machine code.
pub(super) static TOFINO: TofinoKind = TofinoKind;

pub(super) struct TofinoKind;

/// The port to which copies for the CPU go.
static CHIP_CPU_PORT: MachineOption = MachineOption {
    name: "chip-cpu-port",
    value: "PORT",
    default: "64",
    help: "The port to which the chip sends copies for the CPU.",
    accepts: Accepts::Number(0..=71),
    heading: "tofino",
    is_hidden: false,
};

/// What runs the blocks of the program.
static EXECUTOR: MachineOption = MachineOption {
    name: "executor",
    value: "native|interpreter",
    default: "native",
    help: "What runs the blocks of the program: machine code of this computer, or the interpreter, which is slower and \
           records traces.",
    accepts: Accepts::OneOf(&["native", "interpreter"]),
    heading: "tofino",
    is_hidden: false,
};

static OPTIONS: [&MachineOption; 2] = [&CHIP_CPU_PORT, &EXECUTOR];

/// Returns true if a program is written for a chip that passes bytes from ingress to egress.
pub(super) fn is_for(program: &LoadedProgram) -> bool {
    program.info.architecture().passes_bytes_to_egress()
}

/// Returns a chip whose blocks run in the interpreter.
///
/// # Errors
/// If the program lacks something that the chip needs.
pub(super) fn interpreted(
    program: &LoadedProgram,
    parameters: TofinoParameters,
) -> Result<Tofino<PacketInterpreter>, Failure> {
    let executor = PacketInterpreter::new(program.program.clone());
    Ok(Tofino::new(executor, Arc::clone(&program.info), parameters)?)
}

impl MachineKind for TofinoKind {
    fn name(&self) -> &'static str {
        "tofino"
    }

    fn about(&self) -> &'static str {
        "a chip for programs of the Tofino Native Architecture, with bytes between its gresses"
    }

    fn page(&self) -> &'static str {
        "docs/machines/tofino.md"
    }

    fn options(&self) -> &[&'static MachineOption] {
        &OPTIONS
    }

    fn is_usual(&self, program: &LoadedProgram) -> bool {
        program.has_parser() && is_for(program)
    }

    fn fit(&self, program: &LoadedProgram, settings: &Settings) -> Result<Box<dyn Fitted>, Failure> {
        if !program.has_parser() || !is_for(program) {
            let finding =
                "the chip runs programs of the Tofino Native Architecture, such as those that include <tna.p4>";
            let name = program.program.name.clone();
            let report = ResourceReport { program: name, findings: vec![Finding::new(finding)], smallest: None };
            return Err(Failure::DoesNotFit(report.to_string()));
        }
        check_switches(&program.program, 1)?;
        let code = match settings.given.last(EXECUTOR.name) {
            Some("interpreter") => None,
            _ => {
                let compiled = Native::compile(program.program.clone());
                Some(compiled.map_err(|reason| Failure::plain(reason.to_string()))?)
            }
        };
        let cpu_port = settings.given.last(CHIP_CPU_PORT.name).and_then(|text| text.parse().ok());
        let usual = TofinoParameters::default();
        let parameters = TofinoParameters { cpu_port: cpu_port.unwrap_or(usual.cpu_port), ..usual };
        Ok(Box::new(OnChip { program: program.clone(), code, parameters }))
    }
}

/// A program fitted to the chip.
struct OnChip {
    program: LoadedProgram,
    /// The machine code of the blocks; `None` if the interpreter runs them.
    code: Option<Native>,
    parameters: TofinoParameters,
}

impl Fitted for OnChip {
    fn program(&self) -> &LoadedProgram {
        &self.program
    }

    fn build(&self, seed: u64) -> Result<Box<dyn Device>, Failure> {
        let parameters = TofinoParameters { seed, ..self.parameters.clone() };
        Ok(match &self.code {
            Some(code) => Box::new(Tofino::new(code.clone(), Arc::clone(&self.program.info), parameters)?),
            None => Box::new(interpreted(&self.program, parameters)?),
        })
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        let executor = if self.code.is_some() { "native" } else { "interpreter" };
        vec![("cpu_port", self.parameters.cpu_port.to_string()), ("executor", executor.to_owned())]
    }
}
