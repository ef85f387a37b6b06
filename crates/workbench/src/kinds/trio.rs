//! The run-to-completion chip, for programs of threads.

use std::path::Path;
use std::sync::Arc;

use diagnostics::Failure;
use equivalence::{Leaving, Reference, Rules, ThreadReasons};
use files::PlanText;
use ir::interpret::threads::Instructions;
use machines::Device;
use machines::trio::{PRESET_NAMES, Preset, Trio, TrioParameters, reasons};
use passes::{Finding, ResourceReport};

use super::{Accepts, ControlPlaneSetup, Fitted, MachineKind, MachineOption, Settings};
use crate::program::LoadedProgram;

/// The chip.
pub(super) static TRIO: TrioKind = TrioKind;

pub(super) struct TrioKind;

/// What the chip is.
static CHIP: MachineOption = MachineOption {
    name: "chip",
    value: "GENERATION|FILE",
    default: "",
    help: "The chip: a generation, `gen1` to `gen6`, or a file in TOML with a generation and what is different. Without it, `gen5`.",
    accepts: Accepts::File(&PRESET_NAMES),
    heading: "trio",
    is_hidden: false,
};

static OPTIONS: [&MachineOption; 1] = [&CHIP];

impl MachineKind for TrioKind {
    fn name(&self) -> &'static str {
        "trio"
    }

    fn about(&self) -> &'static str {
        "a run-to-completion chip for programs of threads, as Trio is"
    }

    fn page(&self) -> &'static str {
        "docs/machines/trio.md"
    }

    fn options(&self) -> &[&'static MachineOption] {
        &OPTIONS
    }

    fn is_usual(&self, program: &LoadedProgram) -> bool {
        program.has_threads()
    }

    fn fit(&self, program: &LoadedProgram, settings: &Settings) -> Result<Box<dyn Fitted>, Failure> {
        if !program.has_threads() {
            let finding = Finding::new("the chip runs programs of threads, such as those in Microcode");
            let name = program.program.name.clone();
            let report = ResourceReport { program: name, findings: vec![finding], smallest: None };
            return Err(Failure::DoesNotFit(report.to_string()));
        }
        let (chip, parameters) = match settings.given.last(CHIP.name) {
            None => ("gen5".to_owned(), TrioParameters::default()),
            Some(text) => match Preset::named(text) {
                Some(preset) => (text.to_owned(), preset.parameters()),
                None => {
                    let file = PlanText::read(Path::new(text))?;
                    (file.name, TrioParameters::parse(&file.path, &file.text)?)
                }
            },
        };
        // The chip loads an image and nothing else; the interpreter, to which it is held, runs the IR.
        let mut code = program.image(&trio::Parameters::default())?.code();
        code.declarations_mut().limit = parameters.instructions;
        let fitted = OnTrio { program: program.clone(), code, chip, parameters };
        // What the chip has not enough of shows now, not when packets come.
        fitted.build(0)?;
        Ok(Box::new(fitted))
    }
}

/// A program fitted to the chip.
struct OnTrio {
    program: LoadedProgram,
    code: trio::Code,
    /// The name of the preset, or of the file, that says what the chip is.
    chip: String,
    parameters: TrioParameters,
}

impl Fitted for OnTrio {
    fn program(&self) -> &LoadedProgram {
        &self.program
    }

    fn build(&self, seed: u64) -> Result<Box<dyn Device>, Failure> {
        let parameters = TrioParameters { seed, ..self.parameters.clone() };
        Ok(Box::new(Trio::new(self.code.clone(), Arc::clone(&self.program.info), parameters)?))
    }

    /// The interpreter, which runs the chip's threads again in its order.
    fn reference(&self, _seed: u64, write: ControlPlaneSetup<'_>) -> Result<Reference<'_>, Failure> {
        let declarations = self.code.declarations();
        let declared = reasons::of_program(declarations.threads());
        let reasons = ThreadReasons { consumed: reasons::CONSUMED, declared, of_fault: reasons::of_fault };
        let LoadedProgram { program, info, .. } = &self.program;
        Ok(Reference::of_order(program, info, declarations.limit, reasons, write))
    }

    fn rules(&self) -> Rules {
        Rules { leaving: Leaving::AtTheEnd, ..Rules::default() }
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        let TrioParameters { ppes, threads, clock, .. } = self.parameters;
        vec![
            ("chip", self.chip.clone()),
            ("clock", units::frequency_text(clock)),
            ("ppes", ppes.to_string()),
            ("threads", threads.to_string()),
        ]
    }
}
