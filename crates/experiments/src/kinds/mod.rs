//! The kinds of machines that packet programs can be fitted to, in one registry: whoever names a machine finds it here.

mod pipelines;
mod switch;

use diagnostics::{Diagnostic, did_you_mean};
use equivalence::Reference;
use ir::interpret::PacketInterpreter;
use machines::Device;
use machines::v1model::Switch;
use passes::Compiled;
use serde::Serialize;

use crate::failure::Failure;
use crate::machine::MachinePlan;
use crate::packet_programs::PacketProgram;

/// A kind of machine.
pub trait Kind: Sync {
    /// Its name in plans and on the command line.
    fn name(&self) -> &'static str;

    /// What it is, in a sentence.
    fn about(&self) -> &'static str;

    /// The page of the manual that describes it, from the project's folder.
    fn page(&self) -> &'static str;

    /// Fits a packet program to a machine of this kind.
    ///
    /// # Errors
    /// A resource report, if the machine cannot hold the program; what is wrong with the settings.
    fn fit(&self, program: &PacketProgram, settings: &Settings) -> Result<Box<dyn Fitted>, Failure>;
}

/// A program that is fitted to a machine.
pub trait Fitted {
    /// A fresh machine that runs it, whose tables are as the program begins. Everything random in it is drawn from `seed`.
    ///
    /// # Errors
    /// What keeps the machine from being built.
    fn build(&self, seed: u64) -> Result<Box<dyn Device>, Failure>;

    /// What the machine is held against: the meaning of the program, on a switch to which the control plane has written what
    /// it has written to the machine.
    ///
    /// # Errors
    /// Why there is no such thing.
    fn reference(&self, switch: Switch<PacketInterpreter>) -> Result<Reference<'_>, Failure>;

    /// The program in stages, on machines that have them.
    fn compiled(&self) -> Option<&Compiled> {
        None
    }

    /// What the machine was built with, by name, for manifests.
    fn parameters(&self) -> Vec<(&'static str, String)>;
}

/// What a user can say of a machine. Each kind takes what it has.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// What values that the language leaves open are drawn from; `None` makes them zero. For machines that run the
    /// program as it was written.
    pub undefined: Option<u64>,
    /// Pipelines, stages and limits. `None` is as the papers' evaluations have them. For machines with pipelines, which
    /// replace its architecture by their own.
    pub pipelines: Option<MachinePlan>,
}

/// Every kind. The first is the one that packet programs are written for.
pub static ALL: [&dyn Kind; 5] =
    [&switch::V1MODEL, &switch::NATIVE, &pipelines::BANZAI, &pipelines::MP5, &pipelines::RECIRCULATING];

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
