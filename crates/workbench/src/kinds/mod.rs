//! The registry of all kinds of machines that can run programs.

pub mod option;
mod pipelines;
mod switch;
mod tofino;
mod trio;

use diagnostics::{Diagnostic, Diagnostics, Sources, did_you_mean};
pub use equivalence::ControlPlaneSetup;
use equivalence::{Reference, Rules};
use machines::Device;
use machines::tofino::{ChipSettings, TofinoParameters};
use machines::v1model::V1modelParameters;
use passes::Compiled;
use serde::Serialize;
use traffic::Prepared;

pub use self::option::{Accepts, Given, MachineOption};
pub use self::pipelines::{BANZAI, ControlPlane, MP5, PIPELINES, PORTS, PipelineParameters, Pipelines};
pub use self::switch::interpreted_switch;
use crate::machine::MachinePlan;
use crate::program::LoadedProgram;
use diagnostics::Failure;

/// A kind of machine, which fits programs and declares its options.
pub trait MachineKind: Sync {
    /// Returns the name of the kind in plans and on the command line.
    fn name(&self) -> &'static str;

    /// Returns a short description, without a capital letter and a full stop.
    fn about(&self) -> &'static str;

    /// Returns the path in the project of the manual page that describes it; empty if there is none.
    fn page(&self) -> &'static str {
        ""
    }

    /// Returns the options of machines of this kind; none by default.
    fn options(&self) -> &[&'static MachineOption] {
        &[]
    }

    /// Returns the plan of a machine with these settings, or `None` for kinds without pipelines.
    ///
    /// # Errors
    /// If the settings are wrong.
    fn pipelines(&self, program: &LoadedProgram, settings: &Settings) -> Result<Option<MachinePlan>, Failure> {
        let _ = (program, settings);
        Ok(None)
    }

    /// Returns what the settings say of a chip with pipes and ports of its own, for which `check` makes packets; `None` for
    /// kinds without such a chip, and if the settings say nothing of it.
    ///
    /// # Errors
    /// If the file of the chip is wrong.
    fn chip(&self, program: &LoadedProgram, settings: &Settings) -> Result<Option<ChipSettings>, Failure> {
        let _ = (program, settings);
        Ok(None)
    }

    /// Returns true if `check` includes this kind for a program when the user names no machines; false by default.
    fn is_usual(&self, program: &LoadedProgram) -> bool {
        let _ = program;
        false
    }

    /// Fits a program to a machine of this kind.
    ///
    /// # Errors
    /// If the machine cannot hold the program, which gives a resource report, or if the settings are wrong.
    fn fit(&self, program: &LoadedProgram, settings: &Settings) -> Result<Box<dyn Fitted>, Failure>;
}

/// A program that is fitted to a machine, and from which machines are built.
pub trait Fitted {
    /// Returns the program.
    fn program(&self) -> &LoadedProgram;

    /// Builds a new machine that runs the program. Its tables have only their initial entries. `seed` determines
    /// everything random in it.
    ///
    /// # Errors
    /// If the machine cannot be built.
    fn build(&self, seed: u64) -> Result<Box<dyn Device>, Failure>;

    /// Returns the reference with which the machine is compared: the meaning of the program, after `write` has sent the
    /// requests of the control plane. `seed` determines everything random in it. By default, it is the switch for which
    /// programs with parsers are written, run by the interpreter.
    ///
    /// # Errors
    /// If there is no reference for the machine with these settings.
    fn reference(&self, seed: u64, write: ControlPlaneSetup<'_>) -> Result<Reference<'_>, Failure> {
        let program = self.program();
        Ok(Reference::of_switch(&program.program, meaning(program, seed, write)?))
    }

    /// Returns what the machine guarantees beside equal state and equal packets.
    fn rules(&self) -> Rules {
        Rules::default()
    }

    /// Returns the plan of the machine after registers have been placed, or `None` for machines without stages.
    fn plan(&self) -> Option<&MachinePlan> {
        None
    }

    /// Returns the program compiled into stages, or `None` for machines without stages.
    fn compiled(&self) -> Option<&Compiled> {
        None
    }

    /// Lets the machines and the reference draw, in the same way, what packets alone cannot bring about, such as what a
    /// program is told about queues. Does nothing by default.
    fn draw(&mut self, seed: u64) {
        let _ = seed;
    }

    /// Returns the program on a machine of so many pipes, each of which has a state of its own, whose reference is the same
    /// machine with one state for all pipes; `None` for machines whose ports do not lie in pipes.
    ///
    /// # Errors
    /// If the machine cannot have so many pipes.
    fn across_pipes(&self, pipes: u16) -> Result<Option<Box<dyn Fitted>>, Failure> {
        let _ = pipes;
        Ok(None)
    }

    /// Returns the parameters of the machine by name, for manifests; none by default.
    fn parameters(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }
}

/// The settings with which a machine is built.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The values of options that the user gave. A kind ignores the options of other kinds, which
    /// [`Given::refuse_foreign`] rejects.
    pub given: Given,
    /// The packets that will arrive, if they are known. They determine how fields are bound, and registers can be
    /// placed for them.
    pub packets: Option<Prepared>,
}

/// Every kind. The first is the one for which programs with parsers are written.
pub static ALL: [&dyn MachineKind; 7] =
    [&switch::V1MODEL, &switch::NATIVE, &BANZAI, &MP5, &pipelines::RECIRCULATING, &tofino::TOFINO, &trio::TRIO];

/// The kind whose machine defines the meaning of programs with parsers.
pub static MEANING: &dyn MachineKind = &switch::V1MODEL;

/// Returns the switch that defines the meaning of a program with a parser, after `write` has sent the requests of the
/// control plane: its blocks run in the interpreter.
///
/// # Errors
/// If the program lacks something that the switch needs.
pub(crate) fn meaning(
    program: &LoadedProgram,
    seed: u64,
    write: ControlPlaneSetup<'_>,
) -> Result<Box<dyn Device>, Failure> {
    meaning_on(program, TofinoParameters { seed, ..TofinoParameters::default() }, write)
}

/// Returns the same as [`meaning`]; a program that is written for a chip with pipes runs on the one with these parameters.
pub(crate) fn meaning_on(
    program: &LoadedProgram,
    chip: TofinoParameters,
    write: ControlPlaneSetup<'_>,
) -> Result<Box<dyn Device>, Failure> {
    let seed = chip.seed;
    let mut device: Box<dyn Device> = match tofino::is_for(program) {
        true => Box::new(tofino::interpreted(program, chip)?),
        false => Box::new(interpreted_switch(program, V1modelParameters { seed, ..V1modelParameters::default() })?),
    };
    write(&mut |request| _ = device.execute(request));
    Ok(device)
}

/// Returns the default kind for a program: for a program with a parser, the switch for which it is written, and for one of
/// threads, the chip that runs them.
pub fn usual(program: &LoadedProgram) -> &'static dyn MachineKind {
    match (program.has_threads(), program.has_parser()) {
        (true, _) => &trio::TRIO,
        (_, true) if tofino::is_for(program) => &tofino::TOFINO,
        (_, true) => MEANING,
        (_, false) => &BANZAI,
    }
}

/// Returns the usual kind for a program, with options by which it runs blocks in the interpreter, beside those that are
/// given.
///
/// # Errors
/// If the option refuses the value, which none does.
pub fn interpreted(program: &LoadedProgram, given: &Given) -> Result<(&'static dyn MachineKind, Given), Failure> {
    let (kind, mut given) = (usual(program), given.clone());
    if kind.options().iter().any(|option| option.name == tofino::EXECUTOR.name) {
        given.push(&tofino::EXECUTOR, "interpreter")?;
    }
    Ok((kind, given))
}

/// Returns the kind that runs a program on whole packets fastest, which is the default for switches in networks.
pub fn fastest(program: &LoadedProgram) -> &'static dyn MachineKind {
    match usual(program) {
        usual if usual.name() == MEANING.name() => &switch::NATIVE,
        usual => usual,
    }
}

/// Returns the kind with a name.
///
/// # Errors
/// If there is no such kind; the hint lists those that exist.
pub fn named(name: &str) -> Result<&'static dyn MachineKind, Failure> {
    if let Some(kind) = ALL.iter().find(|kind| kind.name() == name) {
        return Ok(*kind);
    }
    let names: Vec<&str> = ALL.iter().map(|kind| kind.name()).collect();
    let hint = did_you_mean(name, names.iter().copied()).unwrap_or_else(|| format!("one of: {}", names.join(", ")));
    Err(Diagnostic::without_place(format!("there is no machine called `{name}`")).hint(hint).into())
}

/// Returns the kinds with these names.
///
/// # Errors
/// If there is no kind with one of the names; reports every such name.
pub fn all_named(names: &[String]) -> Result<Vec<&'static dyn MachineKind>, Failure> {
    let mut unknown = Diagnostics::new();
    let mut found = Vec::new();
    for name in names {
        match named(name) {
            Ok(kind) => found.push(kind),
            Err(Failure::BadInput { diagnostics, .. }) => unknown.extend(diagnostics),
            Err(other) => return Err(other),
        }
    }
    unknown.into_result(found).map_err(|diagnostics| Failure::BadInput { sources: Sources::new(), diagnostics })
}

/// The description of a kind for JSON.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Described {
    /// The name of the kind.
    pub name: &'static str,
    /// A short description.
    pub about: &'static str,
    /// The path in the project of the manual page.
    pub page: &'static str,
}

impl From<&dyn MachineKind> for Described {
    fn from(kind: &dyn MachineKind) -> Self {
        Self { name: kind.name(), about: kind.about(), page: kind.page() }
    }
}
