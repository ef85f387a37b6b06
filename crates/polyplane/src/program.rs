//! Programs, whatever their language.

use std::path::Path;
use std::sync::Arc;

use diagnostics::Failure;
use workbench::{LoadOptions, LoadedProgram};

use crate::{Fitted, Machine};

/// A packet-processing program that has been read and checked. Cloning it is cheap.
#[derive(Clone, Debug)]
pub struct Program(Arc<LoadedProgram>);

impl Program {
    /// Reads a program from its file, with the files that it includes. The ending of the name says in which language it
    /// is: `.p4` (P4_16), `.c` (Domino), `.mc` (Microcode) or `.ir` (the IR's text). The fields of a Domino program bind to packets as the
    /// file beside it with the ending `.toml` says.
    ///
    /// # Errors
    /// Everything that is wrong with the program or its binding, each at its place.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, Failure> {
        Self::read_with(path, &LoadOptions::default())
    }

    /// Reads a program from its file, with folders for included files, macros, or another binding.
    ///
    /// # Errors
    /// Everything that is wrong with the program or its binding, each at its place; an option that its language does
    /// not have.
    pub fn read_with(path: impl AsRef<Path>, options: &LoadOptions) -> Result<Self, Failure> {
        LoadedProgram::read(path.as_ref(), options).map(Self::from)
    }

    /// Reads a program from a text. Diagnostics call it `name`, whose ending says in which language it is, as in
    /// [`Program::read`]. It may include the headers of architectures (`core.p4`, `v1model.p4`) and no other files.
    ///
    /// # Errors
    /// Everything that is wrong with the program, each at its place.
    pub fn from_text(name: &str, text: &str) -> Result<Self, Failure> {
        LoadedProgram::of_text(name, text, None).map(Self::from)
    }

    /// Returns the name of the program: that of its file, without folders and ending.
    pub fn name(&self) -> &str {
        &self.0.program.name
    }

    /// Returns true if the program parses packets itself, rather than being given fields of them.
    pub fn has_parser(&self) -> bool {
        self.0.has_parser()
    }

    /// Returns what the author may not have meant, as text without colours; empty if there is nothing.
    pub fn warnings(&self) -> &str {
        &self.0.warnings
    }

    /// Fits the program to a machine.
    ///
    /// # Errors
    /// [`Failure::DoesNotFit`] with a resource report if the machine cannot hold the program; [`Failure::BadInput`] if
    /// an option of the machine does not suit the program.
    pub fn fit(&self, machine: &Machine) -> Result<Fitted, Failure> {
        Fitted::new(self, machine)
    }

    /// Returns the program as the workbench has it.
    pub fn loaded(&self) -> &LoadedProgram {
        &self.0
    }
}

impl From<LoadedProgram> for Program {
    fn from(loaded: LoadedProgram) -> Self {
        Self(Arc::new(loaded))
    }
}
