//! The options of machines with pipelines: what each is called, and what it sets. A machine lists those that it has.

mod machine;
mod spread;
mod stages;

use diagnostics::Diagnostic;

pub(super) use self::machine::*;
pub(super) use self::spread::*;
pub(super) use self::stages::*;
use super::draft::Draft;
use crate::kinds::option::{Accepts, MachineOption};

/// An option, and how it is carried out.
pub(super) struct PipelineOption {
    pub(super) option: MachineOption,
    /// Sets what a text says, which the option accepts.
    pub(super) set: Set,
}

/// Sets in a draft what a text says.
pub(super) type Set = fn(&mut Draft<'_>, &str) -> Result<(), Diagnostic>;

/// Options as a kind declares them.
pub(super) fn declared(options: &[&'static PipelineOption]) -> Vec<&'static MachineOption> {
    options.iter().map(|option| &option.option).collect()
}

/// The heading of options of whole machines.
const MACHINES: &str = "Machines with pipelines";

/// An option of whole machines.
pub(super) const fn option(
    name: &'static str,
    value: &'static str,
    default: &'static str,
    accepts: Accepts,
    help: &'static str,
) -> MachineOption {
    MachineOption { name, value, default, help, accepts, heading: MACHINES, is_hidden: false }
}

/// A number that a range has bounded.
pub(super) fn number<T: TryFrom<u64>>(text: &str) -> Result<T, Diagnostic> {
    let number = text.parse::<u64>().ok().and_then(|number| T::try_from(number).ok());
    number.ok_or_else(|| Diagnostic::without_place(format!("`{text}` is no number that fits here")))
}

/// Any number of 32 bits.
pub(super) const COUNT: Accepts = Accepts::Number(0..=u32::MAX as u64);
/// Any text, which is looked at when it is set.
pub(super) const ANY: Accepts = Accepts::Text(|_| Ok(()));
