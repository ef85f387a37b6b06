//! The chip for programs of the Tofino Native Architecture.

use std::path::Path;
use std::sync::Arc;

use diagnostics::{Diagnostic, Failure};
use equivalence::{Leaving, Reference, Rules};
use files::PlanText;
use ir::interpret::PacketInterpreter;
use machines::Device;
use machines::tofino::{ChipSettings, Tofino, TofinoParameters};
use native::Native;
use passes::{Finding, ResourceReport};

use super::{Accepts, ControlPlaneSetup, Fitted, MachineKind, MachineOption, Settings};
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

/// What the chip is.
static CHIP: MachineOption = MachineOption {
    name: "chip",
    value: "FILE",
    default: "",
    help: "The chip: a file in TOML with its pipes, ports, queues, memory and times. Without it, a chip has as many pipes as the \
           program has programs for, and every port, and nothing in it takes time.",
    accepts: Accepts::File(&[]),
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

    fn chip(&self, program: &LoadedProgram, settings: &Settings) -> Result<Option<ChipSettings>, Failure> {
        chip(program, settings)
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

impl OnChip {
    /// Returns whether packets take time in the chip.
    fn keeps_time(&self) -> bool {
        self.parameters.chip.as_ref().is_some_and(|chip| chip.timed.is_some())
    }

    /// Returns the reference that a chip is.
    fn meant(&self, chip: Box<dyn Device>) -> Reference<'_> {
        let program = &self.program.program;
        if self.keeps_time() { Reference::of_timed_switch(program, chip) } else { Reference::of_switch(program, chip) }
    }

    /// Builds a chip with these parameters.
    fn chip(&self, parameters: TofinoParameters) -> Result<Box<dyn Device>, Failure> {
        Ok(match &self.code {
            Some(code) => Box::new(Tofino::new(code.clone(), Arc::clone(&self.program.info), parameters)?),
            None => Box::new(interpreted(&self.program, parameters)?),
        })
    }
}

impl Fitted for OnChip {
    fn program(&self) -> &LoadedProgram {
        &self.program
    }

    fn build(&self, seed: u64) -> Result<Box<dyn Device>, Failure> {
        self.chip(TofinoParameters { seed, ..self.parameters.clone() })
    }

    /// The reference is the same chip, run by the interpreter.
    fn reference(&self, seed: u64, write: ControlPlaneSetup<'_>) -> Result<Reference<'_>, Failure> {
        let mut chip = interpreted(&self.program, TofinoParameters { seed, ..self.parameters.clone() })?;
        write(&mut |request| _ = chip.execute(request));
        Ok(self.meant(Box::new(chip)))
    }

    fn rules(&self) -> Rules {
        let leaving = if self.keeps_time() { Leaving::AtTheEnd } else { Leaving::BeforeTheNext };
        Rules { leaving, ..Rules::default() }
    }

    /// Draws what waiting in queues could tell egress, unless the chip keeps time: then packets wait.
    fn draw(&mut self, seed: u64) {
        self.parameters.told = Some(seed);
    }

    fn across_pipes(&self, pipes: u16) -> Result<Option<Box<dyn Fitted>>, Failure> {
        let chip = match &self.parameters.chip {
            Some(chip) if chip.pipes == pipes => chip.clone(),
            Some(chip) => {
                let message = format!("the chip has {} pipes, and the check is to be across {pipes}", chip.pipes);
                let hint = "leave out `--chip`, or give both the same number of pipes";
                return Err(Diagnostic::without_place(message).hint(hint).into());
            }
            None => ChipSettings::of_pipes(pipes),
        };
        let parameters = TofinoParameters { chip: Some(chip), ..self.parameters.clone() };
        Ok(Some(Box::new(AcrossPipes(Self { program: self.program.clone(), code: self.code.clone(), parameters }))))
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

/// A chip whose pipes have states of their own, held against one whose pipes share a state.
struct AcrossPipes(OnChip);

impl Fitted for AcrossPipes {
    fn program(&self) -> &LoadedProgram {
        &self.0.program
    }

    fn build(&self, seed: u64) -> Result<Box<dyn Device>, Failure> {
        self.0.build(seed)
    }

    fn reference(&self, seed: u64, write: ControlPlaneSetup<'_>) -> Result<Reference<'_>, Failure> {
        let parameters = TofinoParameters { seed, shares_state: true, ..self.0.parameters.clone() };
        let mut chip = self.0.chip(parameters)?;
        write(&mut |request| _ = chip.execute(request));
        Ok(self.0.meant(chip))
    }

    /// Each pipe has registers of its own, which cannot be compared with those of all.
    fn rules(&self) -> Rules {
        Rules { registers: false, ..self.0.rules() }
    }

    fn draw(&mut self, seed: u64) {
        self.0.draw(seed);
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        self.0.parameters()
    }
}
