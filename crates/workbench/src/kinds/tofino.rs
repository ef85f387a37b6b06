//! The chip for programs of the Tofino Native Architecture.

use std::path::Path;
use std::sync::Arc;

use diagnostics::{Diagnostic, Failure};
use equivalence::Reference;
use files::PlanText;
use ir::interpret::PacketInterpreter;
use machines::Device;
use machines::tofino::{ChipSettings, Tofino, TofinoParameters};
use native::Native;
use passes::{Finding, ResourceReport};

use super::{Accepts, ControlPlaneSetup, Fitted, MachineKind, MachineOption, Settings, meaning};
use crate::memory_need::check_switches;
use crate::program::LoadedProgram;

/// The chip, whose blocks run as machine code.
pub(super) static TOFINO: TofinoKind = TofinoKind;

pub(super) struct TofinoKind;

/// The port to which copies for the CPU go.
static CHIP_CPU_PORT: MachineOption = MachineOption {
    name: "chip-cpu-port",
    value: "PORT",
    default: "",
    help: "The device port to which the chip sends copies for the CPU: what `--chip` says, or else 64.",
    accepts: Accepts::Number(0..=1023),
    heading: "tofino",
    is_hidden: false,
};

/// The file that says what the chip is.
static CHIP: MachineOption = MachineOption {
    name: "chip",
    value: "FILE",
    default: "",
    help: "The chip: its pipes, ports, queues, memory and times, in TOML. Without it, a chip has as many pipes as the program \
           has programs for, and every port, and nothing in it takes time.",
    accepts: Accepts::File,
    heading: "tofino",
    is_hidden: false,
};

/// What runs the blocks of the program.
pub(super) static EXECUTOR: MachineOption = MachineOption {
    name: "executor",
    value: "native|interpreter",
    default: "native",
    help: "What runs the blocks of the program: machine code of this computer, or the interpreter, which is slower and \
           records traces.",
    accepts: Accepts::OneOf(&["native", "interpreter"]),
    heading: "tofino",
    is_hidden: false,
};

static OPTIONS: [&MachineOption; 3] = [&CHIP, &CHIP_CPU_PORT, &EXECUTOR];

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
        let parameters = TofinoParameters { chip: chip(program, settings)?, ..TofinoParameters::default() };
        Ok(Box::new(OnChip { program: program.clone(), code, parameters }))
    }
}

/// Returns what the options set of a chip; `None` if they set nothing.
fn chip(program: &LoadedProgram, settings: &Settings) -> Result<Option<ChipSettings>, Failure> {
    let mut chip = match settings.given.last(CHIP.name) {
        Some(path) => {
            let file = PlanText::read(Path::new(path))?;
            Some(ChipSettings::parse(&file.path, &file.text)?)
        }
        None => None,
    };
    if let Some(port) = settings.given.last(CHIP_CPU_PORT.name).and_then(|text| text.parse().ok()) {
        chip.get_or_insert_with(|| ChipSettings::for_program(&program.program)).cpu_port = port;
    }
    Ok(chip)
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

    fn reference(&self, seed: u64, write: ControlPlaneSetup<'_>) -> Result<Reference<'_>, Failure> {
        if self.parameters.chip.as_ref().is_some_and(|chip| chip.timed.is_some()) {
            let error = Diagnostic::without_place(
                "in the reference nothing takes time, so it cannot be compared with a chip that keeps time",
            );
            return Err(error.hint("leave `--chip` out").into());
        }
        let program = &self.program;
        Ok(Reference::of_switch(&program.program, meaning(program, seed, write)?))
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        let executor = if self.code.is_some() { "native" } else { "interpreter" };
        let chip = self.parameters.chip.as_ref();
        let cpu_port = chip.map_or_else(|| ChipSettings::default().cpu_port, |chip| chip.cpu_port);
        let pipes = chip.map(|chip| ("pipes", chip.pipes.to_string()));
        let others = [("cpu_port", cpu_port.to_string()), ("executor", executor.to_owned())];
        others.into_iter().chain(pipes).collect()
    }
}
