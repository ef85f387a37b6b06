//! The options of machines with pipelines, and the functions that set them. Each machine lists the options that it has.

mod machine;
mod spread;
mod stages;

use diagnostics::Diagnostic;

pub(super) use self::machine::*;
pub(super) use self::spread::*;
pub(super) use self::stages::*;
use super::draft::Draft;
use crate::kinds::option::{Accepts, MachineOption};

/// An option with the function that sets it.
pub(super) struct PipelineOption {
    pub(super) option: MachineOption,
    /// Applies a value, which the option has accepted.
    pub(super) set: Set,
}

/// A function that applies the value of an option to a draft.
pub(super) type Set = fn(&mut Draft<'_>, &str) -> Result<(), Diagnostic>;

/// Returns the declarations of options.
pub(super) fn declared(options: &[&'static PipelineOption]) -> Vec<&'static MachineOption> {
    options.iter().map(|option| &option.option).collect()
}

/// The heading of options that concern whole machines.
const MACHINES: &str = "Machines with pipelines";

/// Returns an option that concerns whole machines.
pub(super) const fn option(
    name: &'static str,
    value: &'static str,
    default: &'static str,
    accepts: Accepts,
    help: &'static str,
) -> MachineOption {
    MachineOption { name, value, default, help, accepts, heading: MACHINES, is_hidden: false }
}

/// Parses a number, whose range the option has already checked.
pub(super) fn number<T: TryFrom<u64>>(text: &str) -> Result<T, Diagnostic> {
    let number = text.parse::<u64>().ok().and_then(|number| T::try_from(number).ok());
    number.ok_or_else(|| Diagnostic::without_place(format!("`{text}` is not a number, or out of range")))
}

/// Any 32-bit number.
pub(super) const COUNT: Accepts = Accepts::Number(0..=u32::MAX as u64);
/// Any text, which is checked when it is set.
pub(super) const ANY: Accepts = Accepts::Text(|_| Ok(()));
