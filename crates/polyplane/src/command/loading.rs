//! Reading a program and its table entries, as all commands on programs do.

use polyplane::Failure;
use polyplane::rooms::workbench::Entries;
use polyplane::rooms::workbench::{LoadOptions, LoadedProgram};

use crate::arguments::ProgramArguments;
use crate::output;
use crate::packet_arguments::TablesArguments;

/// Returns the options with which the program is read.
pub fn options(arguments: &ProgramArguments) -> LoadOptions {
    LoadOptions { binding: arguments.binding.clone(), ..arguments.preprocessor.options() }
}

/// Reads the program that the arguments name, and prints its warnings.
pub fn load(arguments: &ProgramArguments) -> Result<LoadedProgram, Failure> {
    let loaded = LoadedProgram::read(&arguments.program, &options(arguments))?;
    output::tell(&loaded.warnings);
    Ok(loaded)
}

/// Reads the files with table entries, and prints their warnings.
pub fn entries(arguments: &TablesArguments, program: &LoadedProgram) -> Result<Entries, Failure> {
    let mut entries = Entries::none();
    for path in &arguments.tables {
        entries.add(Entries::read(path, program)?);
    }
    output::tell(&entries.warnings());
    Ok(entries)
}
