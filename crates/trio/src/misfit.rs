//! What does not fit in a word.

use diagnostics::{Diagnostic, Span};
use ir::threads::InstructionId;

use crate::units::Unit;

/// A reason why a program does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// The instruction; `None` if it is the program as a whole.
    pub instruction: Option<InstructionId>,
    /// What is needed, and what there is.
    pub message: String,
    /// What an author can do about it.
    pub advice: String,
}

impl Misfit {
    /// Too many of a unit.
    pub(crate) fn too_many(instruction: InstructionId, name: &str, unit: Unit, needed: u32, available: u32) -> Self {
        let unit_name = unit.name();
        Self {
            instruction: Some(instruction),
            message: format!("`{name}` needs {needed} {unit_name}, a word has {available}"),
            advice: unit.advice().to_owned(),
        }
    }

    /// Returns the diagnostic of the misfit, given the place of each instruction in the source, if there is one.
    pub fn diagnostic(&self, places: &[Span]) -> Diagnostic {
        let place = self.instruction.and_then(|instruction| places.get(instruction.index()));
        let error = match place {
            Some(&place) => Diagnostic::error(place, self.message.clone()).label("this instruction"),
            None => Diagnostic::without_place(self.message.clone()),
        };
        error.hint(self.advice.clone())
    }
}
