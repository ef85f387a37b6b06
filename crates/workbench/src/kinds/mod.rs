//! The kinds of machines that programs can be fitted to, in one registry: whoever names a machine finds it here.

pub mod option;
mod pipelines;
mod switch;

use diagnostics::{Diagnostic, Diagnostics, Sources, did_you_mean};
use equivalence::{Reference, Rules};
use machines::Device;
use passes::Compiled;
use serde::Serialize;
use traffic::Prepared;

pub use self::option::{Accepts, Given, MachineOption};
pub use self::pipelines::{BANZAI, ControlPlane, MP5, PIPELINES, PORTS, PipelineParameters, Pipelines};
pub use self::switch::interpreted_switch;
pub(crate) use self::switch::meaning;
use crate::machine::MachinePlan;
use crate::program::LoadedProgram;
use diagnostics::Failure;

/// A kind of machine.
pub trait Kind: Sync {
    /// Its name in plans and on the command line.
    fn name(&self) -> &'static str;

    /// What it is, in a sentence.
    fn about(&self) -> &'static str;

    /// The page of the manual that describes it, from the project's folder; empty if there is none.
    fn page(&self) -> &'static str {
        ""
    }

    /// What can be set of it; nothing by default.
    fn options(&self) -> &[&'static MachineOption] {
        &[]
    }

    /// The machine as the plans of pipelines describe it, for kinds that have pipelines.
    ///
    /// # Errors
    /// What is wrong with the settings.
    fn pipelines(&self, program: &LoadedProgram, settings: &Settings) -> Result<Option<MachinePlan>, Failure> {
        let _ = (program, settings);
        Ok(None)
    }

    /// Whether a program is checked on it if nobody names machines; never by default.
    fn is_usual(&self, program: &LoadedProgram) -> bool {
        let _ = program;
        false
    }

    /// Fits a program to a machine of this kind.
    ///
    /// # Errors
    /// A resource report, if the machine cannot hold the program; what is wrong with the settings.
    fn fit(&self, program: &LoadedProgram, settings: &Settings) -> Result<Box<dyn Fitted>, Failure>;
}

/// A program that is fitted to a machine.
pub trait Fitted {
    /// The program.
    fn program(&self) -> &LoadedProgram;

    /// A fresh machine that runs it, whose tables are as the program begins. Everything random in it is drawn from `seed`.
    ///
    /// # Errors
    /// What keeps the machine from being built.
    fn build(&self, seed: u64) -> Result<Box<dyn Device>, Failure>;

    /// What the machine is held against: the meaning of the program, after the control plane has written what `write` asks
    /// for. Everything random in it is drawn from `seed`. By default it is the switch that programs with parsers are written
    /// for, run by the interpreter.
    ///
    /// # Errors
    /// Why there is no such thing.
    fn reference(&self, seed: u64, write: Written<'_>) -> Result<Reference<'_>, Failure> {
        let program = self.program();
        Ok(Reference::of_switch(&program.program, meaning(program, seed, write)?))
    }

    /// What the machine promises beside the same state and the same packets.
    fn rules(&self) -> Rules {
        Rules::default()
    }

    /// The machine with everything that depends on the packets decided, if it has stages.
    fn plan(&self) -> Option<&MachinePlan> {
        None
    }

    /// The program in stages, on machines that have them.
    fn compiled(&self) -> Option<&Compiled> {
        None
    }

    /// What the machine was built with, by name, for manifests; nothing by default.
    fn parameters(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }
}

/// What the control plane asks a device for before the first packet comes.
pub type Written<'w> = &'w dyn Fn(&mut dyn Device);

/// How a machine is built.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// What a user gave for options. A kind passes over those of others: [`Given::refuse_foreign`] refuses them.
    pub given: Given,
    /// The packets that will come, where they are known: they bind fields, and registers can be placed for them.
    pub packets: Option<Prepared>,
}

/// Every kind. The first is the one that programs with parsers are written for.
pub static ALL: [&dyn Kind; 5] = [&switch::V1MODEL, &switch::NATIVE, &BANZAI, &MP5, &pipelines::RECIRCULATING];

/// The kind that runs programs with parsers fastest, which switches of networks are unless a plan names another.
pub static FASTEST: &dyn Kind = &switch::NATIVE;

/// The kind whose machine is the meaning of programs with parsers.
pub static MEANING: &dyn Kind = &switch::V1MODEL;

/// The kind that runs a program if nobody names one: for programs with parsers the switch that they are written for.
pub fn usual(program: &LoadedProgram) -> &'static dyn Kind {
    if program.has_parser() { MEANING } else { &BANZAI }
}

/// The kind of a name.
///
/// # Errors
/// There is no such kind; the diagnostic says which there are.
pub fn named(name: &str) -> Result<&'static dyn Kind, Failure> {
    if let Some(kind) = ALL.iter().find(|kind| kind.name() == name) {
        return Ok(*kind);
    }
    let names: Vec<&str> = ALL.iter().map(|kind| kind.name()).collect();
    let hint = did_you_mean(name, names.iter().copied()).unwrap_or_else(|| format!("one of: {}", names.join(", ")));
    Err(Diagnostic::without_place(format!("there is no machine called `{name}`")).hint(hint).into())
}

/// The kinds of these names.
///
/// # Errors
/// A diagnostic for each name that no kind has.
pub fn all_named(names: &[String]) -> Result<Vec<&'static dyn Kind>, Failure> {
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

/// A kind as scripts read it.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Described {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub about: &'static str,
    /// The page that describes it.
    pub page: &'static str,
}

impl From<&dyn Kind> for Described {
    fn from(kind: &dyn Kind) -> Self {
        Self { name: kind.name(), about: kind.about(), page: kind.page() }
    }
}
